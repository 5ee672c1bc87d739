// Everything the C++ SDK can do, against the engine and against Node workers: tests/drivers/sdk_driver.cpp as a process.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { engineFor, freePort, needsOwnEngine, startEngine } from './lib/engine.mjs'
import { built, start } from './lib/process.mjs'
import { startProxy } from './lib/proxy.mjs'
import { RawPeer } from './lib/raw.mjs'
import { Void, call, callable, connect, failure, gone, sdks, typeKnown, unique } from './lib/sdks.mjs'
import { Inbox, eventually, within } from './lib/wait.mjs'

const sdk = sdks['0.22.1']
const type = 'driver::tick'

function launch(t, url, env = {}) {
  const proc = start(built('tests', 'drivers', 'sdk_driver'), [], { env: { III_URL: url, III_WORKER_NAME: '', III_TOKEN: '', III_NAMESPACE: '', ...env } })
  t.after(() => proc.stop())
  return proc
}

async function driven(t, env) {
  const engine = await engineFor(t)
  const driver = launch(t, engine.url, env)
  const node = connect(t, sdk, engine.url)
  await callable(node, 'driver::echo')
  return { engine, url: engine.url, driver, node }
}

test('Node calls C++: typed input, results, own error codes, exceptions', async (t) => {
  const { node } = await driven(t)
  assert.deepEqual(await call(node, 'driver::add', { a: 2, b: 40 }), { sum: 42 })
  for (const value of [[1, null], 'ü😀', 0, false, '']) assert.deepEqual(await call(node, 'driver::echo', value), value)
  assert.ok((await call(node, 'driver::nothing', {})) == null)
  const own = await failure(call(node, 'driver::fail', { code: 'OUT_OF_TEA', message: 'no tea left' }))
  assert.deepEqual([own.code, own.message], ['OUT_OF_TEA', 'OUT_OF_TEA: no tea left'])
  const thrown = await failure(call(node, 'driver::throw', {}))
  assert.equal(thrown.code, 'invocation_failed')
  assert.match(thrown.message, /thrown on request/)
  const wrong = await failure(call(node, 'driver::add', { a: 'two' }))
  assert.match(wrong.message, /a|b/)
})

test('C++ calls Node: result, error, timeout, unknown function', async (t) => {
  const { node } = await driven(t)
  const [ok, bad, never] = [unique('ok'), unique('bad'), unique('never')]
  sdk.registerFunction(node, ok, async ({ n }) => n * 2)
  sdk.registerFunction(node, bad, async () => {
    throw new Error('Node says no')
  })
  sdk.registerFunction(node, never, () => new Promise(() => {}))
  await callable(node, ok, bad, never)
  const through = (function_id, rest = {}) => call(node, 'driver::call', { function_id, payload: { n: 21 }, ...rest })
  assert.deepEqual(await through(ok), { result: 42 })
  const refused = (await through(bad)).error
  assert.equal(refused.code, 'invocation_failed')
  assert.match(refused.message, /Node says no/)
  assert.equal((await through(never, { timeout_ms: 50 })).error.code, 'TIMEOUT')
  assert.equal((await through(unique('missing'))).error.code, 'function_not_found')
  assert.equal((await through(ok, { namespace: 'nowhere' })).error.code, 'function_not_found')
})

test('C++ sends void calls, and enqueue says that there is no queue', { skip: needsOwnEngine }, async (t) => {
  const { node } = await driven(t)
  const id = unique('sink')
  const seen = new Inbox()
  sdk.registerFunction(node, id, async ({ n }) => seen.push(n))
  await callable(node, id)
  assert.equal(await call(node, 'driver::void', { function_id: id, payload: { n: 5 } }), 'sent')
  assert.equal(await seen.next('the void call'), 5)
  const { error } = await call(node, 'driver::enqueue', { function_id: id, payload: {} })
  assert.equal(error.code, 'enqueue_error')
})

test('a void call reaches a C++ handler that sees nobody waits', async (t) => {
  const { node } = await driven(t)
  assert.equal((await call(node, 'driver::caller', {})).answerable, true)
  assert.equal(await call(node, 'driver::caller', {}, { action: Void() }), undefined)
})

test('C++ sees caller, metadata and trace of a call', async (t) => {
  const { url } = await driven(t)
  const peer = await RawPeer.open(url, { name: unique('raw') })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { result, ...rest } = await peer.call('driver::caller', {}, { metadata: { tenant: 'blue' }, traceparent, baggage: 'a=1' })
  assert.equal(result.caller, peer.workerId)
  assert.deepEqual(result.metadata, { tenant: 'blue' })
  assert.equal(result.traceparent, traceparent)
  assert.match(result.baggage, /a=1/)
  assert.deepEqual([rest.traceparent, rest.baggage], [traceparent, 'a=1'], 'the answer echoes what the caller sent')
  await peer.end()
})

