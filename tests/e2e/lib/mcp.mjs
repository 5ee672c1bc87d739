// Official MCP clients, and what they do with a server: the same steps over every transport and in both dialects.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { tempDir } from './engine.mjs'
import { directoryBin } from './process.mjs'
import { eventually } from './wait.mjs'

/** For programs outside this folder, which cannot import packages by name. */
export { OldClient, OldHttp }

/** A folder of skills and a way to change it. */
export function skillsFolder() {
  const root = tempDir()
  const put = (path, bytes) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), bytes)
  }
  put('demo/SKILL.md', '---\nname: demo\ndescription: Shows how it is done.\nlicense: MIT\n---\n# Demo\n\nDo it.\n')
  put('demo/scripts/run.py', 'print("ünï")\r\n')
  put('demo/assets/logo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]))
  put('ns/other-one/SKILL.md', '---\nname: other-one\ndescription: Another.\n---\nText.\n')
  put('bad/SKILL.md', '---\nname: Not Valid\ndescription: x\n---\nText.\n')
  put('prompts/review.md', '---\nname: review\ndescription: Reviews.\narguments:\n  - name: pr\n    required: true\n---\nReview {{pr}}.\n')
  return { root, put, remove: (path) => rmSync(join(root, path), { recursive: true }) }
}

export const stdioArgs = (folder, more = []) => ['mcp', '--skills', folder.root, ...more]

/** How to connect: one entry per official client, dialect and transport. */
export function clients({ folder, url, args = [] }) {
  const env = { ...process.env, HOME: folder.root, III_URL: '' }
  const params = () => ({ command: directoryBin, args: stdioArgs(folder, args), env, cwd: folder.root, stderr: 'ignore' })
  const info = { name: 'e2e', version: '0' }
  const modern = (mode, transport) => async (options = {}) => {
    const client = new Client(info, { versionNegotiation: { mode }, ...options })
    await client.connect(transport())
    return client
  }
  const legacy = (transport) => async () => {
    const client = new OldClient(info)
    await client.connect(transport())
    return client
  }
  const all = {}
  if (url) {
    all['client 2, auto, http'] = { connect: modern('auto', () => new StreamableHTTPClientTransport(new URL(url))), version: '2026-07-28', skills: true }
    all['client 2, handshake, http'] = { connect: modern('legacy', () => new StreamableHTTPClientTransport(new URL(url))), version: '2025-11-25', skills: true }
    all['sdk 1, http'] = { connect: legacy(() => new OldHttp(new URL(url))), version: '2025-11-25', old: true }
  } else {
    all['client 2, auto, stdio'] = { connect: modern('auto', () => new StdioClientTransport(params())), version: '2026-07-28', skills: true }
    all['client 2, handshake, stdio'] = { connect: modern('legacy', () => new StdioClientTransport(params())), version: '2025-11-25', skills: true }
    all['sdk 1, stdio'] = { connect: legacy(() => new OldStdio(params())), version: '2025-11-25', old: true }
  }
  return all
}

/** Lists and reads everything. */
export async function browse(client) {
  const { tools } = await client.listTools()
  assert.deepEqual(tools.map((tool) => tool.name), ['call', 'find', 'read'])
  const { resources } = await client.listResources()
  const uris = resources.map((row) => row.uri)
  for (const uri of ['iii://skills', 'iii://demo', 'skill://demo/SKILL.md', 'skill://ns/other-one/SKILL.md']) {
    assert.ok(uris.includes(uri), `${uri} in ${uris}`)
  }
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri })
    assert.equal(contents.length, 1, uri)
  }
  const { resourceTemplates } = await client.listResourceTemplates()
  assert.equal(resourceTemplates.length, 3)
  const { prompts } = await client.listPrompts()
  assert.deepEqual(prompts.map((row) => [row.name, row.arguments[0].name]), [['review', 'pr']])
  const prompt = await client.getPrompt({ name: 'review', arguments: { pr: '#7' } })
  assert.equal(prompt.messages[0].content.text, 'Review #7.\n')
  await assert.rejects(client.getPrompt({ name: 'review', arguments: {} }))
  const done = await client.complete({ ref: { type: 'ref/resource', uri: 'iii://{+id}' }, argument: { name: 'id', value: 'de' } })
  assert.deepEqual(done.completion.values, ['demo'])
}

export async function callTools(client) {
  const found = await client.callTool({ name: 'find', arguments: { query: 'shows done' } })
  assert.match(found.content[0].text, /`demo`/)
  const read = await client.callTool({ name: 'read', arguments: { id: 'demo' } })
  assert.match(read.content[0].text, /Do it\./)
  const called = await client.callTool({ name: 'call', arguments: { function: 'directory::skills::list', arguments: { prefix: 'demo' } } })
  assert.match(called.content[0].text, /"demo"/)
  const failed = await client.callTool({ name: 'read', arguments: { id: 'nope' } })
  assert.equal(failed.isError, true)
  await assert.rejects(client.callTool({ name: 'no-such', arguments: {} }))
  await assert.rejects(client.readResource({ uri: 'iii://nope' }), (error) => [-32602, -32002].includes(error.code))
}

/** N68: the TypeScript client verifies size, digest and frontmatter of every file. */
export async function verifySkills(client) {
  const skills = new SkillsClient(client)
  assert.ok(skills.supported && skills.directoryRead)
  const { skills: entries } = await skills.list()
  assert.deepEqual(entries.map((entry) => entry.uri).filter((uri) => !uri.includes('iii')), ['skill://demo/SKILL.md', 'skill://ns/other-one/SKILL.md'])
  for (const entry of entries) {
    assert.deepEqual((await skills.get(entry.uri)).skill, entry)
    for (const file of entry.resources) {
      assert.equal((await skills.read(entry, file.uri)).verified, true, file.uri)
    }
  }
  const { resources } = await skills.readDirectory('skill://demo')
  assert.deepEqual(resources.map((row) => row.name), ['SKILL.md', 'assets', 'scripts'])
}

/** Subscribes, edits a file, and hears of it. */
export async function hearOfEdits(client, folder, version, old) {
  const heard = []
  if (old) {
    const { ResourceUpdatedNotificationSchema, ResourceListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js')
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, (notice) => void heard.push(notice.params.uri))
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void heard.push('list'))
  } else {
    client.setNotificationHandler('notifications/resources/updated', (notice) => void heard.push(notice.params.uri))
    client.setNotificationHandler('notifications/resources/list_changed', () => void heard.push('list'))
  }
  let subscription
  if (version === '2026-07-28') {
    subscription = await client.listen({ resourcesListChanged: true, resourceSubscriptions: ['iii://demo'] })
  } else {
    await client.subscribeResource({ uri: 'iii://demo' })
  }
  let round = 0
  // A session over HTTP has its stream only a moment after `initialize`: notices before that are not for it.
  await eventually('a notice about the edit', async () => {
    folder.put('demo/SKILL.md', `---\nname: demo\ndescription: Shows how it is done.\nlicense: MIT\n---\n# Demo\n\nRound ${++round}.\n`)
    await eventually('it', () => heard.includes('iii://demo'), 500)
    return true
  })
  const { contents } = await client.readResource({ uri: 'iii://demo' })
  assert.match(contents[0].text, /Round \d+\./)
  folder.put('new-one.md', '# New\n\nText.\n')
  await eventually('a notice about the list', () => heard.includes('list'))
  await subscription?.close()
  folder.remove('new-one.md')
}
