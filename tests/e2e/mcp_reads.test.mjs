// Reading over MCP: how much one answer holds, who waits meanwhile, what runs (nothing), and what is not shown.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { request } from './lib/http.mjs'
import { skillsFolder } from './lib/mcp.mjs'
import { call, callable, connect, sdks } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const MIB = 1024 * 1024
const PART = 256 * 1024

/** A server with skills, and one way to ask it: `ask(method, params)` resolves to {result} or {error}. */
async function serve(t, { config = '', fill = () => {} } = {}) {
  const folder = skillsFolder()
  fill(folder)
  const file = join(tempDir(), 'config.yaml')
  writeFileSync(file, config)
  const engine = await startEngine({ args: ['--skills', folder.root, '--config', file], env: { HOME: folder.root } })
  t.after(() => engine.stop())
  let ids = 0
  const ask = async (method, params = {}) => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
    const name = params.name ?? params.uri
    const headers = {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name && { 'mcp-name': name }),
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++ids, method, params: { _meta, ...params } })
    return JSON.parse((await request(`${engine.http}/mcp`, { method: 'POST', headers, body })).body)
  }
  const tool = async (name, args) => (await ask('tools/call', { name, arguments: args })).result
  return { engine, ask, tool, callFunction: async (id, args = {}) => (await tool('call', { function: id, arguments: args })).content[0].text }
}

test('a large file comes in parts, and the parts are the file', own, async (t) => {
  const text = '\u0001ü'.repeat(PART)
  const { ask, tool } = await serve(t, { fill: (folder) => folder.put('demo/large.txt', text) })
  let got = ''
  for (let next = { id: 'skill://demo/large.txt' }; next; ) {
    const { content } = await tool('read', next)
    assert.ok(Buffer.byteLength(content[0].text) <= PART)
    got += content[0].text
    next = content[1] && JSON.parse(content[1].text.match(/call `read` with (\{.*\})\.$/)[1])
  }
  assert.equal(got, text)
  const { error, result } = await ask('resources/read', { uri: 'skill://demo/large.txt' })
  assert.ok(result, JSON.stringify(error))
})

test('reads of large files at the same time: nobody else waits for them, and the server can be stopped', own, async (t) => {
  const { engine, tool } = await serve(t, {
    fill: (folder) => {
      folder.put('demo/control.txt', Buffer.alloc(12 * MIB, 1))
      folder.put('demo/data.bin', Buffer.alloc(12 * MIB, 0xff))
    },
  })
  const order = []
  const note = (name) => (value) => (order.push(name), value)
  const reads = Array.from({ length: 60 }, (_, i) =>
    tool('read', { id: `skill://demo/${i % 2 ? 'control.txt' : 'data.bin'}` }).then(note('read')),
  )
  await Promise.all([
    request(`${engine.http}/healthz`).then(note('healthz')),
    tool('find', { query: 'how it is done' }).then(note('find')),
  ])
  assert.notEqual(order.filter((name) => name === 'read').length, reads.length, 'others waited for all reads')
  const answers = await Promise.all(reads)
  for (const { content } of answers) {
    assert.equal(content.length, 2)
    const bytes = content[0].text ?? Buffer.from(content[0].resource.blob, 'base64')
    assert.equal(bytes.length, PART)
  }
})

/** What ran on the bus. */
async function worker(t, url, name, functions) {
  const peer = connect(t, sdks['0.22.1'], url, { workerName: name })
  const ran = []
  for (const [id, { metadata, answer = `# ${id}` }] of Object.entries(functions))
    peer.registerFunction(id, async () => (ran.push(id), answer), { description: `Describes ${id}.`, metadata })
  await callable(peer, ...Object.keys(functions))
  return { peer, ran }
}

