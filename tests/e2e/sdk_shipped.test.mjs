// Tests that the SDKs ship and that run against an engine, unchanged: those of functions that this engine has. Others want daemons that are
// not part of it (HTTP routes, streams, pub/sub, roles). The npm packages ship no tests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { shippedTests, withoutRust } from './lib/rust.mjs'
import { pythonTests, rustTests } from './lib/shipped.mjs'

const failed = (verdicts) => Object.keys(verdicts).filter((name) => verdicts[name] !== 'PASSED')

/** The tests of local dispatch want an engine that permits it. */
async function engine(t) {
  const running = await startEngine({ args: ['--engine-only', '--local-dispatch'] })
  t.after(() => running.stop())
  return running.url
}

test('PyPI 0.25.0: observers, calls, channels, state, trigger types', { skip: needsOwnEngine }, async (t) => {
  const verdicts = await pythonTests(await engine(t), [
    'test_observe_e2e_routed',
    'test_observe_e2e_local',
    'test_bridge',
    'test_data_channels',
    'test_state',
    'test_trigger_type_lifecycle',
    'test_context_propagation',
  ])
  assert.deepEqual(failed(verdicts), [])
  assert.ok(Object.keys(verdicts).length >= 43, `${Object.keys(verdicts).length} tests ran`)
})

test('crates 0.26.0-rc.4: observers, calls, reattach', { skip: needsOwnEngine || withoutRust }, async (t) => {
  const url = await engine(t)
  const names = ['bridge', 'observe_engine', 'reattach']
  const programs = await shippedTests(names)
  let count = 0
  for (const name of names) {
    const verdicts = await rustTests(url, programs[name])
    assert.deepEqual(failed(verdicts), [], name)
    count += Object.keys(verdicts).length
  }
  assert.ok(count >= 29, `${count} tests ran`)
})
