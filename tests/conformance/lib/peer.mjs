// One raw WebSocket connection. No SDK: every frame is exactly what the scenario wrote.
import { randomUUID } from 'node:crypto'
import WebSocket from './ws.mjs'

const BIG = 4096

export const sleep = (ms) => new Promise((r) => setTimeout(r, ms))

export class Peer {
  constructor(test, name, url, options = {}) {
    this.test = test
    this.label = name
    this.inbox = [] // everything received and not yet recorded
    this.sent = [] // everything sent and not yet recorded
    this.waiters = new Set()
    this.handlers = new Map()
    this.pongs = 0
    this.settlePongs = 0
    this.closed = false
    this.rawMode = options.rawMode ?? false
    this.ws = new WebSocket(url, options.protocols ?? [], {
      perMessageDeflate: false,
      maxPayload: 0,
      headers: options.headers,
      handshakeTimeout: 20_000,
      autoPong: true,
    })
    this.ready = new Promise((resolve) => {
      this.ws.once('open', () => resolve(true))
      this.ws.once('error', (e) => {
        this.openError = e.message
        resolve(false)
      })
      this.ws.once('unexpected-response', (_req, res) => {
        let body = ''
        res.on('data', (d) => (body += d))
        res.on('end', () => {
          this.openError = { status: res.statusCode, body }
          resolve(false)
        })
      })
    })
    this.ws.on('message', (data, binary) => this.onMessage(data, binary))
    this.ws.on('pong', (data) => {
      this.pongs++
      this.push({ $pong: data.toString() })
    })
    this.ws.on('close', (code, reason) => {
      this.closed = true
      this.push({ $closed: code, ...(reason.length ? { reason: reason.toString() } : {}) })
    })
    this.ws.on('error', () => {})
  }

  push(item) {
    this.test.touch()
    this.inbox.push(item)
    for (const w of [...this.waiters]) w()
  }

  onMessage(data, binary) {
    const text = data.toString()
    if (binary) return this.push({ $binary: data.length > 256 ? { bytes: data.length } : data.toString('latin1') })
    if (text === '{"type":"pong"}' && this.settlePongs > 0) {
      this.settlePongs--
      for (const w of [...this.waiters]) w()
      return
    }
    let frame
    try {
      frame = JSON.parse(text)
    } catch {
      return this.push({ $text: text })
    }
    if (frame === null || typeof frame !== 'object') return this.push({ $text: text })
    if (frame.type === 'workerregistered' && !this.workerId) {
      this.workerId = frame.worker_id
      this.token = frame.reattach_token
      this.test.norm.name(frame.worker_id, `<worker:${this.label}>`)
      this.test.norm.name(frame.reattach_token, `<token:${this.label}>`)
      this.greeting = frame
    }
    this.push(this.rawMode ? { $raw: text, frame } : text.length > BIG && this.test.shrink ? { $big: text.length, frame: shrink(frame) } : { frame })
    if (frame.type === 'invokefunction') {
      const h = this.handlers.get(frame.function_id) ?? this.handlers.get('*')
      if (h) this.reply(frame, h)
    }
    if (frame.type === 'registertrigger' && this.verdict) {
      const v = this.verdict(frame)
      if (v) this.send({ type: 'triggerregistrationresult', id: frame.id, trigger_type: frame.trigger_type, function_id: frame.function_id, ...v })
    }
  }

  /** h(frame) returns the fields to put beside ids in the answer, or undefined to stay silent. */
  reply(frame, h) {
    const r = typeof h === 'function' ? h(frame) : h
    if (r === undefined) return
    const list = Array.isArray(r) ? r : [r]
    for (const item of list) {
      const body = typeof item === 'function' ? item(frame) : item
      this.send({ type: 'invocationresult', invocation_id: frame.invocation_id, function_id: frame.function_id, ...body })
    }
  }

  on(functionId, handler) {
    this.handlers.set(functionId, handler)
    return this
  }

  send(frame) {
    this.raw(JSON.stringify(frame), frame)
  }

  /** Send text exactly as given. */
  raw(text, frame) {
    this.sent.push(frame ?? { $text: text.length > BIG ? `${text.slice(0, 40)}… (${text.length} characters)` : text })
    this.test.touch()
    if (this.ws.readyState === WebSocket.OPEN) this.ws.send(text)
  }

  binary(buffer) {
    this.sent.push({ $binary: buffer.length > 256 ? { bytes: buffer.length } : buffer.toString('latin1') })
    this.ws.send(buffer, { binary: true })
  }

  /** Write a call, return its invocation id. */
  invoke(functionId, data, extra = {}) {
    const id = extra.invocation_id ?? this.test.uuid()
    this.send({ type: 'invokefunction', invocation_id: id, function_id: functionId, data, ...extra })
    return id
  }

  /** Wait until pred() holds; false after ms: by default what only ends a hang. */
  async until(pred, ms = 20_000) {
    if (pred()) return true
    return new Promise((resolve) => {
      const done = (v) => {
        clearTimeout(timer)
        this.waiters.delete(check)
        resolve(v)
      }
      const check = () => pred() && done(true)
      const timer = setTimeout(() => done(false), ms)
      this.waiters.add(check)
    })
  }

  frames() {
    return this.inbox.filter((i) => i.frame).map((i) => i.frame)
  }

  answer(id, ms) {
    const find = () => this.frames().find((f) => f.type === 'invocationresult' && f.invocation_id?.toLowerCase() === id.toLowerCase())
    return this.until(() => find() || this.closed, ms).then(() => find())
  }

  async barrier(ms = 20_000) {
    if (this.closed || this.ws.readyState !== WebSocket.OPEN || this.noPing) return
    this.settlePongs++
    const want = this.settlePongs - 1
    this.ws.send('{"type":"ping"}')
    await this.until(() => this.closed || this.settlePongs <= want, ms)
    this.settlePongs = 0
  }

  close(code, reason) {
    this.sent.push({ $close: code ?? null })
    this.ws.close(code, reason)
    return this.until(() => this.closed).then(() => {})
  }

  /** Drop the TCP connection without a Close frame. */
  drop() {
    this.sent.push({ $drop: true })
    this.ws.terminate()
    return this.until(() => this.closed).then(() => {})
  }
}

function shrink(v) {
  if (typeof v === 'string') return v.length > 200 ? `<string of ${v.length}>` : v
  if (Array.isArray(v)) return v.length > 64 ? `<array of ${v.length}>` : v.map(shrink)
  if (v && typeof v === 'object') return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, shrink(x)]))
  return v
}

export const newUuid = randomUUID
