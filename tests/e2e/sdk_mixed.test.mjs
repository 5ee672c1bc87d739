// Workers of different SDK generations on one engine, and the telemetry socket that the newest one opens.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFor, needsOwnEngine } from './lib/engine.mjs'
import { Void, call, callable, connect, failure, sdks, unique } from './lib/sdks.mjs'
import { Inbox } from './lib/wait.mjs'

const versions = Object.values(sdks)

test('workers of every SDK version call workers of every other', async (t) => {
  const { url } = await engineFor(t)
  const workers = versions.map((sdk) => {
    const worker = connect(t, sdk, url)
    const id = unique(`from-${sdk.version}`)
    sdk.registerFunction(worker, id, async ({ n }) => ({ sdk: sdk.version, n: n + 1 }))
    return { sdk, worker, id }
  })
  await callable(workers[0].worker, ...workers.map((w) => w.id))
  for (const { worker } of workers)
    for (const { sdk, id } of workers) assert.deepEqual(await call(worker, id, { n: 1 }), { sdk: sdk.version, n: 2 })
})

test('a provider of one version serves binders of the others', async (t) => {
  const { url } = await engineFor(t)
  for (const provider of versions) {
    const type = unique('mixed')
    const worker = connect(t, provider, url)
    const bound = new Inbox()
    worker.registerTriggerType({ id: type, description: 'mixed' }, { registerTrigger: async (b) => bound.push(b), unregisterTrigger: async () => {} })
    for (const binder of versions) {
      const other = connect(t, binder, url)
      const fn = unique('on-mixed')
      const seen = new Inbox()
      binder.registerFunction(other, fn, async ({ n }) => seen.push(n))
      other.registerTrigger({ type, function_id: fn, config: { from: binder.version } })
      const binding = await bound.next(`a binding of ${binder.version} at ${provider.version}`)
      assert.deepEqual(binding.config, { from: binder.version })
      await callable(worker, fn)
      call(worker, fn, { n: 7 }, { action: Void() })
      assert.equal(await seen.next('the event'), 7)
    }
  }
})

test('the second live owner of a function id is refused and both stay connected', async (t) => {
  const { url } = await engineFor(t)
  const sdk = sdks['0.22.1']
  const [first, second, caller] = [connect(t, sdk, url), connect(t, sdk, url), connect(t, sdk, url)]
  const [id, marker] = [unique('mine'), unique('marker')]
  sdk.registerFunction(first, id, async () => 'first')
  await callable(caller, id)
  sdk.registerFunction(second, id, async () => 'second')
  sdk.registerFunction(second, marker, async () => 'still connected')
  await callable(caller, marker)
  assert.equal(await call(caller, id, {}), 'first')
  assert.equal(await call(caller, marker, {}), 'still connected')
})

// The public engine lets a worker replace a built-in; ours does not.
test('ids of the engine itself cannot be taken over', { skip: needsOwnEngine }, async (t) => {
  const { url } = await engineFor(t)
  const sdk = sdks['0.22.1']
  const [thief, caller] = [connect(t, sdk, url), connect(t, sdk, url)]
  const marker = unique('marker')
  sdk.registerFunction(thief, 'engine::functions::list', async () => 'stolen')
  sdk.registerFunction(thief, marker, async () => {})
  await callable(caller, marker)
  assert.ok(Array.isArray((await call(caller, 'engine::functions::list', {})).functions))
})

test('listings name workers, functions with their schemas, and trigger types', async (t) => {
  const { url } = await engineFor(t)
  const sdk = sdks['0.22.1']
  const name = unique('described')
  const worker = connect(t, sdk, url, { workerName: name, workerDescription: 'tells about itself' })
  const id = unique('described')
  const request_format = { type: 'object', properties: { n: { type: 'number' } } }
  sdk.registerFunction(worker, id, async () => {}, { description: 'does little', request_format, metadata: { team: 'blue' } })
  await callable(worker, id)
  const info = await call(worker, 'engine::functions::info', { function_id: id })
  assert.deepEqual(
    [info.function_id, info.worker_name, info.description, info.request_schema, info.metadata],
    [id, name, 'does little', request_format, { team: 'blue' }],
  )
  const { functions } = await call(worker, 'engine::functions::list', { prefix: id })
  assert.deepEqual(functions.map((row) => row.function_id), [id])
  const { worker: row } = await call(worker, 'engine::workers::info', { name })
  assert.deepEqual([row.name, row.description, row.runtime, row.pid], [name, 'tells about itself', 'node', process.pid])
  assert.equal((await failure(call(worker, 'engine::functions::info', { function_id: unique('none') }))).code, 'NOT_FOUND')
})

test('telemetry on: the worker opens /otel beside its own socket, calls carry a trace, shutdown is clean', async (t) => {
  const { url } = await engineFor(t)
  const sdk = sdks['0.22.1']
  const noise = []
  t.mock.method(console, 'error', (...words) => noise.push(words.join(' ')))
  const worker = connect(t, sdk, url, { otel: { enabled: true } })
  const [outer, inner] = [unique('outer'), unique('inner')]
  sdk.registerFunction(worker, inner, async () => 'inner')
  sdk.registerFunction(worker, outer, async () => call(worker, inner, {}))
  await callable(worker, outer, inner)
  assert.equal(await call(worker, outer, {}), 'inner')
  await worker.shutdown()
  assert.deepEqual(noise, [], 'the telemetry socket was accepted')
})
