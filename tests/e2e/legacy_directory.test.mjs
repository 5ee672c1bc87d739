// iii-directory 0.4.1 and 0.5.1 through the bus: the engine and the registry as those versions showed them, iii:// addresses,
// downloads. The published SDK is the caller.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { put, startDirectory } from './lib/directory.mjs'
import { needsOwnEngine, tempDir } from './lib/engine.mjs'
import { makeRepository, startGitServer } from './lib/git_server.mjs'
import { startWithScopes } from './lib/legacy.mjs'
import { startRegistry } from './lib/registry.mjs'
import { call, callable, connect, failure, gone, sdks, typeKnown, unique } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'
import { eventually, Inbox } from './lib/wait.mjs'

const refusal = async (promise) => (await failure(promise)).message
const schema = { type: 'object', properties: { text: { type: 'string' } } }

/** A worker called `name` with functions below `name::`, a trigger type and a binding of it. */
async function colleague(t, { url, node }, name = unique('x').split(':')[0]) {
  const worker = connect(t, sdks['0.22.1'], url, { workerName: name })
  const observe = `${name}::observe`
  worker.registerFunction(observe, async () => 'observed', { description: 'Records an EVENT.', request_format: schema, response_format: { type: 'string' }, metadata: { colour: 'red' } })
  worker.registerFunction(`${name}::recall`, async () => ({ content: '# Recalled\n\nText.  \n' }), { description: 'Finds it again.' })
  worker.registerFunction(`${name}::table`, async () => ({ b: [1], a: 'ä' }))
  worker.registerTriggerType({ id: `${name}::on-event`, description: 'Something happened.' }, { registerTrigger: async () => {}, unregisterTrigger: async () => {} })
  await callable(node, observe, `${name}::recall`, `${name}::table`)
  await typeKnown(node, `${name}::on-event`)
  const config = { note: 'long '.repeat(40), at: 'noon' }
  worker.registerTrigger({ type: `${name}::on-event`, function_id: observe, config, metadata: { who: 'me' } })
  const row = await eventually('bound', async () => {
    const { registered_triggers } = await call(node, 'engine::registered-triggers::list', { function_id: observe })
    return registered_triggers[0]
  })
  return { worker, name, observe, config, binding: row.id }
}

const howTo = (head, body = '# How\n\nLike this.\n') => `---\ntype: how-to\n${head}\n---\n${body}`

