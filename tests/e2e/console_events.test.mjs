// GET /console/events: samples, changes, workers, functions; coming back; limits and cost.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { consoleOf, serveConsole } from './lib/console.mjs'
import { needsOwnEngine } from './lib/engine.mjs'
import { memoryIsOurs, residentMiB } from './lib/memory.mjs'
import { callable, connect, sdks } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

test('hello, samples, and an edit on disk', own, async (t) => {
  const site = await serveConsole(t)
  const stream = await site.listen()
  t.after(() => stream.close())
  assert.equal(stream.headers['content-type'], 'text/event-stream')
  const hello = await stream.next('hello')
  assert.equal(hello.id, `${hello.data.epoch}/${hello.data.generation}`)
  const { result } = await site.call('directory::changes')
  assert.equal(hello.data.epoch, result.epoch)
  const sample = await stream.next('sample')
  assert.match(sample.data.at, rfc3339)
  for (const key of ['calls', 'errors', 'p50_ms', 'p99_ms', 'in_flight', 'connections']) assert.ok(key in sample.data, key)
  site.skill('fresh/SKILL.md', 'Fresh.')
  const change = await stream.next('change')
  assert.deepEqual(change.data.changes, [{ change: 'added', kind: 'skill', id: 'fresh' }])
  assert.equal(change.data.op, 'external')
  assert.equal(change.data.more, 0)
  assert.match(change.data.at, rfc3339)
  assert.equal(change.id, `${hello.data.epoch}/${change.data.generation}`)
})

test('samples count what the bus does', own, async (t) => {
  const site = await serveConsole(t)
  const stream = await site.listen()
  t.after(() => stream.close())
  await stream.next('sample')
  const samples = () => stream.events().filter(({ name }) => name === 'sample')
  // A beat that comes late may pass over a second, and what was called in it: the calls go on until enough of them are told.
  await eventually('the calls are told', async () => {
    for (let i = 0; i < 20; ++i) await site.call('engine::workers::list')
    return samples().reduce((sum, { data }) => sum + data.calls, 0) >= 20
  })
  const told = samples()
  assert.equal(new Set(told.map(({ data }) => data.at)).size, told.length, 'a second is told once')
})

test('who comes back gets what was missed, and nothing twice', own, async (t) => {
  const site = await serveConsole(t)
  const first = await site.listen()
  site.skill('one/SKILL.md', 'One.')
  const { id } = await first.next('change')
  first.close()
  const idle = await site.listen()
  t.after(() => idle.close())
  for (const name of ['two', 'three']) {
    site.skill(`${name}/SKILL.md`, 'More.')
    await idle.next('change', ({ changes }) => changes.some((each) => each.id === name))
  }
  const again = await site.listen({ 'last-event-id': id })
  t.after(() => again.close())
  await again.next('sample')
  const told = again.events().filter(({ name }) => name === 'change')
  assert.deepEqual(
    told.flatMap(({ data }) => data.changes.map((each) => each.id)),
    ['two', 'three'],
  )
  assert.equal(again.events()[0].id, id, 'hello does not run ahead')
  assert.equal(told.at(-1).id, idle.events().findLast(({ name }) => name === 'change').id)
  assert.ok(!again.text.includes('truncated'))
})

test('another epoch is truncated', own, async (t) => {
  const site = await serveConsole(t)
  const first = await site.listen()
  const { id } = await first.next('hello')
  await site.engine.stop()
  await first.ended.promise
  const restarted = await site.engine.again()
  t.after(() => restarted.stop())
  const next = consoleOf(restarted, site.home)
  for (const last of [id, 'nonsense', `${id}999`]) {
    const stream = await next.listen({ 'last-event-id': last })
    await stream.next('truncated')
    assert.notEqual((await stream.next('hello')).data.epoch, id.split('/')[0])
    stream.close()
  }
})

test('a worker comes with its functions, and leaves', own, async (t) => {
  const site = await serveConsole(t)
  const stream = await site.listen()
  t.after(() => stream.close())
  await stream.next('sample')
  const worker = connect(t, sdks['0.22.1'], site.engine.url, { workerName: 'visitor' })
  worker.registerFunction('visitor::greet', async () => 'hello')
  await callable(worker, 'visitor::greet')
  const came = await stream.next('worker', ({ change, name }) => change === 'connected' && name === 'visitor')
  await stream.next('function', ({ change, ids }) => change === 'added' && ids.includes('visitor::greet'))
  await worker.shutdown()
  const left = await stream.next('worker', ({ change }) => change === 'left')
  assert.equal(left.data.id, came.data.id)
  await stream.next('function', ({ change, ids }) => change === 'removed' && ids.includes('visitor::greet'))
})

// Reads the first line, then nothing until a line comes on stdin, then everything. Its receive buffer is small, or the kernel would read for it.
const sleeper = `
import socket, sys
port = int(sys.argv[1])
link = socket.socket()
link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
link.connect(('127.0.0.1', port))
link.sendall(f'GET /console/events HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nConnection: close\\r\\n\\r\\n'.encode())
sys.stdout.buffer.write(link.recv(15))
sys.stdout.flush()
sys.stdin.readline()
link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
while piece := link.recv(65536):
    sys.stdout.buffer.write(piece)
`

