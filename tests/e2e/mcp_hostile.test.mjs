// Random and hostile messages and HTTP requests at `/mcp` and on stdin: no crash, no leak, every request is answered or refused by the
// rules, and others are served meanwhile. III_E2E_SEED repeats a run, III_E2E_HOSTILE sets the number of messages.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { skillsFolder, stdioArgs } from './lib/mcp.mjs'
import { Hostile } from './lib/mcp_hostile.mjs'
import { memoryIsOurs, residentMiB } from './lib/memory.mjs'
import { directoryBin } from './lib/process.mjs'
import { deferred, eventually, within } from './lib/wait.mjs'

const seed = Number(process.env.III_E2E_SEED ?? Date.now() % 1e9)
const count = Number(process.env.III_E2E_HOSTILE ?? 10_000)
const own = { skip: needsOwnEngine }
const stateless = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }

async function serve(t) {
  const folder = skillsFolder()
  const engine = await startEngine({ args: ['--skills', folder.root], env: { HOME: folder.root } })
  t.after(() => engine.stop()) // fails on a report of a sanitizer, leaks among them
  return { folder, engine, url: `${engine.http}/mcp`, port: Number(new URL(engine.http).port) }
}

/** What may come back for a POST: JSON-RPC with the right id, events of it, nothing, or a refusal. */
function judge({ status, headers, body }, sent) {
  assert.ok([200, 202, 204, 400, 401, 403, 404, 405, 406, 409, 411, 413, 415, 431, 503].includes(status), `status ${status}: ${sent}`)
  if (status === 202 || !body) return
  const type = headers['content-type'] ?? ''
  const messages = type.startsWith('text/event-stream')
    ? body.split('\n').filter((line) => /^data: \{/.test(line)).map((line) => JSON.parse(line.slice(6)))
    : [JSON.parse(body)].flat()
  for (const message of messages) {
    if (typeof message.error?.code === 'string') continue // refused before it was a matter of MCP
    assert.equal(message.jsonrpc, '2.0', body)
    assert.ok(message.method || 'result' in message !== 'error' in message, body)
    assert.notEqual(message.id, null)
  }
}

test('N57 N64 stdin: hostile lines', async () => {
  console.log(`seed ${seed}`)
  const random = new Hostile(seed)
  const folder = skillsFolder()
  const child = spawn(directoryBin, stdioArgs(folder), { env: { ...process.env, HOME: folder.root }, cwd: folder.root })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const answered = new Map()
  const last = deferred()
  createInterface({ input: child.stdout }).on('line', (line) => {
    for (const message of [JSON.parse(line)].flat()) {
      assert.equal(message.jsonrpc, '2.0')
      assert.notEqual(message.id, null)
      if (message.id !== undefined && !message.method) answered.set(message.id, (answered.get(message.id) ?? 0) + 1)
      if (message.id === 'last') last.resolve()
    }
  })
  const asked = []
  for (let i = 0; i < count; ++i) {
    const { text, id } = random.line(`r${i}-${(i * 7919) % 10_007}`) // a changed byte makes no other id of ours
    if (id) asked.push(id)
    if (!child.stdin.write(text + '\n')) await once(child.stdin, 'drain')
  }
  child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'server/discover', params: { _meta: stateless } }) + '\n')
  await within(last.promise, 'the last answer', 120_000)
  child.stdin.end()
  const [code] = await within(once(child, 'close'), 'the end', 60_000)
  assert.equal(code, 0, stderr)
  assert.doesNotMatch(stderr, /Sanitizer|runtime error:/)
  // Whole requests with an id of their own are answered exactly once; `listen` is, too, at the end of input. 256 may run at once;
  // those beyond are refused, which is an answer.
  const silent = asked.filter((id) => !answered.has(id))
  const twice = asked.filter((id) => answered.get(id) > 1)
  assert.deepEqual({ silent, twice }, { silent: [], twice: [] })
})

