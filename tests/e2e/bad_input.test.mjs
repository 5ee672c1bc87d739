// Peers that are broken, hostile, deaf or slow: the engine stays up, stays small and serves everybody else.
import assert from 'node:assert/strict'
import { after, before, beforeEach, afterEach, test } from 'node:test'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { memoryIsOurs, residentMiB } from './lib/memory.mjs'
import { RawPeer, tcp } from './lib/raw.mjs'
import { eventually, within } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const MiB = 1024 * 1024
const upgrade =
  'GET / HTTP/1.1\r\nHost: e2e\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

let engine
let good // a caller and a worker that do nothing wrong, connected all the time
let worker

before(async () => {
  if (needsOwnEngine) return
  engine = await startEngine()
  ;[good, worker] = await Promise.all([RawPeer.open(engine.url, { name: 'good' }), RawPeer.open(engine.url, { name: 'worker' })])
  worker.register('echo')
  worker.ws.on('message', (text) => {
    const frame = JSON.parse(text)
    if (frame.type === 'invokefunction' && frame.function_id === 'echo')
      worker.send({ type: 'invocationresult', invocation_id: frame.invocation_id, function_id: 'echo', result: frame.data })
  })
  await worker.barrier()
})

after(async () => {
  if (needsOwnEngine) return
  await Promise.all([good.end(), worker.end()])
  await engine.stop()
})

const served = async () => assert.equal((await good.call('echo', 'hello')).result, 'hello')
beforeEach(() => needsOwnEngine || served())
afterEach(() => needsOwnEngine || served())

/** Reproducible noise (xorshift32). */
function noise(seed) {
  let x = seed
  return (length) => {
    const bytes = Buffer.alloc(length)
    for (let i = 0; i < length; i++) {
      x ^= x << 13
      x ^= x >>> 17
      x ^= x << 5
      bytes[i] = x & 255
    }
    return bytes
  }
}

/** A raw TCP connection after the upgrade; the greeting has been sent. */
async function upgraded() {
  const peer = await tcp(engine.port)
  const greeted = new Promise((resolve) => peer.socket.on('data', (chunk) => chunk.includes('workerregistered') && resolve()))
  peer.socket.write(upgrade)
  await within(Promise.race([greeted, peer.closed]), 'the greeting')
  return peer
}

test('random bytes instead of HTTP', own, async () => {
  for (let seed = 1; seed <= 50; seed++) {
    const { socket, closed } = await tcp(engine.port)
    socket.resume()
    socket.end(noise(seed)(1 + ((seed * 997) % 5000)))
    await within(closed, `the end of connection ${seed}`)
  }
})

test('request heads without end', own, async () => {
  const { socket, closed } = await tcp(engine.port)
  socket.resume()
  const line = `X-Filler: ${'x'.repeat(1000)}\r\n`
  socket.write('GET / HTTP/1.1\r\n')
  const pump = () => {
    while (!socket.destroyed && socket.write(line));
  }
  socket.on('drain', pump)
  pump()
  await within(closed, 'the engine to hang up')
})

test('random bytes instead of frames', own, async () => {
  for (let seed = 1; seed <= 50; seed++) {
    const { socket, closed } = await upgraded()
    socket.end(noise(seed * 7919)(1 + ((seed * 613) % 3000)))
    await within(closed, `the end of connection ${seed}`)
  }
})

test('every truncation of a valid message is ignored and the connection kept', own, async () => {
  const peer = await RawPeer.open(engine.url)
  const whole = JSON.stringify({ type: 'invokefunction', invocation_id: '7b0f6c1e-4f3c-4a53-8f58-3f8a3b1b2c3d', function_id: 'echo', data: { text: 'ü"\\', list: [1, -2.5e3, true, null] } })
  for (let length = 0; length < whole.length; length++) peer.ws.send(whole.slice(0, length))
  await peer.barrier()
  assert.deepEqual(peer.inbox.items.filter((f) => f.type === 'invocationresult'), [])
  peer.ws.send(whole)
  assert.equal((await peer.answer('7b0f6c1e-4f3c-4a53-8f58-3f8a3b1b2c3d')).result.text, 'ü"\\')
  await peer.end()
})

