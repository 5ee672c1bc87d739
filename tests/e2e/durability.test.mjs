// state::* survives kill -9: every write that was acknowledged is there after a restart.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { RawPeer } from './lib/raw.mjs'
import { deferred, within } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }

async function valueOf(peer, scope, key) {
  const { result, error } = await peer.call('state::get', { scope, key })
  assert.equal(error, undefined)
  return result
}

test('200 acknowledged keys of every JSON type are there after a kill', own, async (t) => {
  let engine = await startEngine()
  t.after(() => engine.stop())
  let peer = await RawPeer.open(engine.url)
  const kinds = [{ a: [1, { b: null }] }, [], 'text ü😀', '', 0, -1.5, 1e300, true, false, null]
  const value = (n) => (n % 10 === 0 ? { n } : kinds[n % 10])
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => peer.call('state::set', { scope: 'kept', key: `k${n}`, value: value(n) })))
  for (const { error } of answers) assert.equal(error, undefined)
  await peer.call('state::delete', { scope: 'kept', key: 'k7' })
  await engine.crash()
  engine = await engine.again()
  peer = await RawPeer.open(engine.url)
  for (let n = 0; n < 200; n++) if (n !== 7) assert.deepEqual(await valueOf(peer, 'kept', `k${n}`), value(n), `k${n}`)
  const deleted = await peer.call('state::get', { scope: 'kept', key: 'k7' })
  assert.ok(!('result' in deleted), 'an acknowledged delete holds too')
  const { result: listed } = await peer.call('state::list', { scope: 'kept' })
  assert.equal(listed.length, 199)
  assert.deepEqual(listed[0], value(0), 'in the order of their first write')
  await peer.end()
})

test('killed in the middle of a stream of writes: no acknowledged one is lost, over several rounds', own, async (t) => {
  let engine = await startEngine()
  t.after(() => engine.stop())
  const acknowledged = new Map()
  for (let round = 0; round < 4; round++) {
    const peer = await RawPeer.open(engine.url)
    const sent = new Map()
    const enough = deferred()
    peer.ws.removeAllListeners('message')
    peer.ws.on('message', (data) => {
      const { invocation_id, error, result } = JSON.parse(data)
      const write = sent.get(invocation_id)
      if (error || !result) return enough.reject(new Error(JSON.stringify(error)))
      acknowledged.set(write.key, write.value)
      if (sent.size - acknowledged.size < 64) more()
      if (acknowledged.size >= (round + 1) * 150) enough.resolve()
    })
    let n = 0
    const more = () => {
      for (let i = 0; i < 32; i++) {
        const write = { scope: 'stream', key: `r${round}-${n}`, value: { round, n: n++ } }
        sent.set(peer.invoke('state::set', write), write)
      }
    }
    more()
    more()
    await within(enough.promise, 'enough acknowledged writes')
    await engine.crash()
    engine = await engine.again()
  }
  const peer = await RawPeer.open(engine.url)
  for (const [key, value] of acknowledged) assert.deepEqual(await valueOf(peer, 'stream', key), value, key)
  await peer.end()
})

test('updates and counters are durable and applied once', own, async (t) => {
  let engine = await startEngine()
  t.after(() => engine.stop())
  let peer = await RawPeer.open(engine.url)
  const up = () => peer.call('state::update', { scope: 'c', key: 'n', ops: [{ type: 'increment', path: 'n', by: 1 }] })
  const answers = await Promise.all(Array.from({ length: 50 }, up))
  assert.deepEqual(answers.map((a) => a.result.new_value.n).sort((x, y) => x - y), Array.from({ length: 50 }, (_, i) => i + 1))
  await engine.crash()
  engine = await engine.again()
  peer = await RawPeer.open(engine.url)
  assert.deepEqual(await valueOf(peer, 'c', 'n'), { n: 50 })
  await peer.end()
})

test('configuration values survive a kill', own, async (t) => {
  let engine = await startEngine()
  t.after(() => engine.stop())
  let peer = await RawPeer.open(engine.url)
  const entry = { id: 'e2e', name: 'E2E', description: 'd', schema: { type: 'object' }, initial_value: { a: 1 } }
  assert.equal((await peer.call('configuration::register', entry)).error, undefined)
  assert.deepEqual((await peer.call('configuration::set', { id: 'e2e', value: { a: 2 } })).result.new_value, { a: 2 })
  await engine.crash()
  engine = await engine.again()
  peer = await RawPeer.open(engine.url)
  assert.deepEqual((await peer.call('configuration::get', { id: 'e2e' })).result, { id: 'e2e', value: { a: 2 } })
  await peer.end()
})
