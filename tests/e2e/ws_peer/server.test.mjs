// npm `ws` as client of our server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { within } from '../lib/wait.mjs'
import { connect, frame, startServer } from './peers.mjs'

test('messages of every kind and size come back', async (t) => {
  const server = await startServer(t)
  const { ws, heard } = await connect(t, server.url)
  const big = Buffer.alloc(5_000_000, 7)
  for (const message of ['hello', '', 'grüße €𝄞', Buffer.from([0, 255, 128]), Buffer.alloc(0), big, 'x'.repeat(125), 'x'.repeat(126), 'x'.repeat(65_535), 'x'.repeat(65_536)]) {
    ws.send(message)
    assert.deepEqual(await heard.next('the echo'), message)
  }
  assert.equal(ws.extensions, '', 'no extension may be accepted, although one was offered')
})

test('fragments are joined, control frames between them are answered once', async (t) => {
  const server = await startServer(t)
  const { ws, heard, pongs } = await connect(t, server.url, { perMessageDeflate: false })
  ws.send('one ', { fin: false })
  ws.ping('between')
  ws.send('', { fin: false })
  ws.send('two ', { fin: false })
  ws.ping('again')
  ws.send('three', { fin: true })
  assert.equal(await heard.next('the joined message'), 'one two three')
  assert.deepEqual(pongs.items, ['between', 'again'])
  ws.send(Buffer.from([1]), { fin: false, binary: true })
  ws.send(Buffer.from([2]), { fin: true, binary: true })
  assert.deepEqual(await heard.next('the joined bytes'), Buffer.from([1, 2]))
})

test('a character may be cut by a fragment border', async (t) => {
  const server = await startServer(t)
  const { ws, heard } = await connect(t, server.url)
  const euro = Buffer.from('€')
  ws._socket.write(Buffer.concat([frame(1, euro.subarray(0, 1), { fin: false }), frame(9, ''), frame(0, euro.subarray(1))]))
  assert.equal(await heard.next('the joined character'), '€')
})

test('our server pings, npm ws pongs', async (t) => {
  const server = await startServer(t)
  const { ws } = await connect(t, server.url)
  const pinged = new Promise((resolve) => ws.on('ping', (data) => resolve(String(data))))
  ws.send('!ping')
  assert.equal(await pinged, 'are you there')
})

test('the code of a Close is echoed', async (t) => {
  const server = await startServer(t)
  const closings = [[], [1000], [1000, 'stream_complete'], [1012, 'grüße'], [3000], [4999, 'x'.repeat(123)]]
  for (const [i, closing] of closings.entries()) {
    const peer = await connect(t, server.url)
    peer.ws.close(...closing)
    const [code = 1005, reason = ''] = closing
    assert.deepEqual(await peer.ended(), { code, reason })
    assert.equal(await server.closed(i + 1), `${code} ${reason}`.trim())
  }
})

test('our server closes with a code, without one, and without a Close', async (t) => {
  const server = await startServer(t)
  const ends = [
    ['!close 1013 come back later', { code: 1013, reason: 'come back later' }, []],
    ['!close', { code: 1005, reason: '' }, []],
    ['!drop', { code: 1006, reason: '' }, ['last']],
  ]
  for (const [order, end, words] of ends) {
    const peer = await connect(t, server.url)
    peer.ws.send(order)
    assert.deepEqual(await peer.ended(), end, order)
    assert.deepEqual(peer.heard.items, words, order)
  }
})

test('the last words arrive although our server had not read everything', async (t) => {
  const server = await startServer(t)
  const peer = await connect(t, server.url)
  peer.ws.send('!close 1012 enough')
  for (let i = 0; i < 20; i++) peer.ws.send('x'.repeat(100_000))
  assert.deepEqual(await peer.ended(), { code: 1012, reason: 'enough' })
})

