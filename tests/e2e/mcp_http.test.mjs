// `/mcp` of `serve` with the official TypeScript clients, both dialects on one address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { browse, callTools, clients, hearOfEdits, skillsFolder, verifySkills } from './lib/mcp.mjs'

const own = { skip: needsOwnEngine }

async function serve(t, args = []) {
  const folder = skillsFolder()
  const engine = await startEngine({ args: ['--skills', folder.root, ...args], env: { HOME: folder.root } })
  t.after(() => engine.stop())
  const [, http] = engine.readyLine.match(/http=(\S+)/)
  return { folder, engine, url: `${http}/mcp`, base: http }
}

for (const name of Object.keys(clients({ folder: { root: '/' }, url: 'http://x' }))) {
  test(`N05 N52 N68 ${name}: browse, call, verify, hear of edits`, own, async (t) => {
    const { folder, url } = await serve(t)
    const { connect: open, version, skills, old } = clients({ folder, url })[name]
    const client = await open()
    t.after(() => client.close())
    if (client.getNegotiatedProtocolVersion) assert.equal(client.getNegotiatedProtocolVersion(), version)
    await browse(client)
    await callTools(client)
    if (skills) await verifySkills(client)
    await hearOfEdits(client, folder, version, old)
  })
}

test('N51 clients of both dialects at the same time', own, async (t) => {
  const { folder, url } = await serve(t)
  const all = await Promise.all(Object.values(clients({ folder, url })).map(({ connect: open }) => open()))
  t.after(() => Promise.all(all.map((client) => client.close())))
  for (let i = 0; i < 5; ++i) await Promise.all(all.map(callTools))
})

test('N18 N20 transport errors', own, async (t) => {
  const { url, base } = await serve(t)
  const post = async (headers, body) => {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
    return [response.status, (await response.json().catch(() => undefined))?.error?.code]
  }
  assert.deepEqual(await post({}, 'nonsense'), [400, -32700])
  assert.deepEqual(await post({ 'content-type': 'text/plain' }, '{}'), [415, -32600])
  assert.equal((await post({}, `"${'x'.repeat(5 * 1024 * 1024)}"`).catch(() => [413]))[0], 413)
  assert.equal((await post({ origin: 'http://evil.example.com' }, '{}'))[0], 403)
  assert.deepEqual(await post({ 'mcp-session-id': 'nope' }, '{"jsonrpc":"2.0","id":1,"method":"ping"}'), [404, -32001])
  assert.equal((await fetch(url)).status, 405)
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 405)
  assert.equal((await fetch(`${base}/healthz`)).status, 200)
})

test('with a token nobody else gets in, and results are private', own, async (t) => {
  const { url } = await serve(t, ['--token', 'sixteen-letters!'])
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'server/discover',
    params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } },
  })
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }
  assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 401)
  const response = await fetch(url, { method: 'POST', headers: { ...headers, authorization: 'Bearer sixteen-letters!' }, body })
  assert.equal((await response.json()).result.cacheScope, 'private')
})

test('N41 a thousand listen streams hear of an edit, and others are served meanwhile', own, async (t) => {
  const { folder, url } = await serve(t)
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28' }
  const stop = new AbortController()
  t.after(() => stop.abort())
  const listen = async (id) => {
    const params = { _meta, notifications: { resourceSubscriptions: ['iii://demo'] } }
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params })
    const response = await fetch(url, { method: 'POST', headers: { ...headers, 'mcp-method': 'subscriptions/listen' }, body, signal: stop.signal })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const until = async (word) => {
      while (!text.includes(word)) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`stream ${id} ended: ${text}`)
        text += value
      }
    }
    await until('acknowledged')
    return until
  }
  const streams = []
  for (let i = 0; i < 1000; i += 100) streams.push(...(await Promise.all(Array.from({ length: 100 }, (_, j) => listen(i + j)))))
  folder.put('demo/SKILL.md', '---\nname: demo\ndescription: Shows how it is done.\n---\nEdited.\n')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { _meta, uri: 'iii://demo' } })
  const read = await fetch(url, { method: 'POST', headers: { ...headers, 'mcp-method': 'resources/read', 'mcp-name': 'iii://demo' }, body })
  assert.match((await read.json()).result.contents[0].text, /Edited/)
  await Promise.all(streams.map((until) => until('resources/updated')))
})
