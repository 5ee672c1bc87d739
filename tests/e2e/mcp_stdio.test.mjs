// `iii-directory mcp` with the official TypeScript clients, and as a program: both dialects on one process.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { startEngine, tempDir } from './lib/engine.mjs'
import { browse, callTools, clients, hearOfEdits, skillsFolder, stdioArgs, verifySkills } from './lib/mcp.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { call, connect, sdks } from './lib/sdks.mjs'
import { eventually, within } from './lib/wait.mjs'

const stateless = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
const envelope = (id, method, params = {}) => ({ jsonrpc: '2.0', id, method, params: { ...params, _meta: stateless } })

for (const name of Object.keys(clients({ folder: { root: '/' } }))) {
  test(`N05 N52 N68 ${name}: browse, call, verify, hear of edits`, async (t) => {
    const folder = skillsFolder()
    const { connect: open, version, skills, old } = clients({ folder })[name]
    const client = await open()
    t.after(() => client.close())
    if (client.getNegotiatedProtocolVersion) assert.equal(client.getNegotiatedProtocolVersion(), version)
    assert.match(client.getInstructions(), /`find`/)
    await browse(client)
    await callTools(client)
    if (skills) await verifySkills(client)
    await hearOfEdits(client, folder, version, old)
  })
}

/** A process and its lines. */
function raw(folder, args = []) {
  const child = spawn(directoryBin, stdioArgs(folder, args), { env: { ...process.env, HOME: folder.root }, cwd: folder.root, stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = []
  const waiting = new Set()
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line)) // N57: anything else fails here
    for (const wake of [...waiting]) wake()
  })
  const until = (pred, what) =>
    within(
      new Promise((resolve) => {
        const check = () => {
          const found = lines.find(pred)
          if (found) resolve(found), waiting.delete(check)
        }
        waiting.add(check)
        check()
      }),
      what,
    )
  return {
    child,
    lines,
    send: (...messages) => child.stdin.write(messages.map((m) => (typeof m === 'string' ? m : JSON.stringify(m)) + '\n').join('')),
    answer: (id) => until((m) => m.id === id, `the answer to ${id}`),
    notice: (method) => until((m) => m.method === method, method),
    exit: once(child, 'close').then(([code]) => code),
  }
}

test('N51 N60 both dialects take turns on one process', async () => {
  const server = raw(skillsFolder())
  server.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, envelope('d', 'server/discover'))
  assert.equal((await server.answer(1)).error.code, -32602)
  assert.equal((await server.answer('d')).result.resultType, 'complete')
  server.send({ jsonrpc: '2.0', id: 2, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '0' } } })
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  server.send({ jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri: 'test://nope' } }, envelope(4, 'resources/read', { uri: 'test://nope' }))
  assert.equal((await server.answer(2)).result.protocolVersion, '2025-06-18')
  assert.equal((await server.answer(3)).error.code, -32002)
  assert.equal((await server.answer(4)).error.code, -32602)
  server.send('garbage', '', '[]', { jsonrpc: '2.0', id: null, method: 'ping' }, { jsonrpc: '2.0', id: 9, method: 'ping' })
  await server.answer(9)
  assert.deepEqual(server.lines.filter((m) => m.error && !('id' in m)).map((m) => m.error.code), [-32700, -32600, -32600])
  server.child.stdin.end()
  assert.equal(await server.exit, 0)
})

test('N63 N65 the end of input ends listen streams with results, and the process', async () => {
  const server = raw(skillsFolder())
  server.send(envelope('L', 'subscriptions/listen', { notifications: { toolsListChanged: true } }))
  await server.notice('notifications/subscriptions/acknowledged')
  server.child.stdin.end()
  const started = process.hrtime.bigint()
  assert.equal(await server.exit, 0)
  const ms = Number(process.hrtime.bigint() - started) / 1e6
  assert.ok(ms < 10_000, `${ms} ms`)
  assert.deepEqual(server.lines.slice(1).map((m) => m.id ?? m.params.requestId), ['L', 'L'])
})

test('requests in a pipe are answered before the process ends', async () => {
  const folder = skillsFolder()
  const input = [envelope(1, 'resources/read', { uri: 'iii://demo' }), envelope(2, 'tools/list')].map((m) => JSON.stringify(m)).join('\n')
  const { code, stdout } = await run(directoryBin, stdioArgs(folder), { input, env: { HOME: folder.root } })
  assert.equal(code, 0)
  assert.deepEqual(stdout.trim().split('\n').map((line) => JSON.parse(line).id).sort(), [1, 2])
})

test('N58 a process that is probed and killed leaves nothing behind; 20 times in a row', async () => {
  const folder = skillsFolder()
  for (let i = 0; i < 20; ++i) {
    const probe = raw(folder)
    probe.send(envelope('server-discover-probe-1', 'server/discover'))
    await probe.answer('server-discover-probe-1')
    probe.child.stdin.end()
    probe.child.kill(i % 2 ? 'SIGTERM' : 'SIGKILL')
    const code = await probe.exit
    if (i % 2) assert.equal(code, 0)
  }
  const server = raw(folder)
  server.send(envelope(1, 'resources/read', { uri: 'iii://demo' }))
  assert.match((await server.answer(1)).result.contents[0].text, /Do it/)
  server.child.kill('SIGTERM')
  assert.equal(await server.exit, 0)
})