test('64 calls at once from C++, 64 at once to C++', async (t) => {
  const { node } = await driven(t)
  assert.equal((await call(node, 'driver::many', {})).sum, 64)
  const sums = await Promise.all(Array.from({ length: 64 }, (_, n) => call(node, 'driver::add', { a: n, b: n })))
  assert.deepEqual(sums, Array.from({ length: 64 }, (_, n) => ({ sum: 2 * n })))
})

test('blocking work does not hold up the worker', async (t) => {
  const { node } = await driven(t)
  let done = false
  const slow = call(node, 'driver::slow', { ms: 2000, blocking: true }).finally(() => (done = true))
  assert.deepEqual(await call(node, 'driver::add', { a: 1, b: 1 }), { sum: 2 })
  assert.equal(done, false, 'answered while the slow call is still at work')
  assert.equal(await slow, 'done')
})

test('a C++ function can be withdrawn', async (t) => {
  const { node } = await driven(t)
  await call(node, 'driver::unregister', { id: 'driver::add' })
  await gone(node, 'driver::add')
  assert.equal((await failure(call(node, 'driver::add', { a: 1, b: 1 }))).code, 'function_not_found')
})

for (const order of ['provider first', 'binder first'])
  test(`C++ provider, Node binder, ${order}`, async (t) => {
    const { url } = await engineFor(t)
    const fn = unique('on-tick')
    const node = connect(t, sdk, url)
    const bind = () => {
      sdk.registerFunction(node, fn, async ({ n }) => ({ heard: n }))
      return node.registerTrigger({ type, function_id: fn, config: { label: 'node' }, metadata: { m: 1 } })
    }
    let ref
    if (order === 'binder first') {
      ref = bind()
      await callable(node, fn)
    }
    launch(t, url)
    await typeKnown(node, type)
    ref ??= bind()
    const row = await eventually('bound', async () => (await call(node, 'driver::bindings', {})).bindings.find((b) => b.function_id === fn))
    assert.deepEqual([row.label, row.metadata], ['node', { m: 1 }])
    await callable(node, fn)
    const { answers } = await call(node, 'driver::fire', { n: 3 })
    assert.deepEqual(answers, [{ id: row.id, result: { heard: 3 } }])
    ref.unregister()
    await eventually('unbound', async () => (await call(node, 'driver::bindings', {})).events.includes(`unbound ${row.id}`))
  })

test('a C++ provider refuses a binding, and the binder hears why', async (t) => {
  const { url } = await driven(t)
  const binder = await RawPeer.open(url, { name: unique('binder') })
  binder.send({ type: 'registertrigger', id: unique('t'), trigger_type: type, function_id: unique('f'), config: { refuse: true } })
  await binder.inbox.until((items) => items.some((f) => f.type === 'triggerregistrationresult'), 'the verdict')
  const verdict = binder.inbox.items.find((f) => f.type === 'triggerregistrationresult')
  assert.match(verdict.error.message, /refused on request/)
  await binder.end()
})

for (const order of ['provider first', 'binder first'])
  test(`Node provider, C++ binder, ${order}`, async (t) => {
    const { node } = await driven(t)
    const kind = unique('bell')
    const bound = new Inbox()
    const unbound = new Inbox()
    const provide = async () => {
      node.registerTriggerType({ id: kind, description: 'rings' }, { registerTrigger: async (b) => bound.push(b), unregisterTrigger: async ({ id }) => unbound.push(id) })
      await typeKnown(node, kind)
    }
    if (order === 'provider first') await provide()
    const { id } = await call(node, 'driver::bind', { trigger_type: kind, function_id: 'driver::echo', config: { loud: true } })
    if (order === 'binder first') await provide()
    const binding = await bound.next('the binding')
    assert.deepEqual([binding.id, binding.function_id, binding.config], [id, 'driver::echo', { loud: true }])
    await call(node, 'driver::unbind', { id })
    assert.equal(await unbound.next('the unbinding'), id)
  })

test('channels between Node and C++, both ways, and within C++', async (t) => {
  const { node } = await driven(t)
  const bytes = randomBytes(200_000)
  const up = await sdk.createChannel(node)
  const sum = call(node, 'driver::channel_sum', { reader: up.readerRef })
  up.writer.sendMessage('a note')
  up.writer.stream.end(bytes)
  assert.deepEqual(await within(sum, 'the sum'), { sum: bytes.reduce((s, x) => s + x, 0), bytes: bytes.length, texts: ['a note'] })

  const down = await sdk.createChannel(node)
  const texts = []
  down.reader.onMessage((text) => texts.push(text))
  const all = down.reader.readAll()
  assert.equal(await call(node, 'driver::channel_fill', { writer: down.writerRef, bytes: 300_000 }), 'filled')
  assert.equal((await within(all, 'the bytes')).length, 300_000)
  assert.deepEqual(texts, ['begin'])

  assert.deepEqual(await call(node, 'driver::channel_loop', { ms: 500_000 }), { bytes: 500_000 })
})

