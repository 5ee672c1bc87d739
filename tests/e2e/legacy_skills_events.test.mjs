// skills::on-change and prompts::on-change: the rows F of the checklist of skills 0.1.5, and what its subscribers rely on.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { put } from './lib/directory.mjs'
import { plain, refused, scoped, startWithScopes, subscribe } from './lib/legacy.mjs'
import { RawPeer } from './lib/raw.mjs'
import { call, gone, unique } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'
import { deferred, eventually } from './lib/wait.mjs'

const skills = 'skills::on-change'
const prompts = 'prompts::on-change'

test('registrations are told', async (t) => {
  const { node, scopes } = await startWithScopes(t)
  const ofSkills = await subscribe(node, skills)
  const ofPrompts = await subscribe(node, prompts)
  const register = (id) => call(node, 'skills::register', { id, skill: 'x' })
  const prompt = (name) => call(node, 'prompts::register', { name, description: 'd', function_id: 'f' })
  const next = async ({ heard }) => plain(await heard.next('an event'))

  await t.test('F1 a skill', async () => {
    const id = scoped('a')
    await register(id)
    assert.deepEqual(await next(ofSkills), { op: 'register', id })
  })
  await t.test('F2 a skill comes and goes', async () => {
    const id = scoped('a')
    await register(id)
    await call(node, 'skills::unregister', { id })
    assert.deepEqual([await next(ofSkills), await next(ofSkills)], [{ op: 'register', id }, { op: 'unregister', id }])
  })
  await t.test('F3 three at once', async () => {
    const three = [scoped('a'), scoped('b'), scoped('c')]
    await Promise.all(three.map(register))
    const heard = [await next(ofSkills), await next(ofSkills), await next(ofSkills)]
    assert.deepEqual(heard.map((e) => e.id).sort(), [...three].sort())
  })
  await t.test('F4 a prompt', async () => {
    const name = scoped('p')
    await prompt(name)
    assert.deepEqual(await next(ofPrompts), { op: 'register', name })
  })
  await t.test('F5 a prompt comes and goes', async () => {
    const name = scoped('p')
    await prompt(name)
    await call(node, 'prompts::unregister', { name })
    assert.deepEqual([await next(ofPrompts), await next(ofPrompts)], [{ op: 'register', name }, { op: 'unregister', name }])
  })
  await t.test('what changed nothing is not told', async () => {
    const id = scoped('a')
    await register(id)
    await call(node, 'skills::unregister', { id })
    await call(node, 'skills::unregister', { id })
    await refused(node, 'skills::register', { id: 'BAD', skill: 'x' }, 'lowercase')
    await refused(node, 'skills::register', { id, skill: '' }, 'non-empty')
    await call(node, 'state::set', { scope: scopes.skills, key: id, value: { id, skill: 'x', registered_at: 't' } })
    await call(node, 'skills::list', {})
    // Whatever had been told would have come before this.
    const last = scoped('z')
    await register(last)
    assert.deepEqual(
      [await next(ofSkills), await next(ofSkills), await next(ofSkills)],
      [{ op: 'register', id }, { op: 'unregister', id }, { op: 'register', id: last }],
    )
    assert.deepEqual(ofPrompts.heard.drain(), [])
  })
  await t.test('each subscription is told', async () => {
    const binding = node.registerTrigger({ type: skills, function_id: ofSkills.id, config: { any: [1] } })
    await eventually('bound twice', async () => (await ofSkills.bound()) === 2)
    const id = scoped('two')
    await register(id)
    assert.deepEqual([await next(ofSkills), await next(ofSkills)], [{ op: 'register', id }, { op: 'register', id }])
    binding.unregister()
    await eventually('bound once', async () => (await ofSkills.bound()) === 1)
  })
  await t.test('whoever unsubscribed hears nothing more', async () => {
    const leaving = await subscribe(node, skills)
    leaving.binding.unregister()
    await eventually('unbound', async () => (await leaving.bound()) === 0)
    const id = scoped('after')
    await register(id)
    assert.deepEqual(await next(ofSkills), { op: 'register', id })
    assert.deepEqual(leaving.heard.drain(), [])
  })
  await t.test('a slow subscriber and a failing one hold nobody up', async () => {
    const release = deferred()
    const slow = await subscribe(node, skills, { answer: () => release.promise })
    const failing = await subscribe(node, skills, {
      answer: async () => {
        throw new Error('not today')
      },
    })
    const id = scoped('slow')
    assert.equal((await register(id)).id, id)
    assert.deepEqual(await next(slow), { op: 'register', id })
    assert.deepEqual(await next(failing), { op: 'register', id })
    assert.deepEqual(await next(ofSkills), { op: 'register', id })
    release.resolve(null)
  })
})

test('downloads are told to the same types as 0.4.1 told them; edits are not', async (t) => {
  const shelf = await startShelf(t, {
    mail: {
      version: '1.0.0',
      skills: { 'SKILL.md': '# Mail\n\nSends mail.\n' },
      prompts: [{ name: 'compose', description: 'Write a mail.', content: 'Write.' }],
    },
  })
  const { node, root, ask } = await startWithScopes(t, { config: { registry_url: shelf.url } })
  const ofSkills = await subscribe(node, skills)
  const ofPrompts = await subscribe(node, prompts)
  const edits = await subscribe(node, 'directory::skills::on-change')
  put(root, 'other/SKILL.md', '# Other\n\nBy hand.\n')
  await edits.heard.next('the edit')
  await ask('directory::skills::download', { worker: 'mail' })
  const event = { op: 'download', namespace: 'mail', source: 'registry' }
  assert.deepEqual(plain(await ofSkills.heard.next('the skills event')), event)
  assert.deepEqual(plain(await ofPrompts.heard.next('the prompts event')), event)
  assert.deepEqual(ofSkills.heard.drain(), [])
})

test('a subscription that came before the directory is honoured', async (t) => {
  const directory = await startWithScopes(t)
  const { node } = directory
  await directory.proc.stop()
  await gone(node, 'skills::register')
  const early = scoped('early')
  const heard = []
  node.registerFunction(early, async (event) => {
    heard.push(plain(event))
    return null
  })
  node.registerTrigger({ type: skills, function_id: early, config: {} })
  directory.boot()
  const id = scoped('a')
  await eventually('told', async () => {
    await call(node, 'skills::register', { id, skill: 'x' })
    return heard.length > 0
  })
  assert.deepEqual(heard[0], { op: 'register', id })
})

test('the metadata of a binding comes with its events', async (t) => {
  const { node, url } = await startWithScopes(t)
  const peer = await RawPeer.open(url)
  t.after(() => peer.end())
  const fn = unique('heard')
  peer.register(fn)
  for (const type of [skills, prompts]) peer.send({ type: 'registertrigger', id: randomUUID(), trigger_type: type, function_id: fn, config: {}, metadata: { of: type } })
  await peer.call('engine::workers::register', { name: scoped('binder'), runtime: 'e2e', pid: process.pid })
  await eventually('bound', async () => (await call(node, 'engine::registered-triggers::list', { function_id: fn })).registered_triggers.length === 2)
  const heard = () => peer.inbox.items.filter((f) => f.type === 'invokefunction' && f.function_id === fn)
  await call(node, 'skills::register', { id: scoped('a'), skill: 'x' })
  await call(node, 'prompts::register', { name: scoped('p'), description: 'd', function_id: 'f' })
  await peer.inbox.until(() => heard().length === 2, 'two events')
  assert.deepEqual(heard().map((f) => f.metadata), [{ of: skills }, { of: prompts }])
})