test('N16 N17 N18 N41 HTTP: hostile messages and headers', own, async (t) => {
  console.log(`seed ${seed}`)
  const { url, engine } = await serve(t)
  const random = new Hostile(seed + 1)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 })
  t.after(() => agent.destroy())
  const session = { 'mcp-session-id': await openSession(url) }
  let sent = 0
  const one = () =>
    new Promise((resolve, reject) => {
      const { method, headers, body } = random.request(`h${++sent}`, session)
      const message = http.request(url, { method, headers, agent, timeout: 30_000 }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        // A stream stays open: its head and what comes at once are enough.
        const isStream = /^text\/event-stream/.test(response.headers['content-type'] ?? '')
        response.on('data', (piece) => {
          text += piece
          if (isStream && !/"result"|"error"/.test(text)) response.destroy()
        })
        response.on('close', () => {
          try {
            judge({ status: response.statusCode, headers: response.headers, body: isStream && !response.complete ? '' : text }, body)
            resolve()
          } catch (error) {
            reject(error)
          }
        })
        response.on('error', () => {})
      })
      message.on('timeout', () => reject(new Error(`no answer to ${body?.slice(0, 300)} with ${JSON.stringify(headers)}`)))
      message.on('error', (error) => (error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve() : reject(error)))
      message.end(body)
    })
  const lane = async () => {
    while (sent < count) await one()
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  await healthy(url)
  assert.doesNotMatch(engine.out.stderr, /Sanitizer|runtime error:/)
})

test('N18 HTTP: hostile bytes', own, async (t) => {
  console.log(`seed ${seed}`)
  const { url, port } = await serve(t)
  const random = new Hostile(seed + 2)
  const rounds = Math.ceil(count / 5)
  let left = rounds
  const lane = async () => {
    while (left-- > 0) {
      const socket = net.connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.resume()
      await once(socket, 'connect').catch(() => {})
      socket.end(random.bytes(port)) // both ways: the server closes when it has answered what was whole
      await within(once(socket, 'close'), 'the end of a connection', 60_000)
    }
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  await healthy(url)
})

async function openSession(url) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'x', version: '0' } } })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await response.text()
  return response.headers.get('mcp-session-id')
}

async function healthy(url) {
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read', 'mcp-name': 'iii://demo' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { _meta: stateless, uri: 'iii://demo' } })
  const read = await fetch(url, { method: 'POST', headers, body })
  assert.match((await read.json()).result.contents[0].text, /Do it/)
}

test('N41 a stream that nobody reads is bounded and ended, and delays nobody', own, async (t) => {
  const { url, port, folder, engine } = await serve(t)
  // Long addresses, spelled long (at most 1 024 bytes): every edit makes a notice of 1 KB.
  const deep = Array.from({ length: 5 }, () => 'x'.repeat(60)).join('/')
  const spelled = [...`${deep}/`].map((c) => (c === '/' ? c : `%${c.charCodeAt(0).toString(16)}`)).join('')
  const files = Array.from({ length: 600 }, (_, i) => `${i}.md`)
  const edit = (text) => files.forEach((name) => folder.put(`${deep}/${name}`, `# Many\n\n${text}\n`))
  edit('first')
  const uris = files.map((name) => `iii://${spelled}${name.replace('.md', '')}`)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: stateless, notifications: { resourceSubscriptions: uris } } })
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
  const before = residentMiB(engine.pid)
  const slow = Array.from({ length: 8 }, () => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.pause() // never reads a byte
    socket.write(head + body)
    return socket
  })
  t.after(() => slow.forEach((socket) => socket.destroy()))
  let round = 0
  await eventually('the end of all slow readers', async () => {
    edit(`round ${++round}`)
    await healthy(url)
    return (engine.out.stderr.match(/reads a stream too slowly/g) ?? []).length >= slow.length
  }, 120_000) // many rounds, each of 600 files
  assert.ok(!memoryIsOurs || residentMiB(engine.pid) - before < 100)
  await healthy(url)
})

/** `count` times, eight at a time. */
async function repeat(count, one) {
  let left = count
  const lane = async () => {
    while (left-- > 0) await one(left)
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}

const post = async (url, headers, message) => {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) })
  const text = await response.text()
  return { status: response.status, session: response.headers.get('mcp-session-id'), error: text ? JSON.parse(text).error : undefined }
}
const begin = (url, name, capabilities = {}) =>
  post(url, {}, { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name, version: '0' } } })
const listen = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }

