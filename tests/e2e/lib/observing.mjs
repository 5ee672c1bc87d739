// Workers that observe, of each SDK that can: Python, Rust and C++ (tests/drivers). They
// take the same commands, so that one test runs with each of them and with several at once.
import { fileURLToPath } from 'node:url'
import { built, start } from './process.mjs'
import { pythonWithPackages } from './python.mjs'
import { rustWorker, withoutRust } from './rust.mjs'
import { call, callable, unique } from './sdks.mjs'
import { eventually } from './wait.mjs'

const script = fileURLToPath(new URL('../../drivers/observer_worker.py', import.meta.url))

/** Options of `source`: `withArgs(schema)` for a function that takes args, `closed` for one that nobody may observe, `withHooks` for one with hooks. */
export const python = {
  name: 'PyPI 0.25.0',
  skip: false,
  command: async () => [await pythonWithPackages(), script],
  withArgs: (args_format) => ({ owner: true, observe: { delivery: 'owner', args_format } }),
  closed: { observe: { allow: false } },
  withHooks: { observe: {} },
}

let program
export const rust = {
  name: 'crates 0.26.0-rc.4',
  skip: withoutRust,
  command: async () => [await (program ??= rustWorker())],
  withArgs: (args_format) => ({ args_format, match: true }),
  closed: { observable: false },
}

export const cpp = { name: 'C++', skip: false, command: async () => [built('tests', 'drivers', 'observer_worker')] }

export async function launch(t, kind, url, name = unique('w').replaceAll('::', '-')) {
  const [path, ...args] = await kind.command()
  const proc = start(path, [...args, url, name], { env: { III_URL: '', III_TOKEN: '', III_NAMESPACE: '', III_WORKER_NAME: '', OTEL_ENABLED: 'false' } })
  t.after(() => proc.kill('SIGKILL'))
  await proc.printed('stdout', /ready/)
  return { name, proc }
}

/** A worker of that kind that is told what to do through `node`, a worker of npm 0.22.1. */
export async function observingWorker(t, kind, node, url, name) {
  const worker = await launch(t, kind, url, name)
  const command = `${worker.name}::do`
  await callable(node, command)
  const ask = (op, given = {}, options) => call(node, command, { op, ...given }, options)
  return {
    ...worker,
    ask,
    observe: (id, source, target, options) => ask('observe', { id, source, target, options }),
    until: (id, state, code = null) =>
      eventually(`${id} ${state} ${code} (${worker.proc.out.stderr})`, async () => {
        const now = await ask('state', { id }, { timeoutMs: 2000 })
        return now[0] === state && now[1] === code && now
      }),
    fires: (function_id, count) =>
      eventually(`${count} activations of ${function_id}`, async () => {
        const seen = await ask('seen', { function_id })
        return seen.length >= count && seen
      }),
  }
}
