// Trigger types with a Node provider and a Node binder, in every order of start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFor, freePort, needsOwnEngine, startEngine } from './engine.mjs'
import { Void, call, callable, connect, typeKnown, unique } from './sdks.mjs'
import { Inbox, eventually } from './wait.mjs'

function* permutations(list) {
  if (list.length < 2) yield list
  else
    for (const [i, head] of list.entries())
      for (const rest of permutations(list.toSpliced(i, 1))) yield [head, ...rest]
}

/** A provider that remembers its bindings and fires them by hand. */
function provide(t, sdk, url, type, verdict = () => {}) {
  const worker = connect(t, sdk, url)
  const bound = new Inbox()
  const unbound = new Inbox()
  worker.registerTriggerType(
    { id: type, description: 'fires when the test says so' },
    {
      registerTrigger: async (binding) => {
        bound.push(binding)
        verdict(binding)
      },
      unregisterTrigger: async ({ id }) => unbound.push(id),
    },
  )
  const fire = (binding, payload) => call(worker, binding.function_id, payload, { action: Void(), metadata: binding.metadata })
  return { worker, bound, unbound, fire }
}

/** A worker with a function that remembers what it was called with. */
function target(t, sdk, url, id, worker = connect(t, sdk, url)) {
  const seen = new Inbox()
  sdk.registerFunction(worker, id, async (input) => seen.push(input))
  return { worker, seen }
}

