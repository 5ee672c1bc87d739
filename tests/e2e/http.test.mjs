// The HTTP side of `serve`, with Node's own client: who gets in, and what a client may do to it.
import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'
import { test } from 'node:test'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { openStream, raw, request } from './lib/http.mjs'
import { built, directoryBin, run, start } from './lib/process.mjs'

const own = { skip: needsOwnEngine }
const bearer = (token) => ({ authorization: `Bearer ${token}` })
const portOf = (address) => Number(new URL(address).port)

async function engineWith(t, args = []) {
  const engine = await startEngine({ args })
  t.after(() => engine.stop())
  return engine
}

/** The same HTTP server with an echo and streams behind it. */
async function echoServer(t) {
  const server = start(built('tests', 'drivers', 'http_echo_server'), [])
  t.after(() => server.stop())
  const [, port] = await server.printed('stdout', /^port (\d+)$/m)
  return `http://127.0.0.1:${port}`
}

test('/healthz answers where the ready line says', own, async (t) => {
  const engine = await engineWith(t)
  const answer = await request(`${engine.http}/healthz`)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(answer.body), { status: 'ok' })
  assert.equal((await request(`${engine.http}/healthz`, { method: 'HEAD' })).status, 200)
  assert.equal((await request(`${engine.http}/nowhere`)).status, 404)
  const wrong = await request(`${engine.http}/healthz`, { method: 'POST', body: '{}' })
  assert.equal(wrong.status, 405)
  assert.equal(wrong.headers.allow, 'GET, HEAD, OPTIONS')
})

test('an engine alone has it, too', own, async (t) => {
  const engine = await engineWith(t, ['--engine-only'])
  assert.equal((await request(`${engine.http}/healthz`)).status, 200)
})

test('no web page gets in, whatever name it resolves to this machine', own, async (t) => {
  const engine = await engineWith(t, ['--allow-origin', 'https://app.example'])
  const port = portOf(engine.http)
  const status = async (headers) => (await request(`${engine.http}/healthz`, { headers })).status
  for (const host of ['127.0.0.1', `127.0.0.1:${port}`, `localhost:${port}`, '[::1]', 'app.example'])
    assert.equal(await status({ host }), 200, `Host: ${host}`)
  for (const host of ['evil.example', `evil.example:${port}`, '192.168.0.1', 'localhost.evil.example'])
    assert.equal(await status({ host }), 403, `Host: ${host}`)
  for (const origin of ['https://app.example', `http://127.0.0.1:${port}`]) {
    const answer = await request(`${engine.http}/healthz`, { headers: { origin } })
    assert.equal(answer.status, 200, `Origin: ${origin}`)
    assert.equal(answer.headers['access-control-allow-origin'], origin)
  }
  for (const origin of ['http://evil.example', 'null', 'http://app.example', `http://127.0.0.1:${port + 1}`]) {
    const answer = await request(`${engine.http}/healthz`, { headers: { origin } })
    assert.equal(answer.status, 403, `Origin: ${origin}`)
    assert.equal(answer.headers['access-control-allow-origin'], undefined)
  }
  const preflight = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
  const allowed = await request(`${engine.http}/healthz`, { method: 'OPTIONS', headers: preflight })
  assert.equal(allowed.status, 204)
  assert.equal(allowed.headers['access-control-allow-methods'], 'GET, HEAD, OPTIONS')
  preflight.origin = 'https://evil.example'
  assert.equal((await request(`${engine.http}/healthz`, { method: 'OPTIONS', headers: preflight })).status, 403)
})

