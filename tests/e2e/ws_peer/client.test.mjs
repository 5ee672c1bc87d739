// npm `ws` as server for our client.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import net from 'node:net'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { Inbox } from '../lib/wait.mjs'
import { frame, startClient } from './peers.mjs'

/** An npm `ws` server that hands out its connections one by one. */
async function listen(t, options = {}) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, ...options })
  t.after(() => {
    for (const ws of server.clients) ws.terminate()
    server.close()
  })
  const peers = new Inbox()
  server.on('connection', (ws, request) => {
    const peer = { ws, request, heard: new Inbox(), pongs: new Inbox() }
    peer.end = new Promise((resolve) => ws.on('close', (code, reason) => resolve({ code, reason: String(reason) })))
    ws.on('error', () => {})
    ws.on('message', (data, binary) => peer.heard.push(binary ? data : String(data)))
    ws.on('pong', (data) => peer.pongs.push(String(data)))
    peers.push(peer)
  })
  await new Promise((resolve) => server.on('listening', resolve))
  return { url: `ws://127.0.0.1:${server.address().port}/path?x=y`, peer: () => peers.next('a connection') }
}

async function open(t, server, ...args) {
  const client = startClient(t, server.url, ...args)
  assert.equal(await client.line(), 'open')
  return { client, peer: await server.peer() }
}

test('messages of every kind reach npm ws and come back', async (t) => {
  const { client, peer } = await open(t, await listen(t, { perMessageDeflate: true }))
  assert.equal(peer.request.url, '/path?x=y')
  assert.equal(peer.ws.extensions, '')
  client.say('text grüße €𝄞')
  assert.equal(await peer.heard.next('the text'), 'grüße €𝄞')
  client.say('binary 00ff80')
  assert.deepEqual(await peer.heard.next('the bytes'), Buffer.from([0, 255, 128]))
  for (const size of [125, 126, 65_535, 65_536, 3_000_000]) {
    client.say(`big ${size}`)
    assert.equal((await peer.heard.next('the big text')).length, size)
  }
  peer.ws.send('back')
  assert.equal(await client.line(), 'text back')
  peer.ws.send(Buffer.from([1, 2]))
  assert.equal(await client.line(), 'binary 0102')
  peer.ws.send('x'.repeat(5_000_000))
  assert.equal(await client.line(), 'text <5000000 bytes>')
})

test('a message above 16 MiB is sent in several frames', async (t) => {
  const { client, peer } = await open(t, await listen(t))
  client.say(`big ${40 * 1024 * 1024}`)
  assert.equal((await peer.heard.next('the text')).length, 40 * 1024 * 1024)
})

test('fragments are joined, pings between them are answered', async (t) => {
  const { client, peer } = await open(t, await listen(t))
  peer.ws.send('one ', { fin: false })
  peer.ws.ping('between')
  peer.ws.send('two', { fin: true })
  assert.equal(await client.line(), 'ping')
  assert.equal(await client.line(), 'text one two')
  assert.equal(await peer.pongs.next('the pong'), 'between')
  client.say('ping hello')
  assert.equal(await client.line(), 'pong')
})

test('the server closes with a code, without one, and without a Close', async (t) => {
  const server = await listen(t)
  const endings = [
    [(ws) => ws.close(1000), 'closed 1000', 1000],
    [(ws) => ws.close(4001, 'grüße'), 'closed 4001 grüße', 4001],
    [(ws) => ws.close(), 'closed 1005', 1005],
    [(ws) => ws.terminate(), 'closed 1006', 1006],
  ]
  for (const [end, line, code] of endings) {
    const { client, peer } = await open(t, server)
    peer.ws.send('last')
    end(peer.ws)
    if (code !== 1006) assert.equal(await client.line(), 'text last')
    let printed = await client.line()
    if (printed === 'text last') printed = await client.line()
    assert.equal(printed, line)
    assert.equal((await peer.end).code, code)
  }
})

test('our client closes with a code, without one, and without a Close', async (t) => {
  const server = await listen(t)
  for (const [order, end] of [
    ['close 1000', { code: 1000, reason: '' }],
    ['close 4002 auf Wiedersehen', { code: 4002, reason: 'auf Wiedersehen' }],
    ['close', { code: 1005, reason: '' }],
    ['drop', { code: 1006, reason: '' }],
  ]) {
    const { client, peer } = await open(t, server)
    client.say('text last')
    client.say(order)
    assert.equal(await peer.heard.next('the last word'), 'last')
    assert.deepEqual(await peer.end, end)
    assert.match(await client.line(), new RegExp(`^closed ${end.code}`))
  }
})

test('limits hold in the client too', async (t) => {
  const server = await listen(t)
  const { client, peer } = await open(t, server, 1000)
  peer.ws.send('x'.repeat(1000))
  assert.equal(await client.line(), 'text <1000 bytes>')
  peer.ws.send('x'.repeat(1001))
  assert.equal(await client.line(), 'closed 1006')
  assert.equal((await peer.end).code, 1006)
})

test('a paused client hears nothing until it resumes', async (t) => {
  const { client, peer } = await open(t, await listen(t))
  client.say('pause')
  client.say('text paused')
  assert.equal(await peer.heard.next('the word'), 'paused')
  for (let i = 0; i < 3; i++) peer.ws.send(String(i))
  client.say('resume')
  for (let i = 0; i < 3; i++) assert.equal(await client.line(), `text ${i}`)
})

test('a refused upgrade is told with its status', async (t) => {
  const server = await listen(t, { verifyClient: (info, done) => done(false, 401, 'no token') })
  const client = startClient(t, server.url)
  assert.match(await client.line(), /^failed upgrade_refused .*401/)
})

/** A server by hand, for what npm `ws` would never send. */
async function rawServer(t, bytes) {
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (head) => {
      const key = /sec-websocket-key: (.*)\r\n/i.exec(head.toString())[1]
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
      socket.write(bytes)
    })
  })
  t.after(() => server.close())
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `ws://127.0.0.1:${server.address().port}/`
}

test('our client drops a server that breaks the rules', async (t) => {
  const plain = { mask: false }
  for (const [name, bytes] of Object.entries({
    'a masked frame': frame(1, 'x'),
    'a compressed frame that was not agreed on': frame(1, 'x', { ...plain, rsv: 4 }),
    'a text that is not UTF-8': frame(1, Buffer.from([0xff]), plain),
    'a stray continuation': frame(0, 'x', plain),
    'a long ping': frame(9, 'x'.repeat(126), plain),
  })) {
    const client = startClient(t, await rawServer(t, bytes))
    assert.equal(await client.line(), 'open', name)
    assert.equal(await client.line(), 'closed 1006', name)
  }
})