test('what a client makes the server keep is bounded: long addresses, large capabilities, long filters', own, async (t) => {
  const { url, engine } = await serve(t)
  const { session } = await begin(url, 'greedy')
  const before = residentMiB(engine.pid)
  await repeat(60, async (i) => {
    const { status, error } = await post(url, { 'mcp-session-id': session }, { id: i, method: 'resources/subscribe', params: { uri: `iii://${i}${'a'.repeat(4_000_000)}` } })
    assert.ok(error.code === -32602 || status === 503, JSON.stringify(error))
  })
  await repeat(20, async (i) => {
    const { status, error } = await begin(url, `large ${i}`, { experimental: Object.fromEntries(Array.from({ length: 100_000 }, (_, k) => [`key-${i}-${k}`, { a: [k] }])) })
    assert.ok(error.code === -32602 || status === 503, JSON.stringify(error))
  })
  await repeat(30, async (i) => {
    const resourceSubscriptions = Array.from({ length: 10_000 }, (_, k) => `iii://address-${i}-${k}`)
    const { status, error } = await post(url, listen, { method: 'subscriptions/listen', params: { _meta: stateless, notifications: { resourceSubscriptions } } })
    assert.ok(error.code === -32602 || status === 503, JSON.stringify(error))
  })
  await healthy(url)
  const { error } = await post(url, { 'mcp-session-id': session }, { method: 'resources/subscribe', params: { uri: 'iii://demo' } })
  assert.equal(error, undefined)
  // Before: more than 2 GiB. What the allocator keeps for later is not the client's.
  assert.ok(!memoryIsOurs || residentMiB(engine.pid) - before < 200, `${before} → ${residentMiB(engine.pid)} MiB`)
})

test('many sessions and streams of one program leave room for others on the same machine', own, async (t) => {
  const { url } = await serve(t)
  const idle = await begin(url, 'idle')
  assert.equal((await post(url, { 'mcp-session-id': idle.session }, { method: 'ping' })).status, 200)
  await repeat(2_100, async (i) => assert.equal((await begin(url, 'flood')).status, 200, `session ${i}`))
  assert.equal((await post(url, { 'mcp-session-id': idle.session }, { method: 'ping' })).status, 200)
  // Streams, until there are no more.
  const agent = new http.Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  let open = 0
  await repeat(1_030, () => new Promise((resolve, reject) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: stateless, notifications: { toolsListChanged: true } } })
    const request = http.request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json', ...listen } }, (response) => {
      response.once('data', (text) => {
        open += /acknowledged/.test(text) ? 1 : 0
        resolve()
      })
      response.on('error', () => {})
    })
    request.on('error', reject)
    request.end(body)
  }))
  assert.equal(open, 1_024)
  const late = await begin(url, 'late')
  assert.equal(late.status, 200)
  assert.equal((await post(url, { 'mcp-session-id': late.session }, { method: 'ping' })).status, 200)
  await healthy(url)
})

test('a bulk change with many subscriptions does not hold up others', own, async (t) => {
  const { url, folder } = await serve(t)
  const files = Array.from({ length: 500 }, (_, i) => `many/f${i}.md`)
  const edit = (text) => files.forEach((name) => folder.put(name, `# Many\n\n${text}\n`))
  edit('first')
  const heard = []
  const sessions = 20
  for (let i = 0; i < sessions; ++i) {
    const seen = new Set()
    heard.push(seen)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: stateless, notifications: { resourceSubscriptions: files.map((name) => `iii://${name.replace('.md', '')}`) } } })
    const acknowledged = deferred()
    const request = http.request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...listen } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
        const lines = text.split('\n')
        text = lines.pop()
        for (const line of lines.filter((line) => line.startsWith('data: {'))) {
          const { method, params } = JSON.parse(line.slice(6))
          if (method === 'notifications/subscriptions/acknowledged') acknowledged.resolve()
          if (method === 'notifications/resources/updated') seen.add(params.uri)
        }
      })
      response.on('error', () => {})
    })
    request.on('error', () => {})
    request.end(body)
    t.after(() => request.destroy())
    await within(acknowledged.promise, 'the acknowledgement', 30_000)
  }
  edit('second')
  await eventually('all notices', async () => {
    await healthy(url)
    return heard.every((seen) => seen.size === files.length)
  }, 60_000)
})
