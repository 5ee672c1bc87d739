// The two C++ programs of tests/drivers, and npm `ws` at the other end of their sockets.
import { spawn } from 'node:child_process'
import { WebSocket } from 'ws'
import { built, start } from '../lib/process.mjs'
import { Inbox, within } from '../lib/wait.mjs'

/** Our server. `closed(n)` waits for the n-th connection that ended and gives its `CODE REASON`. */
export async function startServer(t, ...args) {
  const server = start(built('tests', 'drivers', 'ws_echo_server'), args)
  t.after(() => server.kill())
  const [port] = await server.printed('stdout', /^\d+/)
  return {
    port: Number(port),
    url: `ws://127.0.0.1:${port}/`,
    async closed(n = 1) {
      const [, last] = await server.printed('stdout', new RegExp(`(?:closed ([^\\n]*)\\n[^]*?){${n}}`))
      return last.trim()
    },
  }
}

/** npm `ws` as client: everything it hears lands in `heard`, its end in `end`. */
export async function connect(t, url, options) {
  const ws = new WebSocket(url, options)
  t.after(() => ws.terminate())
  const peer = { ws, heard: new Inbox(), pongs: new Inbox() }
  peer.end = new Promise((resolve) => ws.on('close', (code, reason) => resolve({ code, reason: String(reason) })))
  ws.on('error', () => {})
  ws.on('message', (data, binary) => peer.heard.push(binary ? data : String(data)))
  ws.on('pong', (data) => peer.pongs.push(String(data)))
  peer.ended = () => within(peer.end, 'the end of the connection')
  await within(new Promise((resolve, reject) => ws.on('open', resolve).on('error', reject)), 'an open connection')
  return peer
}

/** Our client, told what to do line by line; `line()` is the next line it prints. */
export function startClient(t, url, ...args) {
  const child = spawn(built('tests', 'drivers', 'ws_client_driver'), [url, ...args.map(String)], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  child.stdin.on('error', () => {})
  const lines = new Inbox()
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop()
    for (const part of parts) lines.push(part.trimEnd())
  })
  return { say: (line) => child.stdin.write(line + '\n'), line: (what) => lines.next(what ?? 'a line of our client'), child }
}

/** One frame, however wrong. */
export function frame(opcode, payload = '', { fin = true, rsv = 0, mask = true } = {}) {
  const body = Buffer.from(payload)
  const head = [(fin ? 0x80 : 0) | (rsv << 4) | opcode]
  if (body.length < 126) head.push((mask ? 0x80 : 0) | body.length)
  else head.push((mask ? 0x80 : 0) | 126, body.length >> 8, body.length & 0xff)
  if (!mask) return Buffer.concat([Buffer.from(head), body])
  const key = Buffer.from([0x11, 0x22, 0x33, 0x44])
  return Buffer.concat([Buffer.from(head), key, body.map((byte, i) => byte ^ key[i % 4])])
}