describe('directory::*-list and *-info (0.4.1)', () => {
  test('functions: filters, order, owners', async (t) => {
    const directory = await startDirectory(t)
    const { ask } = directory
    const { name } = await colleague(t, directory)
    const ids = async (input) => (await ask('directory::function-list', input)).functions.map((f) => f.function_id)
    assert.deepEqual(await ids({ prefix: `${name}::` }), [`${name}::observe`, `${name}::recall`, `${name}::table`])
    assert.deepEqual(await ids({ prefix: `${name}::`, search: 'event' }), [`${name}::observe`])
    assert.deepEqual(await ids({ search: `${name}::REC` }), [`${name}::recall`])
    assert.deepEqual(await ids({ worker: name }), [`${name}::observe`, `${name}::recall`, `${name}::table`])
    assert.deepEqual(await ids({ worker: '' }), [])
    assert.deepEqual(await ids({ prefix: 'no-such-thing::' }), [])
    const { functions } = await ask('directory::function-list', { prefix: `${name}::observe` })
    assert.deepEqual(functions, [{ function_id: `${name}::observe`, name: 'observe', worker_name: name, namespace: 'default', description: 'Records an EVENT.' }])
    const all = await ids({})
    assert.deepEqual(all, [...all].sort())
    assert.ok(all.includes('directory::function-list'))
  })

  test('one function: schemas, metadata, triggers; blank and unknown ids', async (t) => {
    const directory = await startDirectory(t)
    const { ask } = directory
    const { name, observe, config, binding } = await colleague(t, directory)
    const found = await ask('directory::function-info', { function_id: ` ${observe} ` })
    assert.deepEqual(found.request_schema, schema)
    assert.deepEqual(found.response_schema, { type: 'string' })
    assert.deepEqual(found.metadata, { colour: 'red' })
    assert.equal(found.worker_name, name)
    assert.deepEqual(found.registered_triggers, [{ id: binding, trigger_type: `${name}::on-event`, config }])
    assert.equal('how_guide' in found, false)
    const plain = await ask('directory::function-info', { function_id: `${name}::table` })
    for (const key of ['description', 'metadata']) assert.equal(plain[key], null, key)
    assert.match(await refusal(ask('directory::function-info', { function_id: '  ' })), /non-empty/)
    const unknown = await refusal(ask('directory::function-info', { function_id: `${name}::obsrve` }))
    assert.match(unknown, /not found/)
    assert.ok(unknown.includes(`Did you mean: ${observe}`), unknown)
    assert.match(unknown, / Next: call directory::function-list/)
  })

  test('the how-to of a function: by list, by id, by link; nothing else counts; edits show at once', async (t) => {
    const directory = await startDirectory(t, {
      files: {
        'g/a.md': howTo('functions: [one::listed, other::x]\ntitle: By list'),
        'g/b.md': howTo('function_id: two::named'),
        'g/c.md': howTo('title: By link', '\n\nSee iii://fn/three/linked.\n\n'),
        'g/plain.md': '# Plain\n\niii://fn/four/plain and four::plain.\n',
        'g/reference.md': '---\ntype: reference\nfunctions: [four::plain]\n---\nText.\n',
      },
    })
    const { ask, node, root } = directory
    const names = ['one::listed', 'two::named', 'three::linked', 'four::plain']
    for (const id of names) node.registerFunction(id, async () => null)
    await callable(node, ...names)
    const guide = async (function_id) => (await ask('directory::function-info', { function_id })).how_guide
    const first = await guide('one::listed')
    assert.deepEqual(first, {
      skill_id: 'g/a',
      abs_path: join(root, 'g/a.md'),
      frontmatter: { type: 'how-to', functions: ['one::listed', 'other::x'], function_id: null, title: 'By list' },
      body: '# How\n\nLike this.',
    })
    assert.equal((await guide('two::named')).skill_id, 'g/b')
    const third = await guide('three::linked')
    assert.deepEqual([third.skill_id, third.body], ['g/c', 'See iii://fn/three/linked.'])
    assert.equal(await guide('four::plain'), undefined)
    put(root, 'g/plain.md', howTo('function_id: four::plain', 'Now it is.\n'))
    assert.equal((await guide('four::plain')).body, 'Now it is.')
  })

  test('trigger types: by namespace, with the number of their bindings', async (t) => {
    const directory = await startDirectory(t)
    const { ask } = directory
    const { name } = await colleague(t, directory)
    const row = { id: `${name}::on-event`, name: 'on-event', worker_name: name, description: 'Something happened.' }
    assert.deepEqual(await ask('directory::trigger-list', { worker: name }), { triggers: [row] })
    assert.deepEqual(await ask('directory::trigger-list', { prefix: `${name}::`, search: 'HAPPENED' }), { triggers: [row] })
    assert.deepEqual(await ask('directory::trigger-list', { search: 'no such words' }), { triggers: [] })
    const { triggers } = await ask('directory::trigger-list')
    assert.deepEqual(triggers.map((r) => r.id), triggers.map((r) => r.id).sort())
    const info = await ask('directory::trigger-info', { id: row.id })
    assert.deepEqual({ ...info, configuration_schema: 0, return_schema: 0 }, { ...row, configuration_schema: 0, return_schema: 0, instance_count: 1 })
    const ours = await ask('directory::trigger-info', { id: 'directory::skills::on-change' })
    assert.equal(ours.return_schema.type, 'object')
    assert.equal(ours.instance_count, 0)
    assert.match(await refusal(ask('directory::trigger-info', { id: 'no::such' })), /not found/)
    assert.match(await refusal(ask('directory::trigger-info', { id: '' })), /non-empty/)
  })

  test('bindings: exact filters, a summary of 80 characters, everything about one', async (t) => {
    const directory = await startDirectory(t)
    const { ask } = directory
    const { worker, name, observe, config, binding } = await colleague(t, directory)
    const list = async (input) => (await ask('directory::registered-trigger-list', input)).registered_triggers
    const [row] = await list({ trigger_type: `${name}::on-event` })
    const { config_summary, ...rest } = row
    assert.deepEqual(rest, { id: binding, trigger_type: `${name}::on-event`, function_id: observe, worker_name: name })
    assert.equal(config_summary.length, 83)
    assert.ok(config_summary.startsWith('{"at":"noon","note":"long '))
    assert.ok(config_summary.endsWith('...'))
    for (const input of [{ function_id: observe }, { worker: name }, { search: observe.toUpperCase() }]) assert.deepEqual(await list(input), [row])
    assert.deepEqual(await list({ function_id: 'bogus::function' }), [])
    assert.deepEqual(await list({ function_id: observe, trigger_type: 'cron' }), [])
    const info = await ask('directory::registered-trigger-info', { id: binding })
    assert.deepEqual(info.config, config)
    assert.deepEqual(info.metadata, { who: 'me' })
    assert.equal(info.trigger.instance_count, 1)
    assert.equal(info.trigger.name, 'on-event')
    assert.deepEqual(info.function.request_schema, schema)
    assert.match(await refusal(ask('directory::registered-trigger-info', { id: 'no-such-binding' })), /not found/)
    assert.match(await refusal(ask('directory::registered-trigger-info', { id: ' ' })), /non-empty/)
    // A binding may outlive what it names.
    const orphan = await call(directory.node, 'engine::register_trigger', { trigger_type: `${name}::on-event`, function_id: 'never::there', config: {} })
    const left = await ask('directory::registered-trigger-info', { id: orphan.id })
    assert.equal('function' in left, false)
    assert.equal(left.worker_name, 'never')
    await worker.shutdown()
  })

  test('workers: filters, no description, what one of them offers', async (t) => {
    const directory = await startDirectory(t)
    const { ask } = directory
    const { name, observe, binding } = await colleague(t, directory)
    const { workers } = await ask('directory::worker-list', { search: name.toUpperCase() })
    assert.equal(workers.length, 1)
    const [row] = workers
    assert.deepEqual(Object.keys(row).sort(), ['active_invocations', 'connected_at_ms', 'description', 'function_count', 'id', 'ip_address', 'isolation', 'name', 'os', 'runtime', 'status', 'version'])
    assert.deepEqual([row.name, row.description, row.status, row.runtime], [name, null, 'connected', 'node'])
    const all = (await ask('directory::worker-list')).workers
    assert.deepEqual(all.map((w) => w.description).filter((d) => d !== null), [])
    const names = all.map((w) => w.name ?? '')
    assert.deepEqual(names, [...names].sort())
    assert.deepEqual((await ask('directory::worker-list', { status: 'bogus' })).workers, [])
    assert.ok((await ask('directory::worker-list', { runtime: 'node' })).workers.some((w) => w.name === name))
    const info = await ask('directory::worker-info', { name })
    assert.equal(info.worker.id, row.id)
    assert.deepEqual(info.functions.map((f) => [f.function_id, f.name]), [[observe, 'observe'], [`${name}::recall`, 'recall'], [`${name}::table`, 'table']])
    assert.deepEqual(info.trigger_types, [{ id: `${name}::on-event`, name: 'on-event', description: 'Something happened.' }])
    assert.deepEqual(info.registered_triggers, [{ id: binding, trigger_type: `${name}::on-event`, function_id: observe }])
    assert.match(await refusal(ask('directory::worker-info', { name: 'nobody-of-that-name' })), /not found/)
    const ours = (await ask('directory::worker-info', { name: 'iii-directory' })).trigger_types.map((type) => type.id).sort()
    assert.deepEqual(ours, ['directory::prompts::on-change', 'directory::skills::on-change', 'prompts::on-change', 'skills::on-change'])
  })
})

