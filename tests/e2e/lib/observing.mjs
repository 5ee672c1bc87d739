// Workers of the PyPI SDK that observe (observer_worker.py), for tests.
import { fileURLToPath } from 'node:url'
import { start } from './process.mjs'
import { pythonWithPackages } from './python.mjs'
import { call, callable, unique } from './sdks.mjs'
import { eventually } from './wait.mjs'

const program = fileURLToPath(new URL('observer_worker.py', import.meta.url))

/** A Python worker that is told what to do through `node`, a worker of npm 0.22.1. */
export async function observingWorker(t, node, url, name = unique('py').replaceAll('::', '-')) {
  const proc = start(await pythonWithPackages(), [program, url, name], { env: { III_URL: '', OTEL_ENABLED: 'false' } })
  t.after(() => proc.kill('SIGKILL'))
  await proc.printed('stdout', /ready/)
  await callable(node, `${name}::do`)
  const ask = (op, given = {}) => call(node, `${name}::do`, { op, ...given })
  return {
    name,
    proc,
    ask,
    observe: (id, source, target, options) => ask('observe', { id, source, target, options }),
    until: (id, state, code = null) =>
      eventually(`${id} ${state} (${proc.out.stderr})`, async () => {
        const now = await ask('state', { id })
        return now[0] === state && now[1] === code && now
      }),
    fires: (function_id, count) =>
      eventually(`${count} activations of ${function_id}`, async () => {
        const seen = await ask('seen', { function_id })
        return seen.length >= count && seen
      }),
  }
}