test('a violation ends TCP without a Close', async (t) => {
  const server = await startServer(t)
  const violations = {
    'an unmasked frame': frame(1, 'x', { mask: false }),
    'a reserved bit': frame(1, 'x', { rsv: 4 }),
    'an unknown opcode': frame(3, 'x'),
    'a stray continuation': frame(0, 'x'),
    'a message inside a message': Buffer.concat([frame(1, 'x', { fin: false }), frame(1, 'x')]),
    'a text that is not UTF-8': frame(1, Buffer.from([0x61, 0xff])),
    'a surrogate in UTF-8': frame(1, Buffer.from([0xed, 0xa0, 0x80])),
    'a fragmented ping': frame(9, '', { fin: false }),
    'a ping of 126 bytes': frame(9, 'x'.repeat(126)),
    'a close code that must not travel': frame(8, Buffer.from([0x03, 0xed])),
    'half a close code': frame(8, Buffer.from([0x03])),
    'a close reason that is not UTF-8': frame(8, Buffer.from([0x03, 0xe8, 0xff])),
  }
  let n = 0
  for (const [name, bytes] of Object.entries(violations)) {
    const peer = await connect(t, server.url)
    peer.ws._socket.write(bytes)
    assert.equal((await peer.ended()).code, 1006, name)
    assert.equal(await server.closed(++n), '1006', name)
  }
})

test('limits of frame and message are inclusive', async (t) => {
  const server = await startServer(t, '--max-frame', '1000', '--max-message', '3000')
  const send = async (sizes) => {
    const peer = await connect(t, server.url)
    sizes.forEach((size, i) => peer.ws.send('x'.repeat(size), { fin: i === sizes.length - 1 }))
    const heard = new Promise((resolve) => peer.ws.once('message', (data) => resolve(data.length)))
    return within(Promise.race([heard, peer.end.then(({ code }) => `closed ${code}`)]), 'an echo or the end')
  }
  assert.equal(await send([1000]), 1000)
  assert.equal(await send([1001]), 'closed 1006')
  assert.equal(await send([1000, 1000, 1000]), 3000)
  assert.equal(await send([1000, 1000, 1000, 1]), 'closed 1006')
})

test('the default limits are 16 MiB and 64 MiB', async (t) => {
  const server = await startServer(t)
  const MiB = 1024 * 1024
  const one = await connect(t, server.url, { maxPayload: 128 * MiB })
  one.ws.send(Buffer.alloc(16 * MiB))
  assert.equal((await one.heard.next('the echo')).length, 16 * MiB)
  for (let i = 0; i < 4; i++) one.ws.send(Buffer.alloc(16 * MiB), { fin: i === 3 })
  assert.equal((await one.heard.next('the echo')).length, 64 * MiB)
  one.ws.send(Buffer.alloc(16 * MiB + 1))
  assert.equal((await one.ended()).code, 1006)
})

for (const [name, args] of Object.entries({
  'too much waits for it': ['--max-queued', '8000000'],
  'it takes nothing for too long': ['--stall-ms', '100'],
})) {
  test(`a peer that stops reading is disconnected when ${name}, others do not notice`, async (t) => {
    const server = await startServer(t, ...args)
    const slow = await connect(t, server.url)
    const other = await connect(t, server.url)
    slow.ws.send('!flood 64')
    slow.ws._socket.pause()
    other.ws.send('one')
    assert.equal(await other.heard.next('the echo'), 'one')
    assert.equal(await server.closed(), '1006')
    other.ws.send('two')
    assert.equal(await other.heard.next('the echo'), 'two')
  })
}

test('a peer that reads gets everything, however much', async (t) => {
  const server = await startServer(t, '--stall-ms', '5000')
  const peer = await connect(t, server.url)
  peer.ws.send('!flood 100')
  await peer.heard.until((items) => items.length === 100, '100 MiB')
})

test('a paused connection delivers nothing until it is resumed', async (t) => {
  const server = await startServer(t)
  const paused = await connect(t, server.url)
  const other = await connect(t, server.url)
  paused.ws._socket.write(Buffer.concat([frame(1, '1'), frame(1, '!pause'), frame(1, '2'), frame(1, '3')]))
  assert.equal(await paused.heard.next('the first echo'), '1')
  for (const word of ['a', 'b', 'c']) {
    other.ws.send(word)
    assert.equal(await other.heard.next('the echo'), word)
  }
  assert.deepEqual(paused.heard.items, ['1'])
  other.ws.send('!resume')
  assert.equal(await paused.heard.next('the second echo'), '2')
  assert.equal(await paused.heard.next('the third echo'), '3')
})

test('a thousand messages in one go come back in order', async (t) => {
  const server = await startServer(t)
  const peer = await connect(t, server.url)
  for (let i = 0; i < 1000; i++) peer.ws.send(String(i))
  await peer.heard.until((items) => items.length === 1000, 'a thousand echoes')
  assert.deepEqual(peer.heard.items, Array.from({ length: 1000 }, (_, i) => String(i)))
})