describe('directory::engine::* (0.5.1)', () => {
  test('the same lists and details under later names, without the name columns', async (t) => {
    const directory = await startDirectory(t)
    const { ask } = directory
    const { name, observe, binding } = await colleague(t, directory)
    assert.deepEqual(await ask('directory::engine::functions::list', { prefix: observe }), { functions: [{ function_id: observe, worker_name: name, namespace: 'default', description: 'Records an EVENT.' }] })
    assert.deepEqual(await ask('directory::engine::triggers::list', { worker: name }), { triggers: [{ id: `${name}::on-event`, worker_name: name, description: 'Something happened.' }] })
    const type = await ask('directory::engine::triggers::info', { id: `${name}::on-event` })
    assert.equal(type.instance_count, 1)
    assert.equal('name' in type, false)
    const { registered_triggers } = await ask('directory::engine::registered-triggers::list', { worker: name })
    assert.deepEqual(registered_triggers.map((r) => r.id), [binding])
    const detail = await ask('directory::engine::registered-triggers::info', { id: binding })
    assert.deepEqual([detail.function.function_id, detail.trigger.id, 'name' in detail.function], [observe, `${name}::on-event`, false])
    const { workers } = await ask('directory::engine::workers::list', { search: name })
    assert.deepEqual(workers.map((w) => w.name), [name])
    const info = await ask('directory::engine::workers::info', { name })
    assert.deepEqual(info.functions[0], { function_id: observe, description: 'Records an EVENT.' })
    for (const [id, input] of [
      ['directory::engine::triggers::info', { id: 'no::such' }],
      ['directory::engine::registered-triggers::info', { id: 'no-such' }],
      ['directory::engine::workers::info', { name: 'no-such' }],
      ['directory::engine::functions::info', { function_id: 'no::such' }],
    ]) {
      assert.match(await refusal(ask(id, input)), /D340 not_found: .* was not found\..* Next: /, id)
    }
  })

  test('a function with its guide and the other documents that mention it', async (t) => {
    const { ask, node } = await startDirectory(t, {
      files: {
        'm/guide.md': howTo('function_id: mem::observe\ntitle: How to observe', 'Body.\n'),
        'm/linked.md': '# Linked\n\niii://fn/mem/observe\n',
        'm/named.md': '# Named\n\nCall `mem::observe`.\n',
        'm/other.md': '# Other\n\nNothing of that.\n',
      },
    })
    node.registerFunction('mem::observe', async () => null)
    await callable(node, 'mem::observe')
    const found = await ask('directory::engine::functions::info', { function_id: 'mem::observe' })
    assert.deepEqual(found.how_guide, { title: 'How to observe', skill_id: 'm/guide', body: 'Body.' })
    assert.deepEqual(found.related_skills, [{ title: 'Linked', skill_id: 'm/linked' }, { title: 'Named', skill_id: 'm/named' }])
    const none = await ask('directory::engine::functions::info', { function_id: 'directory::health' })
    assert.equal('how_guide' in none, false)
    assert.deepEqual(none.related_skills, [])
  })

  test('directory::skills::get with include_description answers as its page shows', async (t) => {
    const { ask } = await startDirectory(t, { files: { 'agent-memory/observe.md': '# How to observe\n\nRecord an event in agent memory.\n\nMore.\n' } })
    for (const id of ['agent-memory/observe', 'iii://agent-memory/observe']) {
      const found = await ask('directory::skills::get', { id, include_description: true })
      assert.equal(found.id, 'agent-memory/observe')
      assert.equal(found.title, 'How to observe')
      assert.equal(found.description, 'Record an event in agent memory.')
      assert.match(found.body, /^# How to observe\n/)
      assert.match(found.modified_at, /^\d{4}-\d\d-\d\dT.*\+00:00$/)
    }
    assert.ok(await refusal(ask('directory::skills::get', { id: 'https://x/y' })))
  })
})

describe('skill::fetch and skills::fetch_skill', () => {
  const files = { 'demo.md': '# Demo\n\nThe demo.\n', 'demo/deep/leaf.md': '---\ntitle: Leaf\n---\n# Leaf\n\nA leaf.\n\n\n', 'demo/notes.md': '# Notes\n\nSome.\n' }

  test('one address; edits show at once', async (t) => {
    const { ask, root } = await startDirectory(t, { files })
    for (const id of ['skill::fetch', 'skills::fetch_skill']) {
      assert.equal(await ask(id, { uri: 'iii://demo' }), '# iii://demo\n\n# Demo\n\nThe demo.')
      assert.equal(await ask(id, { uri: ' iii://demo/deep/leaf ' }), '# iii://demo/deep/leaf\n\n# Leaf\n\nA leaf.')
    }
    put(root, 'demo.md', '# Demo\n\nEdited.\n')
    assert.equal(await ask('skill::fetch', { uri: 'iii://demo' }), '# iii://demo\n\n# Demo\n\nEdited.')
  })

  test('several addresses in order; uris wins; the first failure fails the call', async (t) => {
    const { ask } = await startDirectory(t, { files })
    const three = ['iii://demo/notes', '', 'iii://demo', 'iii://demo/notes']
    const text = await ask('skill::fetch', { uri: 'iii://nowhere', uris: three })
    assert.equal(text, '# iii://demo/notes\n\n# Notes\n\nSome.\n\n---\n\n# iii://demo\n\n# Demo\n\nThe demo.\n\n---\n\n# iii://demo/notes\n\n# Notes\n\nSome.')
    assert.match(await ask('skill::fetch', { uri: 'iii://demo', uris: [] }), /^# iii:\/\/demo\n/)
    const missing = await refusal(ask('skill::fetch', { uris: ['iii://demo', 'iii://demo/noets'] }))
    assert.match(missing, /D110 not_found: skill "demo\/noets" was not found/)
    assert.match(missing, /Did you mean: demo\/notes/)
    for (const input of [{}, { uri: ' ' }, { uris: [''] , uri: 'iii://demo' }]) assert.match(await refusal(ask('skill::fetch', input)), /Provide uri/)
    assert.match(await refusal(ask('skill::fetch', { uris: ['iii://demo', 'https://example.invalid/x'] })), /iii:\/\//)
    for (const uri of ['iii://', 'iii://a//b', 'iii://fn/', 'iii://Upper', 'iii://../etc']) assert.match(await refusal(ask('skill::fetch', { uri })), /D114 invalid_input/, uri)
    assert.match(await refusal(ask('skill::fetch', { uri: 'iii://fn' })), /missing a function path/)
  })

  test('the index page', async (t) => {
    const { ask, root } = await startDirectory(t, { files: {} })
    assert.match(await ask('skill::fetch', { uri: 'iii://skills' }), /^# iii:\/\/skills\n\n# Skills\n\n_.*_$/)
    put(root, 'demo.md', files['demo.md'])
    put(root, 'demo/notes.md', '# Notes\n')
    const page = await ask('skill::fetch', { uri: 'iii://skills' })
    assert.ok(page.includes('\n- [`demo`](iii://demo) — Demo — The demo.\n'), page)
    assert.ok(page.endsWith('\n  - [`demo/notes`](iii://demo/notes) — Notes'), page)
  })

  test('functions behind addresses, but none of the engine unless it is opened', async (t) => {
    const directory = await startDirectory(t, { files })
    const { ask } = directory
    const { name } = await colleague(t, directory)
    assert.equal(await ask('skill::fetch', { uri: `iii://fn/${name}/observe` }), `# iii://fn/${name}/observe\n\nobserved`)
    assert.equal(await ask('skill::fetch', { uri: `iii://fn/${name}/recall` }), `# iii://fn/${name}/recall\n\n# Recalled\n\nText.`)
    assert.equal(await ask('skill::fetch', { uri: `iii://fn/${name}/table` }), `# iii://fn/${name}/table\n\n{\n  "a": "ä",\n  "b": [\n    1\n  ]\n}`)
    assert.match(await refusal(ask('skill::fetch', { uri: 'iii://fn/no-such/thing' })), /`no-such::thing`.* Next: /)
    for (const path of ['engine/functions/list', 'state/list', 'skills/list', 'prompts/list', 'mcp/x', 'a2a/x', 'iii/x', 'stream/x']) {
      assert.match(await refusal(ask('skill::fetch', { uri: `iii://fn/${path}` })), /internal namespace/, path)
    }
    await directory.end()
    const open = await startDirectory(t, { files, config: { legacy_open_fn: true } })
    assert.match(await open.ask('skill::fetch', { uri: 'iii://fn/engine/functions/list' }), /"functions": \[/)
  })
})

test('what workers register is fetched, listed and found as a guide like a file; a file of that id wins', async (t) => {
  const { ask, node, root } = await startWithScopes(t, { files: { 'both.md': '# File\n\nOn disk.\n' } })
  node.registerFunction('noted::here', async () => null)
  await callable(node, 'noted::here')
  await ask('skills::register', { id: 'notes', skill: howTo('function_id: noted::here', '# Notes\n\nRegistered.\n') })
  await ask('skills::register', { id: 'both', skill: '# Registered\n\nIn state.\n' })
  assert.match(await ask('skill::fetch', { uri: 'iii://notes' }), /# Notes\n\nRegistered\.$/)
  assert.match(await ask('skill::fetch', { uri: 'iii://both' }), /On disk\.$/)
  const page = await ask('skill::fetch', { uri: 'iii://skills' })
  assert.ok(page.includes('- [`both`](iii://both) — File — On disk.'), page)
  assert.ok(page.includes('- [`notes`](iii://notes) — Notes'), page)
  assert.equal(page.includes('In state'), false)
  assert.equal((await ask('directory::function-info', { function_id: 'noted::here' })).how_guide.body, '# Notes\n\nRegistered.')
  put(root, 'notes.md', '# Notes\n\nA file now.\n')
  assert.match(await ask('skill::fetch', { uri: 'iii://notes' }), /A file now\.$/)
})

test('skills::list and prompts::list show files as 0.4.1 did', async (t) => {
  const files = {
    'flat.md': '# Flat\n',
    'ns/deep/leaf.md': '---\ntitle: x\n---\n# Leaf\n',
    'ns/prompts/ask.md': '---\ndescription: Asks.\n---\nAsk.\n',
    'ns/prompts/silent.md': 'Without frontmatter.\n',
  }
  const { ask, root } = await startDirectory(t, { files, config: { lenient: false } })
  const rows = async () => (await ask('skills::list')).skills.map(({ id, bytes }) => [id, bytes])
  assert.deepEqual(await rows(), [['flat', 7], ['ns/deep/leaf', Buffer.byteLength(files['ns/deep/leaf.md'])]])
  const { skills } = await ask('skills::list')
  for (const row of skills) assert.match(row.modified_at, /^\d{4}-.*\+00:00$/)
  const { prompts } = await ask('prompts::list')
  assert.deepEqual(prompts.map(({ name, description }) => [name, description]), [['ask', 'Asks.']])
  assert.match(prompts[0].modified_at, /\+00:00$/)
  put(root, 'more.md', '# More\n')
  assert.equal((await rows()).length, 3)
})

test('prompts::get: fields, unknown, empty and illegal names', async (t) => {
  const { ask } = await startDirectory(t, { files: { 'mail/prompts/compose.md': '---\nname: compose\ndescription: Write a mail.\n---\nWrite to {{to}}.\n' } })
  const { modified_at, ...found } = await ask('prompts::get', { name: 'compose' })
  assert.deepEqual(found, { name: 'compose', description: 'Write a mail.', body: 'Write to {{to}}.\n' })
  assert.match(modified_at, /\+00:00$/)
  assert.match(await refusal(ask('prompts::get', { name: 'nobody' })), /not found/)
  for (const name of ['', 'Bad Name', '../x']) assert.match(await refusal(ask('prompts::get', { name })), /D211/)
})

/** What is heard of a trigger type from now on. */
async function subscribe({ node }, type) {
  const heard = new Inbox()
  const id = unique('heard')
  node.registerFunction(id, async (event) => {
    heard.push(event)
    return null
  })
  await callable(node, id)
  await typeKnown(node, type)
  node.registerTrigger({ type, function_id: id, config: {} })
  await eventually('bound', async () => {
    const { registered_triggers } = await call(node, 'engine::registered-triggers::list', { function_id: id })
    return registered_triggers.length > 0
  })
  return heard
}

describe('skills::download', () => {
  const resend = {
    version: '1.2.3',
    skills: { 'index.md': '# resend\n\nOverview.\n', 'emails/send-email.md': '# send\n\nSend.\n' },
    prompts: [{ name: 'send-email', description: 'Compose and send.', args_schema: { type: 'object' }, content: 'Write to {{to}}.' }],
  }

  test('from the registry: written, read by address, told to the subscribers of every generation', async (t) => {
    const shelf = await startShelf(t, { resend, bare: { version: '1.0.0', skills: { 'SKILL.md': '# Bare\n\nBare.\n' } } })
    const directory = await startDirectory(t, { config: { registry_url: shelf.url } })
    const { ask, root } = directory
    const heard = {}
    for (const type of ['skills::on-change', 'prompts::on-change', 'directory::skills::on-change']) heard[type] = await subscribe(directory, type)
    const done = await ask('skills::download', { worker: 'resend', tag: 'latest' })
    assert.equal(done.namespace, 'resend')
    assert.deepEqual(done.skills_written, ['index.md', 'emails/send-email.md'])
    assert.deepEqual(done.prompts_written, ['send-email'])
    assert.deepEqual(done.source, { kind: 'registry', worker: 'resend', tag: 'latest' })
    assert.match(readFileSync(join(root, 'resend/prompts/send-email.md'), 'utf8'), /^---\nname: send-email\ndescription: Compose and send\.\n/)
    assert.match(await ask('skill::fetch', { uri: 'iii://resend/index' }), /Overview\.$/)
    assert.deepEqual(shelf.requests, ['/w/resend/skills?version=latest'])
    const event = { op: 'download', namespace: 'resend', source: 'registry' }
    for (const [type, inbox] of Object.entries(heard)) {
      const { op, namespace, source } = await inbox.next(type)
      assert.deepEqual({ op, namespace, source }, event, type)
    }
    await ask('skills::download', { worker: 'bare', version: '1.0.0' })
    assert.equal((await heard['skills::on-change'].next('the second event')).namespace, 'bare')
    assert.deepEqual(heard['prompts::on-change'].drain(), [])
    // The later function tells the earlier subscribers, too.
    shelf.bundles.bare = { version: '1.1.0', skills: { 'SKILL.md': '# Bare\n\nLess bare.\n' } }
    await ask('directory::skills::download', { worker: 'bare' })
    assert.equal((await heard['skills::on-change'].next('the third event')).namespace, 'bare')
  })

  test('what is asked for must be clear; what the registry lacks is said', async (t) => {
    const shelf = await startShelf(t, { resend })
    const { ask } = await startDirectory(t, { config: { registry_url: shelf.url } })
    const says = async (input, pattern) => assert.match(await refusal(ask('skills::download', input)), pattern)
    await says({}, /specify either/)
    await says({ worker: 'resend' }, /version or tag/)
    await says({ worker: 'resend', version: '1', tag: 'latest' }, /either version OR tag/)
    await says({ repo: 'https://example.invalid/x', skill: 's', worker: 'resend', tag: 'latest' }, /not both/)
    await says({ repo: 'https://example.invalid/x' }, /skill/)
    await says({ skill: 's' }, /repo/)
    await says({ repo: 'file:///etc', skill: 's' }, /file:/)
    await says({ worker: '../../etc', tag: 'latest' }, /D311/)
    assert.deepEqual(shelf.requests, [])
    await says({ worker: 'nobody', tag: 'latest' }, /D310 not_found:.*\b404\b/)
    await says({ worker: 'resend', version: '99.99.99' }, /D310 not_found:.*\b404\b/)
    assert.deepEqual(shelf.requests, ['/w/nobody/skills?version=latest', '/w/resend/skills?version=99.99.99'])
  })
})

describe('skills::download from a repository', { skip: needsOwnEngine }, () => {
  const repos = tempDir()
  let server
  before(async () => {
    server = await startGitServer(repos)
  })
  after(() => server?.close())

  test('nested files and prompts, again after a change, and a folder that is missing', async (t) => {
    const made = makeRepository(repos, 'skills', {
      files: { 'skills/kit/index.md': '# Kit v1\n', 'skills/kit/a/b.md': '# B\n', 'skills/kit/c.md': '# C\n', 'skills/kit/prompts/ask.md': '---\ndescription: Asks.\n---\nBody.\n' },
    })
    const { ask } = await startDirectory(t, { config: { ca_file: server.caFile, git_private_hosts: ['localhost'] } })
    const repo = server.url('skills.git')
    const done = await ask('skills::download', { repo, skill: 'kit' })
    assert.equal(done.skills_written.length, 3)
    assert.deepEqual(done.prompts_written, ['ask'])
    assert.deepEqual(done.source, { kind: 'repo', repo, skill: 'kit' })
    made.put({ 'skills/kit/index.md': '# Kit v2\n' })
    made.push()
    await ask('skills::download', { repo, skill: 'kit' })
    assert.match(await ask('skill::fetch', { uri: 'iii://kit/index' }), /# Kit v2$/)
    assert.match(await refusal(ask('skills::download', { repo, skill: 'missing-skill' })), /skills\/missing-skill/)
  })
})

describe('registry::worker-list and worker-info', () => {
  async function directory(t, options) {
    const registry = await startRegistry(options)
    t.after(() => registry.close())
    const { ask } = await startDirectory(t, { config: { registry_url: registry.url, registry_retries: 0 }, env: { no_proxy: '*' } })
    return { registry, ask }
  }
  const author = { name: 'acme', profile_picture: null, is_verified: true }
  const row = (name) => ({ name, description: `${name} worker`, version: '1.2.3', repo: `https://example.invalid/${name}`, author })

  for (const older of [false, true]) {
    const form = older ? 'the older' : 'the newer'
    test(`both answer in one shape for ${form} form of the registry`, async (t) => {
      const { ask, registry } = await directory(t, { older })
      assert.deepEqual((await ask('registry::worker-list', { search: ' mail ', limit: 2 })).workers, [row('resend'), row('shell')])
      assert.equal(registry.requests.at(-1), older ? 'GET /search?q=mail' : 'GET /w?search=mail')
      const info = await ask('registry::worker-info', { name: 'resend' })
      assert.deepEqual(info.worker, row('resend'))
      assert.match(info.readme, /^# resend/)
      assert.deepEqual(info.api_reference.functions.map((f) => f.name), ['resend::send'])
      assert.deepEqual(info.api_reference.triggers.map((f) => f.name), ['resend::on-bounce'])
      assert.deepEqual(info.skills_tree.prompts.map((p) => p.name), ['send-email'])
    })
  }

  test('search is mandatory, the limit is kept within 1 and 100, pages are followed', async (t) => {
    const { ask } = await directory(t)
    for (const input of [{}, { search: ' ' }, { search: null }]) assert.match(await refusal(ask('registry::worker-list', input)), /non-empty/)
    const names = async (limit) => (await ask('registry::worker-list', { search: 'mail', limit })).workers.map((w) => w.name)
    assert.deepEqual(await names(0), ['resend'])
    assert.deepEqual(await names(1), ['resend'])
    assert.deepEqual(await names(4_000_000_000), ['resend', 'shell', 'page2-next-page'])
    assert.ok(await refusal(ask('registry::worker-list', { search: 'x', limit: -1 })))
    assert.match(await refusal(ask('registry::worker-list', { search: 'e502' })), /502/)
  })

  test('one worker: which version, and what is refused', async (t) => {
    const { ask, registry } = await directory(t)
    await ask('registry::worker-info', { name: ' resend ', version: '1.2.3' })
    await ask('registry::worker-info', { name: 'resend', version: '1.2.3' })
    assert.deepEqual([...registry.requests].sort(), ['GET /w/resend/skills?version=1.2.3', 'GET /w/resend?version=1.2.3'])
    const says = async (input, pattern) => assert.match(await refusal(ask('registry::worker-info', input)), pattern)
    await says({ name: ' ' }, /non-empty/)
    await says({ name: 'resend', version: '1', tag: 'latest' }, /either version OR tag/)
    await says({ name: '../../admin' }, /D311/)
    await says({ name: 'nobody' }, /D310.*\b404\b/)
  })
})

test('each generation can be switched off, and takes its functions with it', async (t) => {
  const earlier = ['skills::download', 'skills::fetch_skill', 'skill::fetch', 'prompts::get', 'registry::worker-list', 'directory::function-list', 'directory::worker-info']
  const later = ['directory::engine::functions::list', 'directory::engine::workers::info']
  const known = async ({ node }, ids) => {
    const { functions } = await call(node, 'engine::functions::info', { function_ids: ids })
    return functions.filter((row) => !row.error).map((row) => row.function_id)
  }
  const without041 = await startDirectory(t, { config: { legacy_directory_041: false } })
  assert.deepEqual(await known(without041, [...earlier, ...later]), later)
  await without041.end()
  const without051 = await startDirectory(t, { config: { legacy_directory_051: false, legacy_skills: false } })
  assert.deepEqual(await known(without051, [...earlier, ...later]), earlier)
  const plain = await without051.ask('directory::engine::functions::info', { function_id: 'directory::health' })
  assert.equal('related_skills' in plain, false)
  assert.deepEqual(await known(without051, ['skills::list', 'prompts::list', 'skills::register']), ['skills::list', 'prompts::list'])
  await typeKnown(without051.node, 'skills::on-change')
  await gone(without051.node, 'skills::register')
})