test('a C++ worker cut off from a living engine reattaches: its call in flight is failed, its id is free', async (t) => {
  const engine = await engineFor(t)
  const proxy = await startProxy(t, engine)
  launch(t, proxy.url)
  const node = connect(t, sdk, engine.url)
  await callable(node, 'driver::slow')
  const before = await call(node, 'engine::functions::info', { function_id: 'driver::slow' })
  const inFlight = failure(call(node, 'driver::slow', { ms: 60_000 }))
  assert.deepEqual(await call(node, 'driver::add', { a: 1, b: 1 }), { sum: 2 })
  proxy.cutWorkers()
  const error = await within(inFlight, 'the call in flight to be failed')
  assert.equal(error.code, 'invocation_stopped')
  await eventually('served again', async () => (await call(node, 'driver::add', { a: 1, b: 2 }, { timeoutMs: 2000 })).sum === 3)
  const after = await call(node, 'engine::functions::info', { function_id: 'driver::slow' })
  assert.equal(after.worker_name, before.worker_name)
})

test('bindings of C++ survive a killed engine, as provider and as binder', { skip: needsOwnEngine }, async (t) => {
  let engine = await startEngine()
  t.after(() => engine.stop())
  launch(t, engine.url)
  const node = connect(t, sdk, engine.url)
  const fn = unique('on-tick')
  sdk.registerFunction(node, fn, async () => 'heard')
  node.registerTrigger({ type, function_id: fn, config: {} })
  const kind = unique('bell')
  const bound = new Inbox()
  node.registerTriggerType({ id: kind, description: 'rings' }, { registerTrigger: async (b) => bound.push(b.id), unregisterTrigger: async () => {} })
  await callable(node, fn, 'driver::bind')
  const { id } = await call(node, 'driver::bind', { trigger_type: kind, function_id: 'driver::echo', config: {} })
  assert.equal(await bound.next('the binding'), id)
  await engine.crash()
  engine = await engine.again()
  assert.equal(await bound.next('the binding again'), id)
  await callable(node, fn, 'driver::fire')
  await eventually('fired', async () => (await call(node, 'driver::fire', {})).answers.some((a) => a.result === 'heard'))
})

test('a C++ worker presents III_TOKEN', { skip: needsOwnEngine }, async (t) => {
  const engine = await startEngine({ args: ['--token', 'sixteen-letters!'] })
  t.after(() => engine.stop())
  launch(t, engine.url, { III_TOKEN: 'sixteen-letters!' })
  const node = connect(t, sdk, engine.url, { headers: { authorization: 'Bearer sixteen-letters!' } })
  await callable(node, 'driver::add')
  assert.deepEqual(await call(node, 'driver::channel_loop', { ms: 1000 }), { bytes: 1000 }, 'on channel sockets too')
})

test('a worker name that is taken ends the second C++ worker for good', async (t) => {
  const { url, node } = await driven(t, { III_WORKER_NAME: unique('the-one') })
  const name = (await call(node, 'engine::functions::info', { function_id: 'driver::add' })).worker_name
  const second = launch(t, url, { III_WORKER_NAME: name })
  const end = await within(second.exit, 'the second worker to give up')
  assert.notEqual(end.code, 0)
  assert.ok(end.stderr.includes(name), end.stderr)
  assert.deepEqual(await call(node, 'driver::add', { a: 1, b: 1 }), { sum: 2 })
})

test('functions that another worker owns are refused, and the C++ worker goes on', async (t) => {
  const { url, node } = await driven(t)
  const second = launch(t, url, { III_WORKER_NAME: unique('second') })
  await second.printed('stderr', /driver::add/)
  assert.deepEqual(await call(node, 'driver::add', { a: 1, b: 1 }), { sum: 2 })
  assert.equal(second.child.exitCode, null, 'still running')
  assert.equal((await second.kill('SIGTERM')).code, 0)
})

test('III_NAMESPACE: the functions live there and nowhere else', async (t) => {
  const engine = await engineFor(t)
  launch(t, engine.url, { III_NAMESPACE: 'blue' })
  const peer = await RawPeer.open(engine.url)
  const add = (extra) => peer.call('driver::add', { a: 1, b: 1 }, extra)
  await eventually('registered', async () => (await add({ namespace: 'blue' })).result?.sum === 2)
  assert.equal((await add()).error.code, 'function_not_found')
  await peer.end()
})