test('reading a section runs only what reads, or what belongs to the worker that registered the skill', own, async (t) => {
  const links = ['payments::refund_all', 'payments::report', 'demo-worker::guide', 'directory::lock::update', 'directory::backup', 'directory::health']
  const page = (skill) => `# ${skill}\n\n${links.map((id) => `[x](iii://${skill}/${id})`).join('\n')}\n`
  const { engine, ask, tool } = await serve(t, { fill: (folder) => folder.put('files.md', page('files')) })
  const demo = await worker(t, engine.url, 'demo-worker', {
    'demo-worker::guide': { answer: { content: '# Guide' } },
    'demo-worker::wipe': { metadata: { mcp: { destructive_hint: true } } },
  })
  const payments = await worker(t, engine.url, 'payments', {
    'payments::refund_all': {},
    'payments::report': { metadata: { mcp: { read_only_hint: true } }, answer: 'report' },
  })
  await call(demo.peer, 'skills::register', { id: 'demo-worker', skill: page('demo-worker') })
  // Under the name of somebody else.
  await call(demo.peer, 'skills::register', { id: 'payments', skill: page('payments') })
  await eventually('the registered skill', async () => (await ask('resources/read', { uri: 'iii://payments' })).result)

  const read = async (uri) => (await ask('resources/read', { uri })).result?.contents[0].text
  assert.equal(await read('iii://demo-worker/demo-worker::guide'), '# Guide')
  assert.equal(await read('iii://demo-worker/payments::report'), 'report')
  assert.match(await read('iii://demo-worker/directory::health'), /"status"/)
  assert.deepEqual(demo.ran, ['demo-worker::guide'])
  assert.deepEqual(payments.ran, ['payments::report'])
  demo.ran.length = payments.ran.length = 0

  const refused = [
    'iii://demo-worker/demo-worker::wipe',
    'iii://demo-worker/payments::refund_all',
    'iii://payments/payments::refund_all',
    'iii://demo-worker/directory::lock::update',
    'iii://demo-worker/directory::backup',
    ...links.map((id) => `iii://files/${id}`),
  ]
  for (const uri of refused) {
    assert.ok((await ask('resources/read', { uri })).error, uri)
    const { isError, content } = await tool('read', { id: uri })
    assert.equal(isError, true, uri)
    if (!uri.includes('backup')) assert.match(content[0].text, /Next: .*`call`/, uri)
  }
  assert.deepEqual([demo.ran, payments.ran], [[], []])
})

test('functions for operators and hidden functions are not reached and not shown', own, async (t) => {
  const { engine, ask, tool, callFunction } = await serve(t, { config: 'mcp_hidden: ["secret::"]\n' })
  const secret = await worker(t, engine.url, 'secret', { 'secret::greet': { answer: 'Hello' }, 'open::greet': { answer: 'Hello' } })
  for (const name of ['secret', 'open'])
    await call(secret.peer, 'prompts::register', { name: `${name}-prompt`, description: 'Greets.', function_id: `${name}::greet`, arguments: [] })
  await eventually('the prompts', async () => (await ask('prompts/list')).result.prompts.some(({ name }) => name === 'open-prompt'))
  assert.deepEqual((await ask('prompts/list')).result.prompts.map(({ name }) => name).filter((name) => /prompt/.test(name)), ['open-prompt'])
  assert.match((await ask('prompts/get', { name: 'secret-prompt' })).error.message, /cannot be called/)
  assert.doesNotMatch((await ask('prompts/get', { name: 'secret-promp' })).error.message, /secret-prompt/)
  assert.equal((await ask('prompts/get', { name: 'open-prompt' })).result.messages[0].content.text, 'Hello')
  assert.deepEqual(secret.ran, ['open::greet'])

  for (const id of ['directory::log-level', 'directory::backup', 'directory::sessions']) assert.match(await callFunction(id), /`mcp_allow`/, id)
  for (const id of ['secret::greet', 'skill::fetch']) assert.match(await callFunction(id, { uri: 'iii://fn/secret/greet' }), /internal namespace/, id)
  for (const id of ['directory::engine::functions::list', 'directory::function-list', 'directory::worker-info', 'directory::search_functions']) {
    const shown = await callFunction(id, { name: 'secret', capabilities: ['greet somebody', 'describe secret greet'] })
    assert.doesNotMatch(shown, /secret::|directory::log-level/, id)
  }
  for (const input of [{}, { details: true }]) {
    assert.match(await callFunction('directory::prompts::list', input), /open-prompt/)
    assert.doesNotMatch(await callFunction('directory::prompts::list', input), /secret/)
  }
  assert.match(await callFunction('directory::prompts::get', { name: 'secret-prompt' }), /no such function or prompt/)
  assert.match(await callFunction('directory::engine::functions::info', { function_id: 'secret::greet' }), /no such function/)
  assert.doesNotMatch(await callFunction('directory::engine::functions::info', { function_id: 'secret::greets' }), /secret::greet\b/)
  assert.doesNotMatch((await tool('find', { query: 'secret::greet' })).content[0].text.replaceAll('`secret::greet`.', ''), /secret::greet/)
  const { completion } = (await ask('completion/complete', { ref: { type: 'ref/resource', uri: 'iii://fn/{function}' }, argument: { name: 'function', value: '' } })).result
  assert.ok(completion.values.includes('open::greet'))
  assert.ok(!completion.values.some((id) => /^secret::|log-level/.test(id)))
  assert.deepEqual(secret.ran, ['open::greet'])
})

test('the configuration allows functions for operators', own, async (t) => {
  const { callFunction, tool } = await serve(t, { config: 'mcp_allow: ["directory::log-level"]\nlog_level: warn\n' })
  assert.deepEqual(JSON.parse(await callFunction('directory::log-level')), { level: 'warn' })
  assert.match(await callFunction('directory::backup'), /`mcp_allow`/)
  assert.match((await tool('read', { id: 'directory::log-level' })).content[0].text, /^# directory::log-level/)
})
