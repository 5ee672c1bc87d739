// Observers with the PyPI SDK, beside workers of npm 0.22.1 on one engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs, observerSuite, scene } from './lib/observer_suite.mjs'
import { python } from './lib/observing.mjs'
import { call, unique } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

observerSuite(python)

test('a host that delivers itself: hooks, emit, filters in the SDK', { skip: needs(python) }, async (t) => {
  const { node, worker } = await scene(t, python)
  const [host, watcher] = [await worker(), await worker()]
  const [topics, dst] = ['topics', 'dst'].map(unique)
  const args_format = { type: 'object', properties: { topic: { type: 'string' } } }
  await host.ask('source', { function_id: topics, ...python.withArgs(args_format) })
  await watcher.ask('target', { function_id: dst })
  await watcher.observe('o', { function_id: topics, args: { topic: 'a' }, filters: { 'input.n': { $gt: 1 } }, deliver: 'input' }, dst)
  await watcher.until('o', 'active')
  assert.deepEqual(await host.ask('hooks'), [['added', 'o', { topic: 'a' }]])
  await call(node, topics, { n: 1 })
  await call(node, topics, { n: 2 })
  assert.deepEqual((await watcher.fires(dst, 1)).map((one) => one.data), [{ n: 2 }])
  await watcher.ask('dispose', { id: 'o' })
  await eventually('the removed hook', async () => (await host.ask('hooks')).length === 2)
})