test('random JSON values in every field are ignored or answered, never fatal', own, async () => {
  const peer = await RawPeer.open(engine.url)
  const odd = ['null', '0', '-1', '1e308', '""', '"x"', '[]', '{}', '[[[]]]', 'true', '"\\ud83d"', '{"type":"ping"}', '9'.repeat(400)]
  const fields = ['type', 'id', 'function_id', 'invocation_id', 'data', 'config', 'trigger_type', 'action', 'metadata', 'namespace', 'error', 'result', 'description', 'previous_worker_id', 'reattach_token', 'traceparent', 'baggage']
  const types = ['invokefunction', 'invocationresult', 'registerfunction', 'unregisterfunction', 'registertrigger', 'unregistertrigger', 'registertriggertype', 'triggerregistrationresult', 'reattach', 'registerservice', 'ping']
  for (const type of types)
    for (const field of fields)
      for (const value of odd) {
        const rest = field === 'type' ? '' : `"type":"${type}",`
        peer.ws.send(`{${rest}"${field}":${value}}`)
        if (field !== 'type') peer.ws.send(`{"type":"${type}","id":"odd","function_id":"odd::f","trigger_type":"odd::t","config":{},"data":{},"${field}2":1,"${field}":${value}}`)
      }
  await peer.barrier()
  await peer.end()
})

test('a frame of 20 MiB and one that claims 2^62 bytes are refused', own, async () => {
  const peer = await RawPeer.open(engine.url)
  peer.ws.send('x'.repeat(20 * MiB))
  assert.notEqual(await within(peer.closed.promise, 'the engine to hang up'), 1000)

  const liar = await upgraded()
  liar.socket.resume()
  liar.socket.write(Buffer.from([0x81, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]))
  await within(liar.closed, 'the engine to hang up')
  if (memoryIsOurs) assert.ok(residentMiB(engine.pid) < 200, `${residentMiB(engine.pid)} MiB`)
})

test('14 MiB of small values for functions of the engine are refused and not decoded', own, async () => {
  const peer = await RawPeer.open(engine.url, { name: 'values' })
  const ones = Array.from({ length: 7 * MiB }, () => 1)
  for (const [id, data] of [['engine::stats', { functions: ones }], ['engine::workers::register', { name: 'values', features: ones }], ['engine::functions::info', { function_ids: ones }], ['state::update', { scope: 's', key: 'k', ops: ones }]])
    assert.equal((await peer.call(id, data)).error?.code, 'payload_too_large', id)
  // As values they take 400 MiB.
  if (memoryIsOurs) assert.ok(residentMiB(engine.pid) < 200, `${residentMiB(engine.pid)} MiB`)
  await peer.end()
})

test('fragments without end stop at the message limit', own, async () => {
  const peer = await RawPeer.open(engine.url)
  const part = Buffer.alloc(MiB, 120)
  let sent = 0
  while (peer.ws.readyState === peer.ws.OPEN && sent++ < 100)
    await new Promise((resolve) => peer.ws.send(part, { binary: false, fin: false }, resolve))
  assert.notEqual(await within(peer.closed.promise, 'the engine to hang up'), 1000)
  assert.ok(sent > 60, `refused after ${sent} MiB`)
})

test('connections cut in the middle of a frame', own, async () => {
  for (let i = 0; i < 100; i++) {
    const { socket, closed } = await upgraded()
    socket.write(Buffer.from([0x81, 0xfe, 0x10, 0x00, 1, 2, 3, 4, 5, 6, 7]))
    socket.destroy()
    await closed
  }
})

test('a refusal is logged once per connection, not once per frame', own, async () => {
  const lines = () => engine.out.stderr.split('\n').length
  const peer = await RawPeer.open(engine.url)
  const before = lines()
  for (let i = 0; i < 2000; i++) peer.ws.send('{"type":"nope"}')
  await peer.barrier()
  await peer.end()
  await served()
  assert.ok(lines() - before < 20, `${lines() - before} lines for 2000 bad frames`)
})

test('a worker that never answers holds up nobody but its callers', own, async () => {
  const deaf = await RawPeer.open(engine.url, { name: 'deaf' })
  deaf.register('deaf::listen')
  await deaf.barrier()
  const caller = await RawPeer.open(engine.url)
  const ids = []
  for (let i = 0; i < 10_000; i++) ids.push(caller.invoke('deaf::listen', { i }))
  await deaf.inbox.until((items) => items.filter((f) => f.type === 'invokefunction').length === 10_000, 'all calls at the deaf worker')
  await served()
  await deaf.end()
  const stopped = () => caller.inbox.items.filter((f) => f.error?.code === 'invocation_stopped')
  await caller.inbox.until(() => stopped().length === ids.length, 'all calls to fail')
  assert.deepEqual(new Set(stopped().map((f) => f.invocation_id)), new Set(ids))
  await caller.end()
})

