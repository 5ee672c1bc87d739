// The directory as a worker of its own on the engine of a test, with folders and settings of its own.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { engineFor, tempDir } from './engine.mjs'
import { directoryBin, start } from './process.mjs'
import { call, callable, connect, gone, sdks } from './sdks.mjs'
import { eventually } from './wait.mjs'

export function put(root, name, text) {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
}

/** As `put`, but in one step: nobody sees an empty file first, so the directory has exactly one generation more. */
export function putAtomically(root, name, text) {
  const scratch = join(tempDir(), 'new')
  writeFileSync(scratch, text)
  mkdirSync(dirname(join(root, name)), { recursive: true })
  renameSync(scratch, join(root, name))
}

export function tree(files) {
  const root = tempDir()
  for (const [name, text] of Object.entries(files)) put(root, name, text)
  return root
}

const yaml = (settings) =>
  Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')

/** Settings in a file, for the worker and for the verbs alike. */
export function configFile(settings) {
  const file = join(tempDir(), 'config.yaml')
  writeFileSync(file, yaml(settings))
  return file
}

/** `config` may override every setting; `root` is the skills folder. */
export async function startDirectory(t, { files = {}, config = {}, env = {}, engine } = {}) {
  const { url } = engine ?? (await engineFor(t, { args: ['--engine-only', '--no-worker-manager'] }))
  const root = config.skills_folder ?? tree(files)
  const settings = {
    skills_folder: root,
    local_skills_folder: join(tempDir(), 'no-local'),
    filter_unregistered: false,
    auto_download: false,
    builtin_docs: false,
    registry_url: 'http://127.0.0.1:1',
    ...config,
  }
  const file = configFile(settings)
  const boot = () => {
    const proc = start(directoryBin, ['--url', url, '--config', file], { env: { III_URL: '', III_TOKEN: '', HOME: tempDir(), ...env } })
    t.after(() => proc.stop())
    return proc
  }
  const node = connect(t, sdks['0.22.1'], url)
  const proc = boot()
  await callable(node, 'directory::health', 'directory::engine::functions::info')
  // The functions of earlier versions come after these. A directory says its name when it has registered all of them, and registers the
  // trigger types of earlier versions when that is answered, which is before it reads this call.
  await eventually('the directory is announced', async () => {
    const { worker_name } = await call(node, 'engine::functions::info', { function_id: 'directory::health' }, { timeoutMs: 5000 })
    return worker_name === 'iii-directory'
  })
  await call(node, 'directory::health', {})
  /** For a test that starts another one: on a given engine (III_E2E_URL) both would have one name. */
  const end = async () => {
    await proc.stop()
    await gone(node, 'directory::health')
  }
  return { url, root, file, proc, node, boot, end, ask: (id, input = {}) => call(node, id, input) }
}
