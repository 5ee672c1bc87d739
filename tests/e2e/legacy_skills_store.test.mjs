// Files and registrations are one store for workers of skills 0.1.5; and what happens when state is away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFor, needsOwnEngine, tempDir } from './lib/engine.mjs'
import { ids, offer, plain, refused, scoped, startWithScopes, subscribe } from './lib/legacy.mjs'
import { call, callable, connect, gone, sdks } from './lib/sdks.mjs'

const files = {
  'mail/SKILL.md': '# Mail\n\nSends mail.\n',
  'mail/send.md': '---\ntitle: Send\n---\nHow to send.\n',
  'mail/prompts/compose.md': '---\nname: compose\ndescription: Write a mail.\n---\nWrite a mail.\n',
}
const read = async (node, uri) => (await call(node, 'skills::resources-read', { uri })).contents[0].text

test('files are read, listed and indexed like registrations', async (t) => {
  const { node } = await startWithScopes(t, { files })
  const id = scoped('zz')
  const { registered_at } = await call(node, 'skills::register', { id, skill: '# Mine\n\nOf a worker.\n' })
  const { skills } = await call(node, 'skills::list', {})
  assert.deepEqual(ids(skills), [id, 'mail', 'mail/send'].sort())
  const mine = skills.find((row) => row.id === id)
  assert.deepEqual(mine, { id, bytes: 21, registered_at, modified_at: registered_at, origin: 'registered' })
  const mail = skills.find((row) => row.id === 'mail')
  assert.deepEqual([mail.origin, mail.bytes, mail.registered_at], ['file', 20, mail.modified_at])
  assert.match(mail.modified_at, /\+00:00$/)

  const { resources } = await call(node, 'skills::resources-list', {})
  assert.deepEqual(new Set(ids(resources, 'uri')), new Set(['iii://skills', `iii://${id}`, 'iii://mail', 'iii://mail/send']))
  assert.equal(await read(node, 'iii://mail'), '# Mail\n\nSends mail.\n')
  assert.equal(await read(node, 'iii://mail/send'), 'How to send.\n')
  const page = await read(node, 'iii://skills')
  assert.ok(page.includes('- [`mail/send`](iii://mail/send) — Send — How to send.\n'), page)
  assert.ok(page.includes('Mine — Of a worker.'), page)

  const { prompts } = await call(node, 'prompts::list', {})
  assert.deepEqual(prompts, [
    {
      name: 'compose', description: 'Write a mail.', function_id: '', arguments: 0, registered_at: prompts[0].modified_at,
      modified_at: prompts[0].modified_at, origin: 'file',
    },
  ])
  assert.deepEqual(await call(node, 'prompts::mcp-list', {}), { prompts: [{ name: 'compose', description: 'Write a mail.', arguments: [] }] })
  assert.deepEqual((await call(node, 'prompts::mcp-get', { name: 'compose', arguments: {} })).messages, [
    { role: 'user', content: { type: 'text', text: 'Write a mail.\n' } },
  ])
})

test('where one id has both, the file wins', async (t) => {
  const { node } = await startWithScopes(t, { files })
  await call(node, 'skills::register', { id: 'mail', skill: '# Other mail\n' })
  const handler = await offer(node, async () => 'from the handler')
  await call(node, 'prompts::register', { name: 'compose', description: 'Other', function_id: handler })
  const { skills } = await call(node, 'skills::list', {})
  assert.deepEqual(skills.filter((row) => row.id === 'mail').map((row) => row.origin), ['file'])
  assert.equal(await read(node, 'iii://mail'), '# Mail\n\nSends mail.\n')
  // The index of 0.4.1 shows on-disk ids: the file's is `mail/index`, and nothing stands beside it.
  const index = await call(node, 'skill::fetch', { uri: 'iii://skills' })
  assert.ok(index.includes('(iii://mail/index)') && !index.includes('(iii://mail)'), index)
  const { prompts } = await call(node, 'prompts::list', {})
  assert.deepEqual(prompts.map((row) => [row.name, row.origin]), [['compose', 'file']])
  assert.equal((await call(node, 'prompts::mcp-get', { name: 'compose' })).messages[0].content.text, 'Write a mail.\n')
})

