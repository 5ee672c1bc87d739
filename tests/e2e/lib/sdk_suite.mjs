// What every published SDK must be able to do on our engine: calls, void, errors, channels, reconnects.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { engineFor, freePort, needsOwnEngine, startEngine } from './engine.mjs'
import { startProxy } from './proxy.mjs'
import { Void, Enqueue, call, callable, connect, failure, gone, unique } from './sdks.mjs'
import { Inbox, deferred, eventually, within } from './wait.mjs'

export function callSuite(sdk) {
  const v = sdk.version
  const pair = async (t) => {
    const engine = await engineFor(t)
    return { engine, a: connect(t, sdk, engine.url), b: connect(t, sdk, engine.url) }
  }

  test(`${v}: two workers call each other`, async (t) => {
    const { a, b } = await pair(t)
    const [left, right] = [unique('left'), unique('right')]
    sdk.registerFunction(a, left, async ({ n }) => ({ from: 'a', n: n + 1 }))
    sdk.registerFunction(b, right, async ({ n }) => {
      const { from, n: m } = await call(b, left, { n })
      return { from, n: m * 10 }
    })
    await callable(a, left, right)
    assert.deepEqual(await call(b, left, { n: 1 }), { from: 'a', n: 2 })
    assert.deepEqual(await call(a, right, { n: 1 }), { from: 'a', n: 20 }, 'a calls b, which calls a back')
  })

  test(`${v}: every kind of payload and result arrives as it was sent`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('echo')
    sdk.registerFunction(b, id, async (input) => input)
    await callable(a, id)
    for (const value of [[1, { a: null }], [], 'text', '', 7, 0, 1.5, true, false, 'ü😀\u2028', 2 ** 53 - 1])
      assert.deepEqual(await call(a, id, value), value)
    assert.ok((await call(a, id, null)) == null, 'a null result has no value')
    const { _caller_worker_id: caller, ...rest } = await call(a, id, { z: 1, a: { nested: [] } })
    assert.deepEqual(rest, { z: 1, a: { nested: [] } })
    assert.match(caller, /^[0-9a-f-]{36}$/, 'object payloads name the calling connection')
    const forged = await call(a, id, { _caller_worker_id: 'somebody else' })
    assert.equal(forged._caller_worker_id, caller, 'a caller cannot pretend to be another')
  })

  test(`${v}: a call without payload is answered`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('nothing')
    sdk.registerFunction(b, id, async (input) => ({ input: input ?? null }))
    await callable(a, id)
    assert.deepEqual(await a.trigger({ function_id: id }), { input: null })
  })

  test(`${v}: a void call runs the handler and answers nobody`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('void')
    const seen = new Inbox()
    sdk.registerFunction(b, id, async (input) => seen.push(input))
    await callable(a, id)
    assert.equal(await call(a, id, { n: 1 }, { action: Void() }), undefined)
    assert.equal((await seen.next('the void call')).n, 1)
    assert.equal(await call(a, unique('nobody'), {}, { action: Void() }), undefined, 'also when nobody offers it')
  })

  test(`${v}: the caller's timeout ends a call that nobody answers; the late answer is ignored`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('slow')
    const release = deferred()
    sdk.registerFunction(b, id, async () => release.promise)
    await callable(a, id)
    const error = await failure(call(a, id, {}, { timeoutMs: 50 }))
    assert.ok(sdk.isTimeout(error), String(error))
    const waiting = call(a, id, {})
    release.resolve('done')
    assert.equal(await waiting, 'done', 'the connection goes on as before')
  })

  test(`${v}: a handler that throws fails the call with its message`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('throws')
    sdk.registerFunction(b, id, async () => {
      throw new Error('no such thing')
    })
    await callable(a, id)
    const error = await failure(call(a, id, {}))
    assert.equal(error.code, 'invocation_failed')
    assert.match(error.message, /no such thing/)
  })

  test(`${v}: a function nobody offers is function_not_found`, async (t) => {
    const { a } = await pair(t)
    const id = unique('missing')
    const error = await failure(call(a, id, {}))
    assert.equal(error.code, 'function_not_found')
    assert.ok(error.message.includes(id), error.message)
  })

  test(`${v}: an unregistered function is gone and its id is free`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('short-lived')
    const ref = sdk.registerFunction(b, id, async () => 'b')
    await callable(a, id)
    ref.unregister()
    await gone(a, id)
    assert.equal((await failure(call(a, id, {}))).code, 'function_not_found')
    sdk.registerFunction(a, id, async () => 'a')
    await callable(b, id)
    assert.equal(await call(b, id, {}), 'a')
  })

  test(`${v}: a call in flight survives the function being unregistered`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('leaving')
    const [entered, release] = [deferred(), deferred()]
    const ref = sdk.registerFunction(b, id, async () => {
      entered.resolve()
      return release.promise
    })
    await callable(a, id)
    const answer = call(a, id, {})
    await within(entered.promise, 'the call')
    ref.unregister()
    await gone(a, id)
    release.resolve('still here')
    assert.equal(await answer, 'still here')
  })

  test(`${v}: the worker leaving fails the calls it was executing`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('dies')
    const entered = deferred()
    sdk.registerFunction(b, id, () => {
      entered.resolve()
      return new Promise(() => {})
    })
    await callable(a, id)
    const answer = failure(call(a, id, {}))
    await within(entered.promise, 'the call')
    await b.shutdown()
    const error = await answer
    assert.equal(error.code, 'invocation_stopped')
    assert.match(error.message, /Invocation stopped/)
  })

  test(`${v}: 64 calls in flight at once, answered in reverse order`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('hold')
    const held = []
    const all = deferred()
    sdk.registerFunction(b, id, ({ n }) => {
      const d = deferred()
      held.push(() => d.resolve(n * n))
      if (held.length === 64) all.resolve()
      return d.promise
    })
    await callable(a, id)
    const answers = Promise.all(Array.from({ length: 64 }, (_, n) => call(a, id, { n })))
    await within(all.promise, '64 calls in flight')
    for (const release of held.reverse()) release()
    assert.deepEqual(await answers, Array.from({ length: 64 }, (_, n) => n * n))
  })

  test(`${v}: enqueue without a queue worker says what is missing`, { skip: needsOwnEngine }, async (t) => {
    const { a } = await pair(t)
    const error = await failure(call(a, unique('job'), {}, { action: Enqueue({ queue: 'q' }) }))
    assert.equal(error.code, 'enqueue_error')
    assert.match(error.message, /No queue provider is installed/)
  })

  test(`${v}: a large payload passes in both directions`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('large')
    sdk.registerFunction(b, id, async ({ text }) => ({ text }))
    await callable(a, id)
    const text = 'x'.repeat(4 * 1024 * 1024)
    assert.equal((await call(a, id, { text })).text.length, text.length)
  })

  test(`${v}: metadata travels beside the payload (SDKs that know it)`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('metadata')
    sdk.registerFunction(b, id, async (_input, metadata) => ({ metadata: metadata ?? null }))
    await callable(a, id)
    const { metadata } = await call(a, id, {}, { metadata: { tenant: 'blue' } })
    assert.deepEqual(metadata, sdk.passesMetadata ? { tenant: 'blue' } : null)
  })

  test(`${v}: state is shared between workers`, async (t) => {
    const { a, b } = await pair(t)
    const scope = unique('scope')
    assert.deepEqual(await call(a, 'state::set', { scope, key: 'k', value: { n: 1 } }), { old_value: null, new_value: { n: 1 } })
    assert.deepEqual(await call(b, 'state::get', { scope, key: 'k' }), { n: 1 })
    assert.deepEqual(await call(b, 'state::list', { scope }), [{ n: 1 }])
    assert.deepEqual(await call(a, 'state::delete', { scope, key: 'k' }), { n: 1 })
    assert.ok((await call(b, 'state::get', { scope, key: 'k' })) == null)
  })

  test(`${v}: a channel carries text and bytes in order`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('consume')
    sdk.registerFunction(b, id, async ({ reader }) => {
      const texts = []
      reader.onMessage((text) => texts.push(text))
      const bytes = await reader.readAll()
      return { texts, bytes: bytes.length, sum: bytes.reduce((s, x) => (s + x) % 65521, 0) }
    })
    await callable(a, id)
    const { writer, readerRef } = await sdk.createChannel(a)
    const answer = call(a, id, { reader: readerRef })
    const bytes = randomBytes(300_000)
    writer.sendMessage('first')
    writer.sendMessage('second')
    await new Promise((resolve, reject) => writer.stream.write(bytes, (error) => (error ? reject(error) : resolve())))
    writer.stream.end()
    const { texts, bytes: got, sum } = await within(answer, 'the reader')
    assert.deepEqual(texts, ['first', 'second'])
    assert.equal(got, bytes.length)
    assert.equal(sum, bytes.reduce((s, x) => (s + x) % 65521, 0))
  })

  test(`${v}: a handler writes into a channel of its caller`, async (t) => {
    const { a, b } = await pair(t)
    const id = unique('produce')
    sdk.registerFunction(b, id, async ({ writer }) => {
      writer.stream.end(Buffer.alloc(200_000, 7))
      return 'writing'
    })
    await callable(a, id)
    const { reader, writerRef } = await sdk.createChannel(a)
    const bytes = reader.readAll()
    assert.equal(await call(a, id, { writer: writerRef }), 'writing')
    assert.equal((await within(bytes, 'the bytes')).length, 200_000)
  })
}

