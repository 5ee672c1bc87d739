// A raw WebSocket peer of an engine: calls, serves functions, subscribes. No SDK in between.
import WebSocket from '../../lib/ws.mjs'
import { randomUUID } from 'node:crypto'

export const sleep = (ms) => new Promise((r) => setTimeout(r, ms))

let serial = 0

export class Peer {
  constructor(url, label, { reconnect = false } = {}) {
    this.url = url
    this.name = `replay-${label}-${process.pid}-${++serial}`
    this.reconnect = reconnect
    this.pending = new Map()
    this.functions = new Map()
    this.triggers = new Map()
    this.closed = false
    this.frames = 0
  }

  open(timeoutMs = 20_000) {
    return new Promise((resolve, reject) => {
      const ws = new WebSocket(this.url, { perMessageDeflate: false, handshakeTimeout: timeoutMs })
      let up = false
      ws.on('open', () => {
        up = true
        this.ws = ws
        this.announce()
        resolve(this)
      })
      ws.on('message', (text) => this.receive(JSON.parse(text)))
      ws.on('error', (e) => {
        if (!up) reject(new Error(`cannot connect to ${this.url}: ${e.message}`))
      })
      ws.on('close', () => {
        if (up && this.reconnect && !this.closed) this.again()
      })
    })
  }

  async again() {
    while (!this.closed) {
      await sleep(300)
      try {
        await this.open(2000)
        return
      } catch {}
    }
  }

  announce() {
    this.send({
      type: 'invokefunction',
      function_id: 'engine::workers::register',
      action: { type: 'void' },
      data: { runtime: 'node', version: '0.0.0', name: this.name, os: process.platform, pid: process.pid, isolation: null },
    })
    for (const id of this.functions.keys()) this.send({ type: 'registerfunction', id })
    for (const t of this.triggers.values()) this.send(t)
  }

  send(frame) {
    this.sendText(JSON.stringify(frame))
  }

  sendText(text) {
    if (this.ws && this.ws.readyState === WebSocket.OPEN) this.ws.send(text)
  }

  receive(m) {
    this.frames++
    if (m.type === 'invocationresult') {
      const done = this.pending.get(m.invocation_id)
      this.pending.delete(m.invocation_id)
      if (done) done(m)
    } else if (m.type === 'invokefunction') {
      this.serve(m)
    }
  }

  async serve(m) {
    const handler = this.functions.get(m.function_id)
    let reply
    try {
      reply = handler ? await handler(m.data, m.metadata) : { error: `not served here: ${m.function_id}` }
    } catch (e) {
      reply = { error: String(e.message ?? e) }
    }
    if (reply.hang || !m.invocation_id) return
    await sleep(2) // some engines lose an answer that is faster than their own bookkeeping
    const head = `{"type":"invocationresult","invocation_id":${JSON.stringify(m.invocation_id)},"function_id":${JSON.stringify(m.function_id)}`
    if (reply.error !== undefined) this.sendText(`${head},"error":${JSON.stringify({ code: 'invocation_failed', message: reply.error })}}`)
    else if (reply.wire !== undefined) this.sendText(`${head},"result":${reply.wire}}`)
    else this.sendText(`${head}}`)
  }

  /** handler(data, metadata) gives {wire: json text} | {error: text} | {absent: true} | {hang: true} */
  register(id, handler) {
    this.functions.set(id, handler)
    this.send({ type: 'registerfunction', id })
  }

  subscribe(trigger_type, function_id, config = {}, metadata) {
    const frame = { type: 'registertrigger', id: randomUUID(), trigger_type, function_id, config }
    if (metadata !== undefined) frame.metadata = metadata
    this.triggers.set(frame.id, frame)
    this.send(frame)
    return frame.id
  }

  unsubscribe(id) {
    const { trigger_type } = this.triggers.get(id)
    this.triggers.delete(id)
    this.send({ type: 'unregistertrigger', id, trigger_type })
  }

  /** {answer, absent} | {error: {code, message}} | {noReply: ms}; data === undefined sends no data field */
  call(function_id, data, timeoutMs = 15000) {
    const invocation_id = randomUUID()
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.pending.delete(invocation_id)
        resolve({ noReply: timeoutMs })
      }, timeoutMs)
      this.pending.set(invocation_id, (m) => {
        clearTimeout(timer)
        if (m.error) resolve({ error: { code: m.error.code, message: m.error.message } })
        else resolve({ answer: m.result === undefined ? null : m.result, absent: m.result === undefined })
      })
      this.send({ type: 'invokefunction', invocation_id, function_id, data })
    })
  }

  close() {
    this.closed = true
    return new Promise((resolve) => {
      if (!this.ws || this.ws.readyState === WebSocket.CLOSED) return resolve()
      const timer = setTimeout(() => this.ws.terminate(), 5000)
      this.ws.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
      this.ws.close()
    })
  }
}

/** A subscriber function that keeps what it got until someone takes it. */
export function observer(peer, bags, id, after) {
  bags[id] = []
  peer.register(id, async (payload, metadata) => {
    bags[id].push(metadata === undefined || metadata === null ? { payload } : { payload, metadata })
    if (after) return after()
    return { wire: '{}' }
  })
}