test('a reader that does not read is dropped, alone, and comes back to the rest', own, async (t) => {
  const site = await serveConsole(t)
  const fast = await site.listen()
  t.after(() => fast.close())
  await fast.next('hello')
  const slow = spawn('python3', ['-c', sleeper, new URL(site.base).port])
  t.after(() => slow.kill())
  let got = ''
  slow.stdout.setEncoding('latin1').on('data', (piece) => (got += piece))
  const ended = once(slow.stdout, 'end')
  await eventually('the slow one is connected', () => got === 'HTTP/1.1 200 OK')
  // Four streams of one address are open then; the fifth is refused until the slow one is gone.
  const others = []
  t.after(() => others.forEach((each) => each.close()))
  await eventually('four streams are open', async () => {
    const next = await site.listen()
    if (next.status === 200) others.push(next)
    return next.status === 429
  })
  assert.equal(others.length, 2)
  // Long ids: events of 29 KB. The kernel keeps some megabytes for a reader, then the server's own queue grows.
  const folder = ['slow', ...['a', 'b', 'c'].map((letter) => letter.repeat(60))].join('/')
  const change = async (round) => {
    const before = fast.text.length
    for (let i = 0; i < 100; ++i) site.put(`${folder}/${'f'.repeat(45)}-${round}-${i}.md`, '# Title\n\nText.\n')
    while (!fast.text.slice(before).includes('event: change')) await fast.more(fast.text.length)
  }
  let back
  for (let round = 0; round < 300 && back?.status !== 200; ++round) {
    await change(round)
    back = await site.listen()
    back.close()
  }
  assert.equal(back.status, 200, 'its place is free')
  slow.stdin.end('\n')
  await ended
  // What it had got is whole. With its last id it gets the rest: together what the others got.
  const told = (text) => [...text.matchAll(/^event: change\n(?:id: .*\n)?data: .*"generation":(\d+)/gm)].map(([, number]) => number)
  const lastId = [...got.matchAll(/^id: (\S+)$/gm)].at(-1)[1]
  // Everything that was written has been told then. The place of `back` may not be free yet.
  await site.call('directory::changes')
  const again = await eventually('there is a place', async () => {
    const next = await site.listen({ 'last-event-id': lastId })
    return next.status === 200 && next
  })
  t.after(() => again.close())
  await again.next('sample')
  assert.ok(!again.text.includes('event: truncated'))
  assert.ok(told(got).length > 10)
  const seen = [...told(got), ...told(again.text)]
  assert.deepEqual(seen, told(fast.text).slice(0, seen.length))
  assert.ok(seen.length >= told(fast.text).length - 1, 'at most the newest is still under way')
})

test('four streams for one, sixty-four for an address; they cost little', own, async (t) => {
  const site = await serveConsole(t, ['--token', 'sixteen-letters!'])
  const { pid } = site.engine
  const open = []
  t.after(() => open.forEach((stream) => stream.close()))
  const listen = async (cookie) => {
    const stream = await site.listen({ cookie })
    if (stream.status === 200) open.push(stream)
    return stream.status
  }
  const cookies = []
  for (let i = 0; i < 16; ++i) cookies.push(await site.login('sixteen-letters!'))
  assert.equal(await listen(cookies[0]), 200)
  await open[0].next('sample')
  const before = residentMiB(pid)
  for (let i = 1; i < 4; ++i) assert.equal(await listen(cookies[0]), 200)
  assert.equal(await listen(cookies[0]), 429)
  for (const cookie of cookies.slice(1)) for (let i = 0; i < 4 && open.length < 64; ++i) assert.equal(await listen(cookie), 200)
  assert.equal(open.length, 64)
  assert.equal(await listen(cookies[15]), 429)

  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return Number(fields[11]) + Number(fields[12])
  }
  const last = open.at(-1)
  const samples = () => last.events().filter(({ name }) => name === 'sample').length
  await last.next('sample')
  const [start, seen] = [ticks(), samples()]
  while (samples() < seen + 3) await last.more(last.text.length)
  const seconds = samples() - seen
  // A tick is 10 ms. 0.1 % of a core for each of 64 streams.
  const allowed = 0.001 * 64 * seconds * 100 + 1
  if (memoryIsOurs) {
    assert.ok(ticks() - start <= allowed, `${ticks() - start} ticks in ${seconds} s`)
    assert.ok(((residentMiB(pid) - before) * 1024) / 63 <= 64, `${before} MiB before, ${residentMiB(pid)} MiB with 63 more`)
  }
  t.diagnostic(
    `64 idle streams: ${ticks() - start} ticks of 10 ms in ${seconds} s, ${(((residentMiB(pid) - before) * 1024) / 63).toFixed(1)} KiB each`,
  )
  open[0].close()
  await open[0].ended.promise
})
