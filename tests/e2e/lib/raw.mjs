// A peer that writes exactly what the test says: `ws` for frames, `net` for bytes. Real sockets only.
import { randomUUID } from 'node:crypto'
import net from 'node:net'
import WebSocket from 'ws'
import { Inbox, deferred, within } from './wait.mjs'

export class RawPeer {
  constructor(url, options = {}) {
    this.inbox = new Inbox()
    this.ws = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0, ...options })
    this.closed = deferred()
    this.ws.on('message', (data, binary) => this.inbox.push(binary ? data : JSON.parse(data.toString())))
    this.ws.on('close', (code) => this.closed.resolve(code))
    this.ws.on('error', () => {})
  }

  /** Connected and greeted; announced under `name` when one is given. */
  static async open(url, { name, ...options } = {}) {
    const peer = new RawPeer(url, options)
    const greeting = await peer.inbox.next('the greeting')
    peer.workerId = greeting.worker_id
    peer.token = greeting.reattach_token
    if (name) await peer.call('engine::workers::register', { name, runtime: 'e2e', pid: process.pid })
    return peer
  }

  send(frame) {
    this.ws.send(JSON.stringify(frame))
  }

  register(id) {
    this.send({ type: 'registerfunction', id })
  }

  /** Writes a call without waiting for its answer. */
  invoke(function_id, data, extra = {}) {
    const invocation_id = randomUUID()
    this.send({ type: 'invokefunction', invocation_id, function_id, data, ...extra })
    return invocation_id
  }

  async answer(invocation_id) {
    const mine = (frame) => frame.type === 'invocationresult' && frame.invocation_id === invocation_id
    await this.inbox.until((items) => items.some(mine), `the answer to ${invocation_id}`)
    return this.inbox.items.find(mine)
  }

  call(function_id, data, extra) {
    return this.answer(this.invoke(function_id, data, extra))
  }

  /** Resolves when the engine has read everything sent so far. */
  async barrier() {
    const count = () => this.inbox.items.filter((f) => f.type === 'pong').length
    const before = count()
    this.send({ type: 'ping' })
    await this.inbox.until(() => count() > before, 'the pong')
  }

  end() {
    this.ws.terminate()
    return this.closed.promise
  }
}

/** One HTTP exchange by hand; resolves to the status (or what else came first) once the head is there. */
export function upgradeStatus(url, headers = {}) {
  const done = deferred()
  const ws = new WebSocket(url, { perMessageDeflate: false, headers })
  ws.on('open', () => done.resolve(101))
  ws.on('unexpected-response', (_request, response) => {
    response.resume()
    done.resolve(response.statusCode)
  })
  ws.on('error', (error) => done.resolve(error.code ?? error.message))
  return within(done.promise, `an answer from ${url}`).finally(() => {
    ws.on('error', () => {})
    ws.terminate()
  })
}

/** A TCP connection with nothing on top. */
export async function tcp(port) {
  const socket = net.connect({ host: '127.0.0.1', port })
  const opened = deferred()
  const closed = deferred()
  socket.on('connect', opened.resolve)
  socket.on('error', () => {})
  socket.on('close', () => {
    opened.resolve()
    closed.resolve()
  })
  await within(opened.promise, 'a TCP connection')
  return { socket, closed: closed.promise }
}