test('a Host that only looks like ours is refused on every path', own, async (t) => {
  const engine = await engineWith(t)
  const port = portOf(engine.http)
  for (const host of [`localhost:${port}@evil.example`, `localhost@evil.example`, `127.0.0.1:${port}@evil.example:${port}`, `[::1]:${port}@x`, `localhost:${port}/`, 'localhost:port'])
    for (const path of ['/healthz', '/console/', '/mcp', '/metrics'])
      assert.match(await raw(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 40[03] /, `${path}: ${host}`)
})

test('the token of the bus is that of HTTP; /healthz needs none', own, async (t) => {
  const engine = await engineWith(t, ['--token', 'open sesame please'])
  const status = async (path, headers) => (await request(engine.http + path, { headers })).status
  assert.equal(await status('/healthz'), 200)
  assert.equal(await status('/nowhere'), 401)
  assert.equal(await status('/nowhere', bearer('open sesame pleas')), 401)
  assert.equal(await status('/nowhere', bearer('open sesame please')), 404)
})

test('a port that was asked for has to be free; the usual one need not be', own, async (t) => {
  const engine = await engineWith(t)
  const taken = String(portOf(engine.http))
  const second = await run(directoryBin, ['serve', '--data', tempDir(), '--port', '0', '--http-port', taken])
  assert.equal(second.code, 1)
  assert.equal(second.stdout, '', 'never ready')
  assert.match(second.stderr, /taken.*Next: .*--http-port/)

  // Ours to take, unless somebody on this machine has it, which does as well.
  const blocker = net.createServer()
  await new Promise((resolve) => blocker.on('error', resolve).listen(3111, '127.0.0.1', resolve))
  t.after(() => blocker.close())
  const third = start(directoryBin, ['serve', '--data', tempDir(), '--port', '0'], { env: { III_TOKEN: '' } })
  t.after(() => third.stop())
  const [line] = await third.printed('stdout', /^ready .*$/m)
  assert.match(line, /^ready ws=ws:\/\/127\.0\.0\.1:\d+$/)
  await third.printed('stderr', /3111.*HTTP is not served.*--http-port/)
})

test('what is not HTTP is answered and closed, and the next client is served', own, async (t) => {
  const engine = await engineWith(t)
  const port = portOf(engine.http)
  const statusOf = (text) => Number(text.match(/^HTTP\/1\.1 (\d+)/)?.[1])
  assert.equal(statusOf(await raw(port, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n')), 400)
  assert.equal(statusOf(await raw(port, 'GET /healthz HTTP/1.1\r\n\r\n')), 400)
  assert.equal(statusOf(await raw(port, `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`)), 431)
  assert.equal(statusOf(await raw(port, 'POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n')), 400)
  assert.equal((await request(`${engine.http}/healthz`)).status, 200)
})

test('one connection serves many requests, and stopping does not wait for it', own, async () => {
  const engine = await startEngine()
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  for (let i = 0; i < 100; ++i) assert.equal((await request(`${engine.http}/healthz`, { agent })).status, 200)
  const { code } = await engine.stop()
  assert.equal(code, 0)
  agent.destroy()
})

test('bodies of all sizes come back as they were sent', own, async (t) => {
  const address = await echoServer(t)
  for (const size of [0, 1, 1000, 65_536, 1_000_000, 4_194_304]) {
    const body = Buffer.alloc(size, 'abcdefghij').toString()
    const length = { 'content-length': size }
    assert.equal((await request(`${address}/echo`, { method: 'POST', headers: length, body })).body, body)
    const chunked = await request(`${address}/echo`, { method: 'POST', headers: { 'transfer-encoding': 'chunked' }, body })
    assert.equal(chunked.body, body)
  }
  const large = { method: 'POST', headers: { 'content-length': 4_194_305, expect: '100-continue' } }
  assert.equal((await request(`${address}/echo`, large)).status, 413)
})

test('1 000 open streams hear every event, and delay nobody', own, async (t) => {
  const address = await echoServer(t)
  const agent = new http.Agent({ maxSockets: Infinity })
  t.after(() => agent.destroy())
  const streams = await Promise.all(Array.from({ length: 1000 }, () => openStream(`${address}/stream`, { agent })))
  assert.ok(streams.every((stream) => stream.status === 200))
  for (let i = 0; i < 20; ++i) {
    await request(`${address}/publish`, { method: 'POST', body: `data: event ${i}\n\n` })
    assert.equal((await request(`${address}/echo`, { method: 'POST', body: 'x' })).body, 'x')
  }
  await Promise.all(streams.map((stream) => stream.has('data: event 19\n\n')))
  for (const stream of streams) stream.close()
  assert.equal((await request(`${address}/echo`, { method: 'POST', body: 'after' })).body, 'after')
})

test('a stream that nobody reads is closed at its limit; the reader beside it misses nothing', own, async (t) => {
  const address = await echoServer(t)
  const lazy = net.connect(Number(new URL(address).port), '127.0.0.1')
  lazy.pause()
  lazy.on('error', () => {})
  t.after(() => lazy.destroy())
  lazy.write('GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const reader = await openStream(`${address}/stream`)
  const event = `data: ${'x'.repeat(64 * 1024)}\n\n`
  // 32 MiB: more than the buffers of any kernel between the two.
  for (let i = 0; i < 512; ++i) await request(`${address}/publish`, { method: 'POST', body: event })
  await request(`${address}/publish`, { method: 'POST', body: 'data: last\n\n' })
  await reader.has('data: last\n\n')
  assert.equal(reader.text.length, 512 * event.length + 'data: last\n\n'.length)
  let taken = 0
  lazy.on('data', (piece) => (taken += piece.length))
  const closed = new Promise((resolve) => lazy.on('close', resolve))
  lazy.resume()
  await closed
  assert.ok(taken < 512 * event.length, `${taken} bytes`)
  reader.close()
})
