// Starts an engine of ours on a port of its own, runs the probe against the recorded answers of the public engine,
// stops the engine. Exit code: the probe's, or 1 when the engine did not stop cleanly.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startEngine } from '../e2e/lib/engine.mjs'

const at = (name) => fileURLToPath(new URL(name, import.meta.url))

const engine = await startEngine({ args: ['--engine-only'] })
const probe = spawn(
  process.execPath,
  [
    at('engine-probe.mjs'), '--url', engine.url, '--diff', at('expected/engine-0.23.0-rc.4'), '--no-telemetry',
    '--allow', at('deviations.json'), '--slow', '--destructive', ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
)
const code = await new Promise((resolve) => probe.on('close', resolve))
try {
  await engine.stop()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
process.exit(code ?? 1)
