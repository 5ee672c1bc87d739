// Replays what the published directory worker (0.8.0) answered against ours, on engines of ours.
// The switches of ours that serve more than 0.8.0 did are off here, so that what remains to differ is on the list.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const at = (name) => fileURLToPath(new URL(name, import.meta.url))

const replay = spawn(
  process.execPath,
  [
    at('replay.mjs'), '--worker', `'${process.env.III_DIRECTORY_BIN}' --config {config} --url {url}`,
    '--allow', at('../directory-deviations.json'), '--max', '400', ...process.argv.slice(2),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env, III_DIRECTORY_BUILTIN_DOCS: 'false', III_DIRECTORY_NORMALISE_IDS: 'false', III_DIRECTORY_LENIENT: 'false',
      III_DIRECTORY_TITLE_FROM_NAME: 'false',
      III_DIRECTORY_REGISTRY_RETRIES: '0', III_DIRECTORY_AUTO_DOWNLOAD_JOBS: '1',
    },
  },
)
const code = await new Promise((resolve) => replay.on('close', resolve))
process.exit(code ?? 1)
