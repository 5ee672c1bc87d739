// Ten thousand workers that are connected and silent (fewer where the machine allows fewer open files).
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import net from 'node:net'
import { test } from 'node:test'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { memoryIsOurs, residentMiB } from './lib/memory.mjs'
import { RawPeer } from './lib/raw.mjs'
import { deferred, eventually, within } from './lib/wait.mjs'

const openFiles = execFileSync('bash', ['-c', 'ulimit -n']).toString().trim()
const allowed = openFiles === 'unlimited' ? Infinity : Number(openFiles)
const count = Math.min(10_000, allowed - 500)

const upgrade =
  'GET / HTTP/1.1\r\nHost: e2e\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

/** A worker reduced to its socket; resolves when it was greeted. */
function silent(port, n) {
  const greeted = deferred()
  // From addresses of their own: they must not take the ports that tests beside this one listen on again.
  const socket = net.connect({ host: '127.0.0.1', port, localAddress: `127.0.1.${1 + (n % 100)}` }, () => socket.write(upgrade))
  socket.on('data', (chunk) => chunk.includes('workerregistered') && greeted.resolve(socket))
  socket.on('error', greeted.reject)
  socket.on('close', () => greeted.reject(new Error('closed before the greeting')))
  return greeted.promise
}

test(`${count} idle connections`, { skip: needsOwnEngine }, async (t) => {
  const engine = await startEngine({ args: ['--engine-only'] })
  t.after(() => engine.stop())
  const empty = residentMiB(engine.pid)
  const sockets = []
  const lane = async () => {
    while (sockets.length < count) {
      const opening = silent(engine.port, sockets.length)
      sockets.push(opening)
      await within(opening, `connection ${sockets.length}`)
    }
  }
  await Promise.all(Array.from({ length: 50 }, lane))
  const idle = await Promise.all(sockets)
  assert.ok(idle.every((socket) => !socket.destroyed))

  const [a, b] = await Promise.all([RawPeer.open(engine.url, { name: 'a' }), RawPeer.open(engine.url, { name: 'b' })])
  b.register('b::f')
  await b.barrier()
  b.ws.on('message', (text) => {
    const { type, invocation_id } = JSON.parse(text)
    if (type === 'invokefunction') b.send({ type: 'invocationresult', invocation_id, function_id: 'b::f', result: 'busy' })
  })
  for (let i = 0; i < 500; i++) assert.equal((await a.call('b::f', {})).result, 'busy')

  const perConnection = ((residentMiB(engine.pid) - empty) * 1024) / count
  t.diagnostic(`${perConnection.toFixed(1)} KiB per idle connection`)
  if (memoryIsOurs) assert.ok(perConnection < 40, `${perConnection} KiB per idle connection`)

  for (const socket of idle) socket.destroy()
  await eventually('all of them are forgotten', async () => {
    const late = await RawPeer.open(engine.url)
    await late.end()
    return true
  })
  assert.equal((await a.call('b::f', {})).result, 'busy')
  await Promise.all([a.end(), b.end()])
})