export function reconnectSuite(sdk) {
  const v = sdk.version

  test(`${v}: workers come back after the engine was killed and restarted on the same port`, { skip: needsOwnEngine }, async (t) => {
    let engine = await startEngine()
    t.after(() => engine.stop())
    const [a, b] = [connect(t, sdk, engine.url), connect(t, sdk, engine.url)]
    const id = unique('phoenix')
    sdk.registerFunction(b, id, async ({ n }) => n + 1)
    await callable(a, id)
    for (let round = 0; round < 2; round++) {
      await engine.crash()
      // Until then the call would be written to a connection that is dead already, and lost.
      await eventually('the worker has noticed', () => a.ws?.readyState !== 1)
      const offline = call(a, 'engine::workers::list', {})
      engine = await engine.again()
      assert.ok(Array.isArray((await offline).workers), 'a call made while the engine was away is sent when it is back')
      await callable(a, id)
      assert.equal(await call(a, id, { n: round }), round + 1)
    }
  })

  test(`${v}: workers come back after the engine was stopped politely`, { skip: needsOwnEngine }, async (t) => {
    let engine = await startEngine()
    t.after(() => engine.stop())
    const [a, b] = [connect(t, sdk, engine.url), connect(t, sdk, engine.url)]
    const id = unique('phoenix')
    sdk.registerFunction(b, id, async () => 'here')
    await callable(a, id)
    await engine.stop()
    engine = await engine.again()
    await callable(a, id)
    assert.equal(await call(a, id, {}), 'here')
  })

  test(`${v}: workers started before the engine are served once it is up`, { skip: needsOwnEngine }, async (t) => {
    const port = await freePort()
    const url = `ws://127.0.0.1:${port}`
    const [a, b] = [connect(t, sdk, url), connect(t, sdk, url)]
    const id = unique('early')
    sdk.registerFunction(b, id, async () => 'early bird')
    const engine = await startEngine({ port })
    t.after(() => engine.stop())
    await callable(a, id)
    assert.equal(await call(a, id, {}), 'early bird')
  })

  test(`${v}: a worker cut off from a living engine comes back`, async (t) => {
    const engine = await engineFor(t)
    const proxy = await startProxy(t, engine)
    const a = connect(t, sdk, engine.url)
    const b = connect(t, sdk, proxy.url)
    const id = unique('cut-off')
    const entered = deferred()
    let hold = true
    sdk.registerFunction(b, id, () => {
      entered.resolve()
      return hold ? new Promise(() => {}) : 'back'
    })
    await callable(a, id)
    const inFlight = failure(call(a, id, {}))
    await within(entered.promise, 'the call')
    hold = false
    proxy.cutWorkers()
    // An SDK that reattaches retires its old connection itself; for an older one the dead connection must first be noticed.
    if (!sdk.reattaches) proxy.dropStale()
    const error = await within(inFlight, 'the call in flight to be failed')
    assert.equal(error.code, 'invocation_stopped')
    assert.equal(await eventually('served again', () => call(a, id, {}, { timeoutMs: 2000 })), 'back')
  })
}
