// Inputs that are too large, on every way into the server: each is refused with its code, and everybody else is answered meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveConsole } from './lib/console.mjs'
import { needsOwnEngine } from './lib/engine.mjs'
import { call, connect, sdks } from './lib/sdks.mjs'

const own = { skip: needsOwnEngine }
const huge = 'x'.repeat(4_000_000)
const refused = /D122 too_large: the input has \d+ bytes, and \S+ takes at most 65536\. Next: call \S+ with less\./

async function serve(t) {
  const site = await serveConsole(t)
  for (let i = 0; i < 200; ++i) site.put(`p/prompts/prompt-${i}.md`, '---\ndescription: A prompt.\n---\nText.\n')
  return { site, node: connect(t, sdks['0.22.1'], site.engine.url) }
}

/** A session of the handshake dialect: `method, params` to the message that answers. */
async function mcpSession({ base }) {
  let session = {}
  const post = async (message) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...session }
    const response = await fetch(`${base}/mcp`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
    const text = await response.text()
    const id = response.headers.get('mcp-session-id')
    if (id) session = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
    return text && JSON.parse(text.startsWith('{') ? text : text.match(/^data: (\{.*)$/m)[1])
  }
  const clientInfo = { name: 'e2e', version: '1' }
  await post({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })
  await post({ method: 'notifications/initialized' })
  let last = 0
  return (method, params) => post({ id: ++last, method, params })
}

test('on the bus', own, async (t) => {
  const { node } = await serve(t)
  for (const [id, input] of [
    ['directory::skills::explain', { id: huge.slice(0, 1_000_000) }],
    ['directory::function-info', { function_id: huge }],
    ['directory::skills::get', { ids: Array(100).fill(huge.slice(0, 30_000)) }],
  ]) {
    await assert.rejects(call(node, id, input), (error) => /D122 too_large: .* Next: /.test(error.message), id)
  }
  await assert.rejects(call(node, 'directory::skills::explain', { id: huge.slice(0, 60_000) }), /D123 invalid_input: `id` has 60000 characters.* Next: /)
  assert.ok((await call(node, 'directory::health', {})).version)
})

test('by MCP', own, async (t) => {
  const { site } = await serve(t)
  const mcp = await mcpSession(site)
  const answer = await mcp('tools/call', { name: 'call', arguments: { function: 'directory::function-info', arguments: { function_id: huge } } })
  assert.equal(answer.result.isError, true)
  assert.match(answer.result.content[0].text, refused)
  const tooLong = (field) => new RegExp(`D123 invalid_input: \`${field}\` has 4000000 characters, and at most 1024 are accepted\\. Next: `)
  assert.match((await mcp('prompts/get', { name: huge })).error.message, tooLong('name'))
  assert.match((await mcp('resources/read', { uri: `iii://${huge}` })).error.message, tooLong('uri'))
  assert.match((await mcp('prompts/get', { name: 'prompt-x' })).error.message, /Did you mean: prompt-/)
})

test('from the console', own, async (t) => {
  const { site } = await serve(t)
  const answer = await site.call('directory::skills::explain', { id: huge })
  assert.equal(answer.status, 413)
  assert.equal(answer.code, 'D122')
  assert.match(answer.message, refused)
})