export function triggerSuite(sdk) {
  const v = sdk.version

  for (const order of permutations(['provider', 'binder', 'target']))
    test(`${v}: a binding works when the start order is ${order.join(', ')}`, async (t) => {
      const { url } = await engineFor(t)
      const [type, fn] = [unique('tick'), unique('on-tick')]
      const watcher = connect(t, sdk, url)
      const at = {}
      const step = {
        provider: async () => {
          at.provider = provide(t, sdk, url, type)
          await typeKnown(watcher, type)
        },
        binder: async () => {
          at.binder = connect(t, sdk, url)
          // Bound before the marker function of the same connection, so the marker shows that the engine has it.
          at.binder.registerTrigger({ type, function_id: fn, config: { every: 5 } })
          const marker = unique('bound')
          sdk.registerFunction(at.binder, marker, async () => {})
          await callable(watcher, marker)
        },
        target: async () => {
          at.target = target(t, sdk, url, fn)
          await callable(watcher, fn)
        },
      }
      for (const who of order) await step[who]()
      const binding = await at.provider.bound.next('the binding')
      assert.equal(binding.function_id, fn)
      assert.deepEqual(binding.config, { every: 5 })
      at.provider.fire(binding, { n: 1 })
      assert.equal((await at.target.seen.next('the event')).n, 1)
    })

  for (const order of permutations(['engine', 'provider', 'binder']))
    test(`${v}: a binding works when the start order is ${order.join(', ')}, the engine included`, { skip: needsOwnEngine }, async (t) => {
      const port = await freePort()
      const url = `ws://127.0.0.1:${port}`
      const [type, fn] = [unique('tick'), unique('on-tick')]
      const at = {}
      const step = {
        engine: async () => {
          at.engine = await startEngine({ port })
          t.after(() => at.engine.stop())
        },
        provider: () => (at.provider = provide(t, sdk, url, type)),
        binder: () => {
          at.target = target(t, sdk, url, fn)
          at.target.worker.registerTrigger({ type, function_id: fn, config: {} })
        },
      }
      for (const who of order) await step[who]()
      const binding = await at.provider.bound.next('the binding')
      await callable(at.provider.worker, fn)
      at.provider.fire(binding, { n: 2 })
      assert.equal((await at.target.seen.next('the event')).n, 2)
    })

  test(`${v}: a binding without config reaches the provider with an empty one`, async (t) => {
    const { url } = await engineFor(t)
    const [type, fn] = [unique('tick'), unique('on-tick')]
    const provider = provide(t, sdk, url, type)
    const binder = target(t, sdk, url, fn)
    binder.worker.registerTrigger({ type, function_id: fn })
    assert.ok((await provider.bound.next('the binding')).config == null)
  })

  test(`${v}: the provider leaving parks bindings, the next provider gets them`, async (t) => {
    const { url } = await engineFor(t)
    const [type, fn] = [unique('tick'), unique('on-tick')]
    const first = provide(t, sdk, url, type)
    const { worker, seen } = target(t, sdk, url, fn)
    worker.registerTrigger({ type, function_id: fn, config: { keep: true } })
    const before = await first.bound.next('the binding')
    await first.worker.shutdown()
    const rows = async () => (await call(worker, 'engine::registered-triggers::list', { trigger_type: type })).registered_triggers
    await eventually('parked bindings are in no list', async () => (await rows()).length === 0)
    const second = provide(t, sdk, url, type)
    const after = await second.bound.next('the binding again')
    assert.equal(after.id, before.id)
    assert.deepEqual(after.config, { keep: true })
    second.fire(after, { n: 3 })
    assert.equal((await seen.next('the event')).n, 3)
  })

  test(`${v}: a binding the provider refused is parked and offered to the next provider`, async (t) => {
    const { url } = await engineFor(t)
    const [type, fn] = [unique('picky'), unique('on-picky')]
    const noise = []
    t.mock.method(console, 'error', (...words) => noise.push(words.join(' ')))
    const first = provide(t, sdk, url, type, () => {
      throw new Error('not today')
    })
    const { worker } = target(t, sdk, url, fn)
    worker.registerTrigger({ type, function_id: fn, config: {} })
    const { id } = await first.bound.next('the binding')
    const info = () => call(worker, 'engine::registered-triggers::info', { id })
    await eventually('parked', () => info().then(() => false, (error) => error.code === 'NOT_FOUND'))
    if (sdk.version === '0.22.1')
      await eventually('the binder is told', () => noise.some((line) => line.includes('not today')))
    // A live provider keeps its type: the next one gets it, and the binding, when the first has left.
    const second = provide(t, sdk, url, type)
    await call(second.worker, 'engine::workers::list', {})
    await first.worker.shutdown()
    assert.equal((await second.bound.next('the binding again')).id, id)
  })

  test(`${v}: unbinding reaches the provider`, async (t) => {
    const { url } = await engineFor(t)
    const [type, fn] = [unique('tick'), unique('on-tick')]
    const provider = provide(t, sdk, url, type)
    const { worker } = target(t, sdk, url, fn)
    const ref = worker.registerTrigger({ type, function_id: fn, config: {} })
    const { id } = await provider.bound.next('the binding')
    ref.unregister()
    const info = () => call(worker, 'engine::registered-triggers::info', { id })
    await eventually('forgotten', () => info().then(() => false, (error) => error.code === 'NOT_FOUND'))
    if (sdk.tellsProviderOfUnbind) assert.equal(await provider.unbound.next('the unbinding'), id)
  })

  test(`${v}: the binder leaving unbinds`, async (t) => {
    const { url } = await engineFor(t)
    const [type, fn] = [unique('tick'), unique('on-tick')]
    const provider = provide(t, sdk, url, type)
    const { worker } = target(t, sdk, url, fn)
    worker.registerTrigger({ type, function_id: fn, config: {} })
    const { id } = await provider.bound.next('the binding')
    await worker.shutdown()
    const rows = () => call(provider.worker, 'engine::registered-triggers::list', { trigger_type: type })
    await eventually('no binding left', async () => (await rows()).registered_triggers.length === 0)
    if (sdk.tellsProviderOfUnbind) assert.equal(await provider.unbound.next('the unbinding'), id)
  })

  test(`${v}: bindings survive a killed engine`, { skip: needsOwnEngine }, async (t) => {
    let engine = await startEngine()
    t.after(() => engine.stop())
    const [type, fn] = [unique('tick'), unique('on-tick')]
    const provider = provide(t, sdk, engine.url, type)
    const { worker, seen } = target(t, sdk, engine.url, fn)
    worker.registerTrigger({ type, function_id: fn, config: {} })
    await provider.bound.next('the binding')
    await engine.crash()
    engine = await engine.again()
    const binding = await provider.bound.next('the binding on the new engine')
    await callable(provider.worker, fn)
    provider.fire(binding, { n: 4 })
    assert.equal((await seen.next('the event')).n, 4)
  })

  test(`${v}: state changes fire a state trigger`, async (t) => {
    const { url } = await engineFor(t)
    const [scope, fn] = [unique('scope'), unique('on-state')]
    const { worker, seen } = target(t, sdk, url, fn)
    worker.registerTrigger({ type: 'state', function_id: fn, config: { scope } })
    await eventually('bound', async () => {
      const { registered_triggers: rows } = await call(worker, 'engine::registered-triggers::list', { function_id: fn })
      return rows.length === 1
    })
    await call(worker, 'state::set', { scope, key: 'k', value: 1 })
    await call(worker, 'state::set', { scope, key: 'k', value: 2 })
    await call(worker, 'state::delete', { scope, key: 'k' })
    const events = [await seen.next('created'), await seen.next('updated'), await seen.next('deleted')]
    assert.deepEqual(events.map((e) => [e.event_type, e.old_value, e.new_value]), [
      ['state:created', null, 1], ['state:updated', 1, 2], ['state:deleted', 2, null],
    ])
  })

  test(`${v}: engine::workers-available tells of workers that come and go`, async (t) => {
    const { url } = await engineFor(t)
    const fn = unique('on-worker')
    const { worker, seen } = target(t, sdk, url, fn)
    worker.registerTrigger({ type: 'engine::workers-available', function_id: fn, config: {} })
    await eventually('bound', async () => {
      const { registered_triggers: rows } = await call(worker, 'engine::registered-triggers::list', { function_id: fn })
      return rows.length === 1
    })
    const other = connect(t, sdk, url)
    const workerId = await eventually('the other worker has its id', () => other.workerId)
    await seen.until((all) => all.some((e) => e.event === 'worker_metadata_updated' && e.worker_id === workerId), 'its announce')
    await other.shutdown()
    await seen.until((all) => all.some((e) => e.event === 'worker_disconnected' && e.worker_id === workerId), 'its end')
    assert.ok(seen.items.some((e) => e.event === 'worker_connected' && e.worker_id === workerId))
  })
}
