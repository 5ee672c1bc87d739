// Observers with the crate (observe.v2), beside workers of npm 0.22.1 on one engine. Left out where Cargo is not installed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs, observerSuite, scene } from './lib/observer_suite.mjs'
import { rust } from './lib/observing.mjs'
import { call, failure, unique } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const options = { skip: needs(rust) }
const topic = { type: 'object', properties: { topic: { type: 'string' } } }

observerSuite(rust)

test('a match hook says which observers want a call; the engine evaluates their filters', options, async (t) => {
  const { node, worker } = await scene(t, rust)
  const [host, watcher] = [await worker(), await worker()]
  const [topics, a, b] = ['topics', 'a', 'b'].map(unique)
  await host.ask('source', { function_id: topics, ...rust.withArgs(topic) })
  for (const function_id of [a, b]) await watcher.ask('target', { function_id })
  await watcher.observe('a', { function_id: topics, args: { topic: 'a' }, deliver: 'input' }, a)
  await watcher.observe('b', { function_id: topics, args: { topic: 'b' }, filters: { 'input.n': { $gt: 1 } }, deliver: 'input' }, b)
  for (const id of ['a', 'b']) await watcher.until(id, 'active')
  const hooks = await host.ask('hooks')
  assert.deepEqual(hooks.sort(), [['added', 'a', { topic: 'a' }], ['added', 'b', { topic: 'b' }]])
  for (const event of [{ topic: 'a', n: 1 }, { topic: 'b', n: 1 }, { topic: 'c', n: 5 }, { topic: 'b', n: 2 }]) assert.deepEqual(await call(node, topics, event), event)
  assert.deepEqual((await watcher.fires(b, 1)).map((one) => one.data), [{ topic: 'b', n: 2 }])
  assert.deepEqual((await watcher.fires(a, 1)).map((one) => one.data), [{ topic: 'a', n: 1 }])
  await watcher.ask('dispose', { id: 'a' })
  await eventually('the removed hook', async () => (await host.ask('hooks')).some(([what, id]) => what === 'removed' && id === 'a'))
})

test('a deliver hook calls through the observer, and its caller gets the answer of the target', options, async (t) => {
  const { node, worker } = await scene(t, rust)
  const [host, watcher] = [await worker(), await worker()]
  const [requests, dst] = ['requests', 'dst'].map(unique)
  await host.ask('source', { function_id: requests, deliver: true })
  await watcher.ask('target', { function_id: dst })
  await eventually('a function that needs observe.v2', async () => (await call(node, requests, { n: 0 })) === 'nobody')
  await watcher.observe('route', { function_id: requests }, dst, { metadata: { route: 1 } })
  await watcher.until('route', 'active')
  assert.equal((await call(node, requests, { n: 1 })).handled.n, 1)
  const seen = await watcher.fires(dst, 1)
  assert.equal(seen.length, 1, 'delivered by the host, and not by the engine as well')
  assert.deepEqual(seen[0].metadata, { route: 1 })
  assert.equal((await call(node, 'engine::observers::get', { id: 'route' })).fires, 1)
})

test('a private function is called by its own worker only, and observed by any', options, async (t) => {
  const { node, worker } = await scene(t, rust)
  const [host, watcher] = [await worker(), await worker()]
  const [events, dst] = ['events', 'dst'].map(unique)
  await host.ask('source', { function_id: events, private: true })
  await watcher.ask('target', { function_id: dst })
  await watcher.observe('o', { function_id: events, deliver: 'output' }, dst)
  await watcher.until('o', 'active')
  assert.equal((await failure(call(node, events, { forged: true }))).code, 'FORBIDDEN')
  await host.ask('call', { function_id: events, payload: { n: 1 } })
  assert.deepEqual((await watcher.fires(dst, 1)).map((one) => one.data), [{ n: 1 }])
  await watcher.observe('back', { function_id: dst }, events)
  await watcher.until('back', 'error', 'FORBIDDEN')
})
