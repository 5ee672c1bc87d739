// Replays what the published skills worker (0.1.4, as 0.1.5) answered against ours, on engines of ours. The folders are empty and
// the compiled-in documents off, so that what workers register is all there is.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { tempDir } from '../../e2e/lib/engine.mjs'

const at = (name) => fileURLToPath(new URL(name, import.meta.url))
const bin = process.env.III_DIRECTORY_BIN

const nowhere = tempDir()
const replay = spawn(
  process.execPath,
  [
    at('replay.mjs'), '--worker', `'${bin}' --config {config} --url {url}`, '--allow', at('../skills-deviations.json'), '--max', '400', ...process.argv.slice(2),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env, HOME: nowhere, III_URL: '', III_TOKEN: '', III_DIRECTORY_SKILLS_FOLDER: `${nowhere}/skills`,
      III_DIRECTORY_LOCAL_SKILLS_FOLDER: `${nowhere}/local`, III_DIRECTORY_BUILTIN_DOCS: 'false', III_DIRECTORY_AUTO_DOWNLOAD: 'false',
      // Only what a call asks of state is compared, not what the directory's own lists ask.
      III_DIRECTORY_REGISTERED_DOCUMENTS: 'false',
    },
  },
)
const code = await new Promise((resolve) => replay.on('close', resolve))
process.exit(code ?? 1)
