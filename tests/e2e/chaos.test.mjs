// Many workers come, register, call, bind, stall and vanish in an order nobody chose. Whatever happens, every call is
// answered exactly once, and nothing is left behind when all are gone. III_E2E_SEED repeats a run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { RawPeer } from './lib/raw.mjs'
import { eventually, within } from './lib/wait.mjs'

const seed = Number(process.env.III_E2E_SEED ?? (Date.now() % 1_000_000) + 1)
const rounds = 20_000

function dice(start) {
  let x = start
  return (sides) => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    return (x >>> 0) % sides
  }
}

/** A peer that keeps books: what it asked, what it was told, how often. */
class Player {
  constructor(url, name) {
    this.url = url
    this.name = name
    this.asked = new Map() // invocation id -> number of answers
    this.mood = 'prompt' // slow: answers later; sulky: later, and refuses bindings
    this.held = []
  }

  async join() {
    const old = this.peer
    const peer = await RawPeer.open(this.url)
    peer.ws.removeAllListeners('message')
    peer.ws.on('message', (text) => peer === this.peer && this.hear(JSON.parse(text)))
    this.peer = peer
    this.asked = new Map()
    this.held = []
    if (old) peer.send({ type: 'reattach', previous_worker_id: old.workerId, reattach_token: old.token })
    peer.send({ type: 'invokefunction', function_id: 'engine::workers::register', data: { name: this.name, pid: 1 }, action: { type: 'void' } })
  }

  hear(frame) {
    if (frame.type === 'invokefunction') {
      const { invocation_id, function_id } = frame
      const answer = () => this.peer.send({ type: 'invocationresult', invocation_id, function_id, result: this.name })
      if (this.mood === 'prompt') answer()
      else this.held.push(answer)
    } else if (frame.type === 'invocationresult') this.asked.set(frame.invocation_id, this.asked.get(frame.invocation_id) + 1)
    else if (frame.type === 'registertrigger')
      this.peer.send({ type: 'triggerregistrationresult', id: frame.id, trigger_type: frame.trigger_type, function_id: frame.function_id, ...(this.mood === 'sulky' ? { error: { code: 'no', message: 'no' } } : {}) })
  }

  ask(function_id, extra) {
    this.asked.set(this.peer.invoke(function_id, { from: this.name }, extra), 0)
  }

  release() {
    for (const answer of this.held.splice(0)) answer()
  }

  get open() {
    return [...this.asked.values()].filter((n) => n === 0).length
  }
}

test(`seed ${seed}: ${rounds} moves of 16 players leave every call answered once and nothing behind`, { skip: needsOwnEngine, timeout: 240_000 }, async (t) => {
  const engine = await startEngine({ args: ['--engine-only'] })
  t.after(() => engine.stop())
  const roll = dice(seed)
  const players = Array.from({ length: 16 }, (_, i) => new Player(engine.url, `player-${i}`))
  await Promise.all(players.map((p) => p.join()))
  const some = (list) => list[roll(list.length)]
  const fn = () => `chaos::f${roll(24)}`
  const kind = () => `chaos::t${roll(4)}`

  for (let i = 0; i < rounds; i++) {
    const player = some(players)
    const { peer } = player
    switch (roll(16)) {
      case 0: case 1: peer.register(fn()); break
      case 2: peer.send({ type: 'unregisterfunction', id: fn() }); break
      case 3: peer.send({ type: 'registertriggertype', id: kind(), description: 'd' }); break
      case 4: peer.send({ type: 'registertrigger', id: `b${roll(40)}`, trigger_type: kind(), function_id: fn(), config: { i } }); break
      case 5: peer.send({ type: 'unregistertrigger', id: `b${roll(40)}` }); break
      case 6: peer.send({ type: 'invokefunction', function_id: fn(), data: i, action: { type: 'void' } }); break
      case 7: player.mood = some(['prompt', 'prompt', 'slow', 'sulky']); player.release(); break
      case 8: player.ask(some(['engine::functions::list', 'engine::workers::list', 'engine::registered-triggers::list'])); break
      case 9: player.ask('state::set', {}); break
      case 10: if (roll(8) === 0) { peer.ws.terminate(); await player.join() } break
      case 11: if (roll(8) === 0) await player.join(); break // the old socket lives on until reattach retires it
      default: player.ask(fn())
    }
    if (i % 50 === 0) await within(Promise.all(players.map((p) => new Promise((resolve) => { p.peer.ws.once('pong', resolve); p.peer.ws.ping() }))), 'the pongs')
  }
  for (const player of players) {
    player.mood = 'prompt'
    player.release()
  }
  await eventually('every call is answered', () => players.every((p) => p.open === 0))
  for (const player of players) for (const [id, answers] of player.asked) assert.equal(answers, 1, `answers to ${id} of ${player.name}`)
  await Promise.all(players.map((p) => p.peer.end()))

  const witness = await RawPeer.open(engine.url, { name: 'witness' })
  await eventually('nothing is left behind', async () => {
    const { result: f } = await witness.call('engine::functions::list', { prefix: 'chaos::' })
    const { result: b } = await witness.call('engine::registered-triggers::list', { search: 'chaos::' })
    const { result: w } = await witness.call('engine::workers::list', { search: 'player-' })
    return f.functions.length + b.registered_triggers.length + w.workers.length === 0
  })
  await witness.end()
})
