// What official clients sent to another server over HTTP, byte for byte, and hand-made requests with the answers of a server that passes
// the conformance suite: ours answers each, in its dialect, with the same status and code.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { registerFixtures, skillsFolder } from './lib/mcp_fixtures.mjs'
import { openStream } from './lib/http.mjs'

const folder = new URL('../data/mcp-http/', import.meta.url)
const lines = (name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const recordings = readdirSync(folder).filter((name) => name.endsWith('.jsonl') && name !== 'http-errors.jsonl')
const own = { skip: needsOwnEngine }

async function serve(t) {
  const config = join(tempDir(), 'config.yaml')
  writeFileSync(config, 'mcp_tools: all\n')
  const engine = await startEngine({ args: ['--skills', skillsFolder(), '--config', config] })
  t.after(() => engine.stop())
  await registerFixtures(t, engine)
  return `${engine.http}/mcp`
}

/** One exchange: status, headers, and the messages that came until the answer (all of them, or the first of a stream that stays open). */
async function exchange(url, method, headers, body) {
  const stream = await openStream(url, { method, headers, body })
  const isEvents = /^text\/event-stream/.test(stream.headers['content-type'] ?? '')
  const id = body && JSON.parse(body).id
  const messages = () => stream.text.split('\n').filter((line) => /^data: \{/.test(line)).map((line) => JSON.parse(line.slice(6)))
  if (!isEvents) {
    await stream.ended.promise
    return { status: stream.status, headers: stream.headers, messages: stream.text ? [JSON.parse(stream.text)] : [] }
  }
  if (method === 'POST') await stream.has(/subscriptions\/listen/.test(body) ? 'acknowledged' : `"id":${JSON.stringify(id)},`)
  stream.close()
  return { status: stream.status, headers: stream.headers, messages: messages() }
}

/** Where our answer differs on purpose: note → [status, code] of ours. */
const differs = {
  'Mcp-Param integer compared by value': 'the fixture of the probe is not among those of the suite',
}

test('N03 N04 N06 N07 N08 N09 N11 N13 N15 N17 N18 N19 hand-made requests have the status and code of the probe', own, async (t) => {
  const url = await serve(t)
  const wrong = []
  for (const { note, request, response } of lines('http-errors.jsonl')) {
    if (differs[note]) continue
    const body = request.raw ?? (request.body && JSON.stringify(request.body))
    const answer = await exchange(url, request.method, request.headers, request.raw ? undefined : body).catch((error) => ({ error }))
    if (request.raw) {
      const plain = await fetch(url, { method: request.method, headers: request.headers, body })
      Object.assign(answer, { status: plain.status, messages: [await plain.json()] })
      delete answer.error
    }
    const message = answer.messages?.at(-1)
    const code = (each) => (typeof each?.error?.code === 'number' ? each.error.code : undefined)
    const want = [response.status, response.status === 405 || response.status === 403 ? undefined : code(response.body)]
    const got = [answer.status, response.status === 405 || response.status === 403 ? undefined : code(message)]
    if (JSON.stringify(want) !== JSON.stringify(got)) wrong.push({ note, want, got, error: answer.error?.message, message: JSON.stringify(message)?.slice(0, 200) })
  }
  assert.deepEqual(wrong, [])
})

for (const name of recordings)
  test(`N52 N81 ${name}: every message is answered in its dialect`, own, async (t) => {
    const url = await serve(t)
    let session
    let requests = 0
    for (const { from, http, message } of lines(name)) {
      if (from !== 'client' || !http?.method) continue
      const { 'mcp-session-id': recorded, 'content-length': _, host: __, ...headers } = http.headers
      if (recorded && session) headers['mcp-session-id'] = session
      if (http.method === 'GET') continue // the general stream: N56
      const isRequest = message?.method && message.id !== undefined
      const stateless = message?.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined
      const elicits = /elicitation|sampling/.test(message?.params?.name ?? '') && !stateless // waits for the client
      if (elicits) continue
      const { status, headers: received, messages } = await exchange(url, http.method, headers, message && JSON.stringify(message))
      session = received['mcp-session-id'] ?? session
      if (!isRequest) {
        assert.ok([200, 202].includes(status), `${status} ${JSON.stringify(message)}`)
        continue
      }
      ++requests
      const answer = messages.at(-1)
      if (message.method === 'subscriptions/listen') {
        assert.equal(answer.params._meta['io.modelcontextprotocol/subscriptionId'], message.id)
        continue
      }
      assert.deepEqual(answer.id, message.id)
      if (answer.result) assert.equal('resultType' in answer.result, stateless, JSON.stringify(answer).slice(0, 200))
      else assert.ok([-32602, -32002, -32601, -32021].includes(answer.error.code), JSON.stringify(answer))
    }
    assert.ok(requests > 0)
  })
