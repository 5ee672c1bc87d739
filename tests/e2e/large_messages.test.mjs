// Messages at the limit: what would be too large for its receiver is answered to its sender, nobody is
// disconnected, and large payloads arrive as they were sent.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { RawPeer } from './lib/raw.mjs'

const own = { skip: needsOwnEngine }
const MIB = 1024 * 1024
const LIMIT = 64 * MIB

/** One message in frames of at most 16 MiB. */
function sendFragmented(peer, text) {
  for (let at = 0; at < text.length; at += 16 * MIB)
    peer.ws.send(text.slice(at, at + 16 * MIB), { fin: at + 16 * MIB >= text.length })
}

/** A call whose frame has exactly `bytes` bytes. */
function callOf(bytes, functionId) {
  const invocation_id = randomUUID()
  const frame = (a) => JSON.stringify({ type: 'invokefunction', invocation_id, function_id: functionId, data: { a } })
  return { invocation_id, text: frame('x'.repeat(bytes - frame('').length)) }
}

async function pair(t) {
  const engine = await startEngine()
  t.after(() => engine.stop())
  const callee = await RawPeer.open(engine.url, { name: 'callee' })
  const caller = await RawPeer.open(engine.url, { name: 'caller' })
  callee.register('f')
  await callee.barrier()
  return { callee, caller }
}

test('a call that grows beyond the limit is answered to its caller', own, async (t) => {
  const { callee, caller } = await pair(t)
  const { invocation_id, text } = callOf(LIMIT, 'f')
  sendFragmented(caller, text)
  const { error } = await caller.answer(invocation_id)
  assert.equal(error.code, 'payload_too_large')
  assert.match(error.message, /Next:/)
  await callee.barrier()
  assert.ok(!callee.inbox.items.some((frame) => frame.type === 'invokefunction'))
})

test('a large call and a large answer arrive whole, in order with small ones', own, async (t) => {
  const { callee, caller } = await pair(t)
  const { invocation_id, text } = callOf(20 * MIB, 'f')
  sendFragmented(caller, text)
  const small = caller.invoke('f', { small: true })
  const calls = () => callee.inbox.items.filter((frame) => frame.type === 'invokefunction')
  await callee.inbox.until(() => calls().length === 2, 'both calls')
  assert.deepEqual(calls().map((frame) => frame.invocation_id), [invocation_id, small])
  const { data } = calls()[0]
  assert.equal(data._caller_worker_id, caller.workerId)
  assert.equal(data.a, JSON.parse(text).data.a)
  sendFragmented(callee, JSON.stringify({ type: 'invocationresult', invocation_id, function_id: 'f', result: data.a }))
  assert.equal((await caller.answer(invocation_id)).result, data.a)
})

test('answers that do not fit in what a caller has to read become errors, and it stays', own, async (t) => {
  const { callee, caller } = await pair(t)
  const ids = Array.from({ length: 12 }, () => caller.invoke('f', {}))
  const calls = () => callee.inbox.items.filter((frame) => frame.type === 'invokefunction')
  await callee.inbox.until(() => calls().length === ids.length, 'all calls')
  caller.ws._socket.pause()
  const result = 'x'.repeat(15 * MIB)
  for (const invocation_id of ids) {
    sendFragmented(callee, JSON.stringify({ type: 'invocationresult', invocation_id, function_id: 'f', result }))
  }
  await callee.barrier() // the engine has seen all answers, and serves others meanwhile
  caller.ws._socket.resume()
  const answers = await Promise.all(ids.map((id) => caller.answer(id)))
  const arrived = answers.findIndex((answer) => answer.error)
  // 15/16 of 128 MiB hold seven of them; the socket itself takes a few MiB more.
  assert.ok(arrived >= 7 && arrived <= 9, `${arrived} answers arrived`)
  for (const answer of answers.slice(0, arrived)) assert.equal(answer.result?.length, result.length)
  for (const { error, result: none } of answers.slice(arrived)) {
    assert.equal(error?.code, 'caller_busy')
    assert.match(error.message, /15\d{6} more does not fit\. Next: read them, and call again\./)
    assert.equal(none, undefined)
  }
  await caller.barrier() // it is still connected
})

test('a peer that asks for more than it takes is not read meanwhile, and gets everything', own, async (t) => {
  const { callee, caller } = await pair(t)
  const value = 'x'.repeat(15 * MIB)
  assert.ok(!(await caller.call('state::set', { scope: 's', key: 'k', value })).error)
  caller.ws._socket.pause()
  const ids = Array.from({ length: 7 }, () => caller.invoke('state::get', { scope: 's', key: 'k' }))
  await callee.barrier() // others are served meanwhile
  caller.ws._socket.resume()
  for (const id of ids) assert.equal((await caller.answer(id)).result?.length, value.length)
})