test('without state, files are served and the rest says why it is missing', { skip: needsOwnEngine }, async (t) => {
  const engine = await engineFor(t, { args: ['--engine-only', '--no-worker-manager', '--no-state'] })
  const { node } = await startWithScopes(t, { files, engine })
  const { skills, incomplete } = await call(node, 'skills::list', {})
  assert.deepEqual(ids(skills), ['mail', 'mail/send'])
  assert.match(incomplete, /state::list.*function_not_found/)
  assert.deepEqual(ids((await call(node, 'prompts::list', {})).prompts, 'name'), ['compose'])
  assert.equal((await call(node, 'skills::resources-list', {})).resources.length, 3)
  assert.equal((await call(node, 'prompts::mcp-list', {})).prompts.length, 1)
  const page = await read(node, 'iii://skills')
  assert.ok(page.includes('iii://mail/send') && page.includes('function_not_found'), page)
  assert.equal(await read(node, 'iii://mail'), '# Mail\n\nSends mail.\n')
  await refused(node, 'skills::register', { id: 'a', skill: 'x' }, 'state::set', 'function_not_found')
  await refused(node, 'skills::unregister', { id: 'a' }, 'state::delete')
  await refused(node, 'skills::resources-read', { uri: 'iii://a' }, 'state::get')
  await refused(node, 'prompts::mcp-get', { name: 'a' }, 'state::get')
})

test('a state that never answers is given up, never waited for', { skip: needsOwnEngine }, async (t) => {
  const engine = await engineFor(t, { args: ['--engine-only', '--no-worker-manager', '--no-state'] })
  const silent = connect(t, sdks['0.22.1'], engine.url)
  for (const op of ['set', 'get', 'delete', 'list']) silent.registerFunction(`state::${op}`, () => new Promise(() => {}))
  await callable(silent, 'state::list')
  const { node } = await startWithScopes(t, { engine, config: { state_timeout_ms: 200 } })
  await refused(node, 'skills::register', { id: 'a', skill: 'x' }, 'state::set', 'timed out')
  await refused(node, 'skills::list', {}, 'state::list', 'timed out')
  assert.equal((await call(node, 'skills::resources-list', {})).resources.length, 1)
  assert.deepEqual(await call(node, 'prompts::mcp-list', {}), { prompts: [] })
  assert.match(await read(node, 'iii://skills'), /timed out/)
})

test('under serve, in one process with the engine', { skip: needsOwnEngine }, async (t) => {
  const engine = await engineFor(t, { env: { HOME: tempDir(), III_DIRECTORY_BUILTIN_DOCS: 'false', III_DIRECTORY_LOCAL_SKILLS_FOLDER: tempDir() } })
  const node = connect(t, sdks['0.22.1'], engine.url)
  const { heard } = await subscribe(node, 'skills::on-change')
  await call(node, 'skills::register', { id: 'a', skill: '# A\n' })
  assert.deepEqual(plain(await heard.next('the event')), { op: 'register', id: 'a' })
  assert.equal(await read(node, 'iii://a'), '# A\n')
  // The section calls back into the very process that asks.
  const { version } = JSON.parse(await read(node, 'iii://a/directory::health'))
  assert.equal(typeof version, 'string')
  assert.deepEqual(await call(node, 'skills::unregister', { id: 'a' }), { id: 'a', removed: true })
})

test('scopes and the switch', async (t) => {
  const id = scoped('mine')
  const directory = await startWithScopes(t)
  await call(directory.node, 'skills::register', { id, skill: 'x' })
  assert.equal((await call(directory.node, 'state::get', { scope: directory.scopes.skills, key: id })).id, id)
  await call(directory.node, 'prompts::register', { name: id, description: 'd', function_id: 'f' })
  assert.equal((await call(directory.node, 'state::get', { scope: directory.scopes.prompts, key: id })).name, id)

  await directory.end()
  const off = await startWithScopes(t, { config: { legacy_skills: false } })
  await gone(off.node, 'skills::register')
  await gone(off.node, 'prompts::mcp-get')
})
