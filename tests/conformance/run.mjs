// Runs the probe against the recorded answers of the public engine, on engines of ours.
import { fileURLToPath } from 'node:url'

const at = (name) => fileURLToPath(new URL(name, import.meta.url))

process.argv.splice(2, 0, '--diff', at('expected/engine-0.23.0-rc.4'), '--no-telemetry', '--allow', at('deviations.json'), '--slow', '--destructive')
await import('./engine-probe.mjs')