test('unanswered calls of one connection are limited, and the limit is told', own, async () => {
  const deaf = await RawPeer.open(engine.url, { name: 'deaf too' })
  deaf.register('deaf::listen')
  await deaf.barrier()
  deaf.ws.removeAllListeners('message')
  const caller = await RawPeer.open(engine.url)
  const limit = 65_536
  for (let i = 0; i < limit; i++) caller.invoke('deaf::listen', null)
  await caller.barrier()
  assert.deepEqual(caller.inbox.items.filter((f) => f.error), [], 'at the limit')
  assert.equal((await caller.call('deaf::listen', null)).error.code, 'too_many_calls', 'beyond it')
  await deaf.end()
  await caller.inbox.until((items) => items.length > limit, 'all of them to be resolved')
  assert.equal((await caller.call('echo', 'after')).result, 'after', 'there is room again')
  await caller.end()
})

test('a worker that floods registrations leaves nothing behind', own, async () => {
  const flooder = await RawPeer.open(engine.url, { name: 'flooder' })
  for (let i = 0; i < 20_000; i++) flooder.register(`flood::${i}`)
  for (let i = 0; i < 5_000; i++) flooder.send({ type: 'registertrigger', id: `flood-${i}`, trigger_type: 'flood::nobody', function_id: 'flood::0', config: { i } })
  await flooder.barrier()
  await served()
  const offered = async () => (await good.call('engine::functions::list', { prefix: 'flood::' })).result.functions.length
  const most = (64 * 1024 * 1024) / 4096 // a function counts as 4 KiB, and its texts, in max_stored_bytes_per_worker
  const registered = await offered()
  assert.ok(registered > 0.9 * most && registered < most, `the limit of one connection: ${registered}`)
  await flooder.end()
  await eventually('its functions are gone', async () => (await offered()) === 0)
})

test('a peer that floods void calls does not keep others from being served', own, async () => {
  const [flooder, sink] = await Promise.all([RawPeer.open(engine.url), RawPeer.open(engine.url, { name: 'sink' })])
  sink.register('sink::f')
  await sink.barrier()
  sink.ws.removeAllListeners('message')
  let arrived = 0
  sink.ws.on('message', () => arrived++)
  for (let i = 0; i < 50_000; i++) flooder.ws.send('{"type":"invokefunction","function_id":"sink::f","data":{"i":1},"action":{"type":"void"}}')
  await served()
  await flooder.barrier()
  await eventually('every void call arrives', () => arrived === 50_000)
  await Promise.all([flooder.end(), sink.end()])
})

test('calls to a peer that stops reading are refused when much waits for it, and nobody else waits', own, async () => {
  const slow = await RawPeer.open(engine.url, { name: 'slow' })
  slow.register('slow::f')
  await slow.barrier()
  slow.ws.pause()
  const caller = await RawPeer.open(engine.url)
  const data = 'x'.repeat(MiB)
  const refused = () => caller.inbox.items.some((f) => f.error?.code === 'callee_busy')
  let sent = 0
  while (!refused() && sent < 300) {
    caller.invoke('slow::f', data)
    sent++
    await served()
    await caller.barrier()
  }
  assert.ok(refused(), `still accepted with ${sent} MiB unread`)
  assert.ok(sent > 10, `refused after ${sent} MiB only`)
  slow.ws.resume()
  await slow.inbox.until((items) => items.filter((f) => f.type === 'invokefunction').length === sent - 1, 'every accepted call')
  if (memoryIsOurs) await eventually('the memory is given back', () => residentMiB(engine.pid) < 300)
  await Promise.all([caller.end(), slow.end()])
})

test('a channel whose reader stalls slows its writer down and nobody else', own, async () => {
  const { result } = await good.call('engine::channels::create', { buffer_size: 4 })
  const end = (ref) => new RawPeer(`${engine.url}/ws/channels/${ref.channel_id}?key=${ref.access_key}&dir=${ref.direction}`)
  const [writer, reader] = [end(result.writer), end(result.reader)]
  await Promise.all([writer, reader].map((p) => within(new Promise((resolve) => p.ws.on('open', resolve)), 'the channel')))
  reader.ws.pause()
  const part = Buffer.alloc(MiB, 1)
  for (let i = 0; i < 64; i++) writer.ws.send(part)
  for (let i = 0; i < 200; i++) await served()
  assert.ok(writer.ws.bufferedAmount > 0, 'the writer is held back')
  if (memoryIsOurs) assert.ok(residentMiB(engine.pid) < 300, `${residentMiB(engine.pid)} MiB`)
  reader.ws.resume()
  await reader.inbox.until((items) => items.length === 64, 'every part')
  await Promise.all([writer.end(), reader.end()])
})
