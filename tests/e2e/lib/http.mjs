// HTTP with Node's own client, and below it: what a browser or a script cannot be made to send.
import http from 'node:http'
import net from 'node:net'
import { deferred, within } from './wait.mjs'

/** One request; resolves to {status, headers, body} with the body as text. */
export function request(url, { method = 'GET', headers = {}, body, agent } = {}) {
  const done = deferred()
  const message = http.request(url, { method, headers, agent }, (response) => {
    const pieces = []
    response.on('data', (piece) => pieces.push(piece))
    response.on('error', done.reject)
    response.on('end', () =>
      done.resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces).toString() }),
    )
  })
  message.on('error', done.reject)
  message.end(body)
  return within(done.promise, `an answer from ${url}`)
}

/** A stream of server-sent events: `text` is what has come, `has(part)` waits for more. */
export async function openStream(url, { method = 'GET', headers = {}, body, agent } = {}) {
  const opened = deferred()
  const message = http.request(url, { method, headers: { accept: 'text/event-stream', ...headers }, agent }, opened.resolve)
  message.on('error', opened.reject)
  message.end(body)
  const response = await within(opened.promise, `the head of ${url}`)
  const waiters = new Set()
  const stream = { status: response.statusCode, headers: response.headers, text: '', ended: deferred(), close: () => message.destroy() }
  stream.has = (part) => {
    const found = deferred()
    const check = () => stream.text.includes(part) && found.resolve()
    waiters.add(check)
    check()
    return within(found.promise, `${part} on the stream`).finally(() => waiters.delete(check))
  }
  /** Waits until more has come than `length` characters. */
  stream.more = (length) => {
    const found = deferred()
    const check = () => stream.text.length > length && found.resolve()
    waiters.add(check)
    check()
    return within(found.promise, 'more on the stream').finally(() => waiters.delete(check))
  }
  response.setEncoding('utf8')
  response.on('data', (piece) => {
    stream.text += piece
    for (const check of [...waiters]) check()
  })
  response.on('close', () => stream.ended.resolve(response.complete))
  response.on('error', () => {})
  message.on('error', () => {})
  return stream
}

/** Raw bytes to a port; resolves to everything that came back when the server has closed. */
export function raw(port, bytes) {
  const done = deferred()
  const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes))
  let got = ''
  socket.setEncoding('latin1')
  socket.on('data', (piece) => (got += piece))
  socket.on('error', () => {})
  socket.on('close', () => done.resolve(got))
  return within(done.promise, 'the end of the connection')
}