test('N58 N59 started twice at the same time and killed at any moment: the next start answers at once and rightly', async () => {
  const folder = skillsFolder()
  for (let i = 0; i < 300; ++i) folder.put(`many/skill-${i}/SKILL.md`, `---\nname: skill-${i}\ndescription: Number ${i}.\n---\nText.\n`)
  for (let i = 0; i < 12; ++i) {
    const both = [raw(folder), raw(folder)]
    const message = envelope('probe', i % 3 ? 'server/discover' : 'skills/list')
    for (const each of both) each.send(message)
    // Before the first byte, after the answer, or while the folders are being read and the index is being written.
    if (i % 4 === 1) await Promise.all(both.map((each) => each.answer('probe')))
    if (i % 4 === 2) await both[0].answer('probe')
    if (i % 4 === 3) both[1].child.stdin.end()
    for (const each of both) each.child.kill('SIGKILL')
    await Promise.all(both.map((each) => each.exit))
  }
  const [first, second] = [raw(folder), raw(folder)]
  for (const each of [first, second]) {
    each.send(envelope(1, 'server/discover'), envelope(2, 'resources/read', { uri: 'iii://many/skill-299' }))
    assert.equal((await each.answer(1)).result.resultType, 'complete')
    assert.match((await each.answer(2)).result.contents[0].text, /Text\./)
    assert.equal(each.lines[0].id, 1) // discover does not wait for the folders
    each.child.stdin.end()
    assert.equal(await each.exit, 0)
  }
})

test('N51 N62 both dialects at the same time on one process, with listen streams between', async () => {
  const folder = skillsFolder()
  const server = raw(folder)
  server.send({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '0' } } }, { jsonrpc: '2.0', method: 'notifications/initialized' })
  server.send(envelope('L1', 'subscriptions/listen', { notifications: { resourceSubscriptions: ['iii://demo'] } }), envelope(2, 'subscriptions/listen', { notifications: { resourcesListChanged: true } }))
  server.send({ jsonrpc: '2.0', id: 's', method: 'resources/subscribe', params: { uri: 'skill://demo/SKILL.md' } })
  await server.answer('s')
  const ids = []
  for (let i = 0; i < 100; ++i) {
    const params = { uri: i % 3 ? 'iii://demo' : 'iii://nope' }
    server.send(i % 2 ? envelope(`m${i}`, 'resources/read', params) : { jsonrpc: '2.0', id: `m${i}`, method: 'resources/read', params })
    ids.push(`m${i}`)
  }
  for (const [i, id] of ids.entries()) {
    const { result, error } = await server.answer(id)
    if (i % 3) assert.equal('resultType' in result, i % 2 === 1, id)
    else assert.equal(error.code, i % 2 ? -32602 : -32002, id)
  }
  folder.put('demo/SKILL.md', '---\nname: demo\ndescription: Other.\n---\nEdited.\n')
  const key = 'io.modelcontextprotocol/subscriptionId'
  const heard = (id, method) => server.lines.filter((m) => m.method === `notifications/resources/${method}` && m.params?._meta?.[key] === id)
  await eventually('both streams and the session', () => heard('L1', 'updated').length && heard(2, 'list_changed').length && heard(undefined, 'updated').length)
  assert.ok(heard('L1', 'updated').every((m) => m.params.uri === 'iii://demo'))
  assert.ok(heard(undefined, 'updated').every((m) => m.params.uri === 'skill://demo/SKILL.md'))
  assert.deepEqual([heard('L1', 'list_changed'), heard(2, 'updated')], [[], []])
  server.child.stdin.end()
  assert.equal(await server.exit, 0)
})

test('--url offers the functions of an engine as soon as there is one', async (t) => {
  const folder = skillsFolder()
  const engine = await startEngine({ args: ['--engine-only'] })
  t.after(() => engine.stop())
  const node = connect(t, sdks['0.22.1'], engine.url)
  node.registerFunction('shop::add', async ({ a, b }) => a + b, { description: 'Adds two numbers.' })
  await eventually('the function', () => call(node, 'shop::add', { a: 1, b: 2 }))
  const server = raw(folder, ['--url', engine.url, '--tools', 'all'])
  t.after(() => server.child.kill())
  let id = 0
  const tools = async () => {
    server.send(envelope(++id, 'tools/list'))
    return (await server.answer(id)).result.tools.map((tool) => tool.name)
  }
  await eventually('the tool', async () => (await tools()).includes('shop__add'))
  assert.ok(!(await tools()).some((name) => name.startsWith('engine__') || name.startsWith('state__')))
  server.send(envelope('c', 'tools/call', { name: 'shop__add', arguments: { a: 2, b: 3 } }))
  assert.equal((await server.answer('c')).result.content[0].text, '5')
  server.send(envelope('g', 'tools/call', { name: 'call', arguments: { function: 'engine::functions::list' } }))
  assert.equal((await server.answer('g')).result.isError, true)
})

test('--url to an engine that is not there does not keep the client waiting', async () => {
  const server = raw(skillsFolder(), ['--url', 'ws://127.0.0.1:1'])
  server.send(envelope(1, 'resources/read', { uri: 'iii://demo' }), envelope(2, 'tools/call', { name: 'call', arguments: { function: 'a::b' } }))
  assert.ok((await server.answer(1)).result)
  assert.match((await server.answer(2)).result.content[0].text, /cannot be reached/)
  server.child.stdin.end()
  assert.equal(await server.exit, 0)
})

test('--print-config prints a snippet with the path of the program', async () => {
  const { code, stdout } = await run(directoryBin, ['mcp', '--print-config', 'cursor'])
  assert.equal(code, 0)
  const snippet = JSON.parse(stdout.slice(stdout.indexOf('{')))
  assert.equal(snippet.mcpServers['iii-directory'].command, directoryBin)
  assert.equal((await run(directoryBin, ['mcp', '--print-config', 'nope'])).code, 2)
  assert.equal((await run(directoryBin, ['mcp', '--tools', 'some'], { cwd: tempDir() })).code, 2)
})
