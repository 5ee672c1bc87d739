// `wss://`: the C++ client through TLS, and what it says when it must not trust the other end.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { engineFor, tempDir } from './lib/engine.mjs'
import { built, start } from './lib/process.mjs'
import { call, callable, connect, sdks } from './lib/sdks.mjs'
import { listening, newAuthority, tlsFront } from './lib/tls.mjs'
import { startClient } from './ws_peer/peers.mjs'

const authority = newAuthority()
const good = authority.issue()
process.env.III_CA_FILE = authority.file

const hello = (t, url, env = {}) => {
  const worker = start(built('examples', 'hello_worker'), [], { env: { III_URL: url, III_TOKEN: '', ...env } })
  t.after(() => worker.stop())
  return worker
}
for (const [host, name, versions] of [['localhost', 'localhost', {}], ['127.0.0.1', false, { maxVersion: 'TLSv1.2' }]]) {
  test(`a worker serves through TLS at ${host}`, async (t) => {
    const engine = await engineFor(t)
    const front = await tlsFront(t, engine, good, versions)
    hello(t, `wss://${host}:${front.port}`, { III_WORKER_NAME: 'hello-wss' })
    const node = connect(t, sdks['0.22.1'], engine.url)
    await callable(node, 'hello::greet')
    assert.equal(await call(node, 'hello::greet', { name: 'Ada' }), 'Hello, Ada!')
    const long = 'x'.repeat(3_000_000)
    assert.equal(await call(node, 'hello::greet', { name: long }), `Hello, ${long}!`)
    assert.deepEqual(front.names, [name])
  })
}

test('large messages go both ways, also to a reader that pauses', async (t) => {
  const server = https.createServer(good)
  new WebSocketServer({ server, maxPayload: 0 }).on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
  })
  const client = startClient(t, `wss://localhost:${await listening(t, server)}`)
  assert.equal(await client.line(), 'open')
  client.say('text hello')
  assert.equal(await client.line(), 'text hello')
  client.say('pause')
  for (let i = 0; i < 4; ++i) client.say('big 9000000')
  client.say('resume')
  for (let i = 0; i < 4; ++i) assert.equal(await client.line(), 'text <9000000 bytes>')
  client.say('ping p')
  assert.equal(await client.line(), 'pong')
  client.say('close 1000 bye')
  assert.match(await client.line(), /^closed 1000/)
})

const refusals = [
  ['an unknown authority', { env: { III_CA_FILE: '' } }, /certificate not trusted: it was issued by an authority that is not known here\. Next: .*III_CA_FILE/],
  ['another authority', { env: { III_CA_FILE: newAuthority().file } }, /certificate not trusted: it was issued by an authority/],
  ['a certificate for another name', { names: 'DNS:other.test' }, /certificate not trusted: it is not for the host in the address\. Next:/],
  ['a name where an address is asked for', { names: 'DNS:localhost', host: '127.0.0.1' }, /certificate not trusted: it is not for the host/],
  ['an expired certificate', { days: -1 }, /certificate not trusted: it has expired\. Next:/],
]
for (const [what, { env, names, days, host = 'localhost' }, message] of refusals) {
  test(`${what} is refused, and the log says what to do`, async (t) => {
    const engine = await engineFor(t)
    const certificate = names || days ? authority.issue({ names, days }) : good
    const front = await tlsFront(t, engine, certificate)
    const worker = hello(t, `wss://${host}:${front.port}`, env)
    await worker.printed('stderr', message)
  })
}

test('a server that does not speak TLS is told apart', async (t) => {
  const engine = await engineFor(t)
  await hello(t, `wss://127.0.0.1:${engine.port}`).printed('stderr', /not connected to the engine \(wss:\/\/127\.0\.0\.1:\d+: the server .* TLS .* Next: .*ws:\/\//)
  const plain = http.createServer((_, response) => response.end())
  await hello(t, `wss://127.0.0.1:${await listening(t, plain)}`).printed('stderr', /the server does not speak TLS on this port\. Next: use ws:\/\//)
})

test('a CA file that cannot be used ends the worker before it connects', async (t) => {
  const empty = join(tempDir(), 'empty.pem')
  writeFileSync(empty, 'nothing')
  for (const file of [empty, join(tempDir(), 'absent.pem')]) {
    const worker = start(built('examples', 'hello_worker'), [], { env: { III_URL: 'wss://localhost:1', III_CA_FILE: file } })
    const { code, stderr } = await worker.exit
    assert.equal(code, 1)
    assert.match(stderr, /the file of trusted certificates cannot be read .* Next: check III_CA_FILE/)
  }
})
