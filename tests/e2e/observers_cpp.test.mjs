// Observers with the C++ SDK, beside workers of npm 0.22.1 on one engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs, observerSuite, scene } from './lib/observer_suite.mjs'
import { cpp } from './lib/observing.mjs'
import { unique } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

observerSuite(cpp)

test('hooks of a C++ host: it hears of observers that come and go, and may refuse them', { skip: needs(cpp) }, async (t) => {
  const { worker } = await scene(t, cpp)
  const [host, watcher] = [await worker(), await worker()]
  const [open, strict, dst] = ['open', 'strict', 'dst'].map(unique)
  await host.ask('source', { function_id: open })
  await host.ask('source', { function_id: strict, refuse: true })
  await watcher.ask('target', { function_id: dst })
  await watcher.observe('welcome', { function_id: open }, dst)
  await watcher.until('welcome', 'active')
  await watcher.observe('refused', { function_id: strict }, dst)
  await watcher.until('refused', 'error', 'TOPIC_FORBIDDEN')
  await watcher.ask('dispose', { id: 'welcome' })
  await eventually('the removed hook', async () => (await host.ask('hooks')).length === 3)
  assert.deepEqual(await host.ask('hooks'), [['added', 'welcome', {}], ['added', 'refused', {}], ['removed', 'welcome']])
})
