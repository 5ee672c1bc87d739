// Replays what clients sent to a published MCP bridge, in a session of ours: the same content in the form of today. Deliberate
// differences are in ../mcp-deviations.json with a reason and our answer.
//   run.mjs [--record]     (see tests/conformance/record)
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEngine, tempDir } from '../../e2e/lib/engine.mjs'
import { request } from '../../e2e/lib/http.mjs'
import { OldClient, OldHttp } from '../../e2e/lib/mcp.mjs'
import { call } from '../../e2e/lib/sdks.mjs'
import { show } from '../lib/diff.mjs'
import { readDeviations, writeDeviations } from '../lib/pins.mjs'
import { allowance } from '../skills/lib/allow.mjs'
import { differences, lines, populate } from './lib.mjs'

const raw = ['http-raw', 'http-raw-require-expose', 'http-raw-skills-away']
const files = [...raw, 'http-sdk-client', 'bus-direct']
const deviations = fileURLToPath(new URL('../mcp-deviations.json', import.meta.url))
const record = process.argv.includes('--record')
const allow = allowance(readDeviations(deviations), files)
const counts = { same: 0, allowed: 0, differ: 0 }
const compared = []

function compare(name, number, recorded, actual) {
  compared.push({ name, number })
  const found = differences(recorded, actual)
  if (!found.length) return counts.same++
  const { open } = allow.use(name, number, found, record)
  if (!open.length) return counts.allowed++
  counts.differ++
  console.log(`DIFF ${name}:${number}\n${open.map(show).join('\n')}`)
}

/** The recorded form of an answer: status, type, and a body that is JSON or text. */
function form({ status, headers, body }) {
  const type = headers['content-type']?.split(';')[0] ?? null
  try {
    return { status, content_type: type, body: JSON.parse(body) }
  } catch {
    return { status, content_type: type, raw_body: body }
  }
}

async function replayRaw(name, url) {
  const post = (headers, body, method = 'POST') => request(url, { method, headers: { 'content-type': 'application/json', ...headers }, body })
  const opening = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'replay', version: '0' } } }
  const session = { 'mcp-session-id': (await post({}, JSON.stringify(opening))).headers['mcp-session-id'] }
  await post(session, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
  for (const [i, { request: sent, response }] of lines(name).entries()) {
    if (!sent) continue
    const opens = sent.body?.method === 'initialize' || sent.method !== 'POST'
    const body = sent.raw_body ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body))
    const answer = await post({ ...(!opens && session), ...sent.headers }, body, sent.method)
    compare(name, i + 1, response, form(answer))
  }
}

async function replayClient(name, url) {
  const client = new OldClient({ name: 'golden', version: '0' })
  const calls = {
    connect: async () => {
      const transport = new OldHttp(new URL(url))
      await client.connect(transport)
      return { protocol: transport.protocolVersion, server: client.getServerVersion(), caps: client.getServerCapabilities() }
    },
    ping: () => client.ping(),
    listTools: () => client.listTools(),
    'callTool echo': () => client.callTool({ name: 'bdd__echo', arguments: { msg: 'x' } }),
    'callTool fail': () => client.callTool({ name: 'bdd__fail', arguments: {} }),
    'callTool hidden': () => client.callTool({ name: 'state__get', arguments: {} }),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: () => client.readResource({ uri: 'iii://demo' }),
    'readResource unknown': () => client.readResource({ uri: 'iii://nope' }),
    listPrompts: () => client.listPrompts(),
    getPrompt: () => client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } }),
    'getPrompt unknown': () => client.getPrompt({ name: 'nope' }),
    close: async () => void (await client.close()),
  }
  for (const [i, line] of lines(name).entries()) {
    if (!line.client) continue
    const outcome = await calls[line.call]().then(
      (value) => ({ outcome: 'ok', ...(value && { value }) }),
      (error) => ({ outcome: 'error', error: { name: error.constructor.name, code: error.code, message: error.message } }),
    )
    const { client: _, call: __, ...recorded } = line
    compare(name, i + 1, recorded, outcome)
  }
}

async function replayBus(name, worker) {
  for (const [i, line] of lines(name).entries()) {
    const answer = await call(worker, line.call.function_id, line.call.payload).then(
      (value) => ({ answer: value }),
      (error) => ({ error: { code: error.code } }),
    )
    compare(name, i + 1, { answer: line.answer }, answer)
  }
}

const after = []
const config = join(tempDir(), 'config.yaml')
writeFileSync(config, 'mcp_tools: all\nmcp_hidden: ["secret::"]\nbuiltin_docs: false\nauto_download: false\n')
const engine = await startEngine({ args: ['--skills', tempDir(), '--config', config], env: { HOME: tempDir() } })
const worker = await populate((action) => after.push(action), engine.url)
const url = `${engine.http}/mcp`
for (const name of raw) await replayRaw(name, url)
await replayClient('http-sdk-client', url)
await replayBus('bus-direct', worker)
for (const action of after) await action()
await engine.stop()

const stale = allow.stale(compared)
for (const { file, line } of stale) console.log(`STALE ${file}:${line} is listed, but nothing differs`)
if (record) writeDeviations(deviations, allow.list)
console.log(`total ${compared.length}: ${counts.same} same, ${counts.allowed} listed, ${counts.differ} unlisted`)
process.exit(counts.differ || stale.length ? 1 : 0)
