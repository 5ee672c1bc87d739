// The read side of the directory through the bus, with the published SDK as caller and real files on disk.
import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { put, startDirectory, tree } from './lib/directory.mjs'
import { engineFor, needsOwnEngine } from './lib/engine.mjs'
import { call, callable, connect, sdks } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const sdk = sdks['0.22.1']

const sample = {
  'database/SKILL.md': '---\ntitle: Database\ntype: index\n---\n# Database\n\nAsk tables questions.\n',
  'database/query.md': '---\nfunction_id: database::query\ntype: how-to\n---\n# Query\n\nHow to ask.\n',
  'notes.md': '# Notes\n\nPlain text.\n',
  'database/prompts/explain.md': '---\ndescription: Explain a table.\n---\nExplain it.\n',
}

/** With the compiled-in documents, as it comes. */
const directory = (t, files, config = {}) => startDirectory(t, { files, config: { builtin_docs: undefined, ...config } })

const ids = ({ skills }) => skills.map((s) => s.id)
const text = (promise) => assert.rejects(promise).then(() => promise.catch((e) => e.message))

test('list shows one row per skill, in the order of ids, and filters narrow it', async (t) => {
  const { ask } = await directory(t, sample, { builtin_docs: false })
  const all = await ask('directory::skills::list')
  assert.deepEqual(ids(all), ['database', 'database/query', 'notes'])
  const [overview, query] = all.skills
  assert.deepEqual(Object.keys(overview).sort(), ['bytes', 'description', 'function_id', 'id', 'kind', 'modified_at', 'title', 'type'])
  assert.equal(overview.function_id, null)
  assert.equal(query.function_id, 'database::query')
  assert.equal(query.description, 'How to ask.')
  assert.deepEqual(ids(await ask('directory::skills::list', { prefix: 'database/' })), ['database', 'database/query'])
  assert.deepEqual(ids(await ask('directory::skills::list', { search: 'PLAIN' })), ['notes'])
  assert.deepEqual(ids(await ask('directory::skills::list', { type: 'how-to' })), ['database/query'])
  assert.deepEqual(ids(await ask('directory::skills::list', { search: 'zzz' })), [])
})

test('list can be read in pages', async (t) => {
  const { ask } = await directory(t, sample, { builtin_docs: false })
  const first = await ask('directory::skills::list', { limit: 2 })
  assert.equal(first.skills.length, 2)
  const second = await ask('directory::skills::list', { limit: 2, cursor: first.next_cursor })
  assert.deepEqual(ids(second), ['notes'])
  assert.equal(second.next_cursor, undefined)
})

test('get forgives how an id is written', async (t) => {
  const { ask } = await directory(t, sample)
  for (const id of ['database', 'database/index', 'database/SKILL.md', 'database.md', 'iii://database', ' DATABASE ']) {
    const skill = await ask('directory::skills::get', { id })
    assert.equal(skill.id, 'database')
    assert.equal(skill.body, '# Database\n\nAsk tables questions.\n')
    assert.equal(skill.description, 'Ask tables questions.')
  }
  assert.equal((await ask('directory::skills::get', { id: 'notes', include_description: false })).description, '')
})

test('get reads several at once, each with its own outcome', async (t) => {
  const { ask } = await directory(t, sample)
  const { skills } = await ask('directory::skills::get', { ids: ['notes', 'nots'] })
  assert.equal(skills[0].title, 'Notes')
  assert.match(skills[1].error, /^D110 not_found: .*Did you mean: notes\./)
})

test('errors teach: code, suggestion, next step, and no path of this machine', async (t) => {
  const { ask, root } = await directory(t, { ...sample, 'bad.md': Buffer.from([0x23, 0x20, 0xff, 0xfe]) })
  assert.match(await text(ask('directory::skills::get', { id: 'database/qery' })), /D110 not_found: skill "database\/qery".*Did you mean: database\/query.*Next: .*directory::skills::list/)
  assert.match(await text(ask('directory::skills::get', { id: 'database::query' })), /D112 invalid_input.*FUNCTION id/)
  assert.match(await text(ask('directory::skills::get', { id: 'a b' })), /D111 invalid_input.*lowercase/)
  assert.match(await text(ask('directory::skills::get', {})), /missing field `id`/)
  assert.match(await text(ask('directory::prompts::get', { name: 'explian' })), /D210 not_found: prompt "explian".*Did you mean: explain.*directory::prompts::list/)
  const unreadable = await text(ask('directory::skills::get', { id: 'bad' }))
  assert.match(unreadable, /D113 unreadable/)
  assert.equal(unreadable.includes(root), false)
})

test('index gives one section per worker', async (t) => {
  const { ask } = await directory(t, sample, { builtin_docs: false })
  const { body, workers_count } = await ask('directory::skills::index')
  assert.equal(workers_count, 1)
  assert.match(body, /^# Skills index\n\n1 worker\(s\)\.\n\n## Database\n\nAsk tables questions\.\n\nFull reference: call `directory::skills::get \{ "id": "database" \}` \(legacy `iii:\/\/database`\)\./)
})

test('prompts are listed and read by name', async (t) => {
  const { ask } = await directory(t, sample)
  const { prompts } = await ask('directory::prompts::list')
  assert.deepEqual(prompts.map((p) => [p.name, p.description]), [['explain', 'Explain a table.']])
  assert.equal((await ask('directory::prompts::get', { name: 'explain' })).body, 'Explain it.\n')
})

test('an edit that finished before a call is in its answer', async (t) => {
  const { ask, root } = await directory(t, sample, { builtin_docs: false })
  for (let round = 0; round < 20; round++) {
    put(root, `fresh/r${round}.md`, `# Round ${round}\n\nText.\n`)
    assert.equal((await ask('directory::skills::get', { id: `fresh/r${round}` })).title, `Round ${round}`)
    writeFileSync(join(root, 'notes.md'), `# Notes ${round}\n\nText.\n`)
    assert.equal((await ask('directory::skills::get', { id: 'notes' })).title, `Notes ${round}`)
  }
  renameSync(join(root, 'fresh'), join(root, 'moved'))
  assert.equal(ids(await ask('directory::skills::list', { prefix: 'moved/' })).length, 20)
  rmSync(join(root, 'moved'), { recursive: true })
  assert.deepEqual(ids(await ask('directory::skills::list')), ['database', 'database/query', 'notes'])
})

test('the two compiled-in documents are there, and a file replaces one', async (t) => {
  const { ask, root } = await directory(t, {})
  assert.deepEqual(ids(await ask('directory::skills::list')).sort(), ['iii', 'iii-directory'])
  put(root, 'iii/SKILL.md', '# Mine\n\nText.\n')
  assert.equal((await ask('directory::skills::get', { id: 'iii' })).title, 'Mine')
})

test('only documents of installed workers are shown when the filter is on', { skip: needsOwnEngine }, async (t) => {
  const { ask, node } = await directory(t, { ...sample, 'other/SKILL.md': '# Other\n\nText.\n' }, { filter_unregistered: true, registry_cache_ttl_ms: 0, builtin_docs: false })
  assert.deepEqual(ids(await ask('directory::skills::list')), ['database', 'database/query', 'notes', 'other'], 'nobody can say what is installed')
  sdk.registerFunction(node, 'worker::list', async () => ({ workers: [{ name: 'database' }] }))
  await callable(node, 'worker::list')
  assert.deepEqual(ids(await ask('directory::skills::list')), ['database', 'database/query', 'notes'])
})

test('doctor accounts for every file', async (t) => {
  const { ask } = await directory(t, { ...sample, 'Bad Name.md': '# x\n\ny\n', 'run.sh': 'true\n', 'colon.md': '---\ndescription: a: b\n---\n# C\n\nText.\n' })
  const report = await ask('directory::doctor')
  assert.equal(report.files, report.skills + report.prompts + report.supporting + report.skipped)
  assert.equal(report.supporting, 1)
  assert.ok(report.findings.some((f) => f.path === 'Bad Name.md' && f.served_as), 'served under a normalised id, and said')
  assert.ok(report.findings.some((f) => f.path === 'colon.md' && f.fix), 'a ready patch')
})

test('as a worker the filter is on unless the configuration says otherwise', { skip: needsOwnEngine }, async (t) => {
  const { ask, node } = await directory(t, sample, { filter_unregistered: undefined, registry_cache_ttl_ms: 0 })
  sdk.registerFunction(node, 'worker::list', async () => ({ workers: [] }))
  await callable(node, 'worker::list')
  assert.deepEqual(ids(await ask('directory::skills::list')), ['iii-directory', 'iii', 'notes'])
})

test('a worker manager that never answers is asked once, and the calls go on', { skip: needsOwnEngine }, async (t) => {
  let asked = 0
  const { ask, node } = await directory(t, sample, { filter_unregistered: true, worker_list_timeout_ms: 50 })
  sdk.registerFunction(node, 'worker::list', () => {
    asked++
    return new Promise(() => {})
  })
  await callable(node, 'worker::list')
  for (let i = 0; i < 10; i++) {
    assert.ok(ids(await ask('directory::skills::list')).includes('database'))
    await ask('directory::skills::index')
    assert.match(await text(ask('directory::skills::get', { id: 'no/such' })), /D110/)
  }
  assert.equal(asked, 1)
})

test('a null payload is an empty object', async (t) => {
  const { ask } = await directory(t, sample, { builtin_docs: false })
  assert.equal(ids(await ask('directory::skills::list', null)).length, 3)
  assert.equal((await ask('directory::skills::index', null)).workers_count, 1)
  assert.equal((await ask('directory::prompts::list', null)).prompts.length, 1)
})

test('every function that a text of ours recommends can be called', { skip: needsOwnEngine }, async (t) => {
  const { ask, node } = await directory(t, sample, { filter_unregistered: true, registry_cache_ttl_ms: 0 })
  sdk.registerFunction(node, 'worker::list', async () => ({ workers: [{ name: 'database' }, { name: 'box' }] }))
  await callable(node, 'worker::list')
  const bodies = await Promise.all(['iii', 'iii-directory', 'data', 'box'].map((id) => ask('directory::skills::get', { id })))
  const errors = await Promise.all([
    text(ask('directory::skills::get', { id: 'no/such' })),
    text(ask('directory::skills::get', { id: 'a::b' })),
    text(ask('directory::skills::get', { id: 'a b' })),
    text(ask('directory::skills::list', { limit: 0 })),
    text(ask('directory::prompts::get', { name: 'zzz' })),
    text(ask('directory::prompts::get', { name: 'A' })),
  ])
  const told = [...bodies.map((b) => b.body), ...errors, (await ask('directory::skills::index')).body].join('\n')
  const named = [...new Set(told.match(/\b(?:directory|engine|state|configuration|worker)(?:::[a-z_-]+)+/g))]
  assert.ok(named.length >= 10, named.join())
  const { functions } = await ask('engine::functions::info', { function_ids: named.slice(0, 32) })
  const unknown = functions.filter((row) => row.error).map((row) => row.function_id)
  const { triggers } = await ask('engine::triggers::list')
  assert.deepEqual(unknown.filter((id) => !triggers.some((type) => type.id === id)), [])
})

// An engine ends the connection of a worker whose frame is over 16 MiB or whose message is over 64 MiB.
test('a list beyond one frame arrives, one beyond a message is an error that says how to ask for less', async (t) => {
  const paragraph = 'x'.repeat(60_000)
  const document = (i) => `---\ndescription: ${paragraph}\n---\n# ${i}\n`
  const files = Object.fromEntries(Array.from({ length: 360 }, (_, i) => [`big/${1000 + i}.md`, document(i)]))
  const { ask, root } = await directory(t, files, { builtin_docs: false })
  const { skills } = await ask('directory::skills::list')
  assert.equal(skills.length, 360)
  assert.ok(skills.every((s) => s.description === paragraph))
  for (let i = 0; i < 720; i++) put(root, `more/${1000 + i}.md`, document(i))
  assert.match(await text(ask('directory::skills::list')), /D120 too_large: .*Next: call directory::skills::list with `limit`/)
  assert.equal(ids(await ask('directory::skills::list', { include_description: false })).length, 1080)
  assert.equal(ids(await ask('directory::skills::list', { limit: 5, prefix: 'more/' })).length, 5, 'the worker is still there')
})

test('an operator changes the configuration through the engine', { skip: needsOwnEngine }, async (t) => {
  const { ask } = await directory(t, { ...sample, 'Odd Name.md': '# Odd\n\nText.\n' }, { builtin_docs: undefined })
  await eventually('the entry is there', () => ask('configuration::schema', { id: 'iii-directory' }))
  assert.ok(ids(await ask('directory::skills::list')).includes('iii'))
  // Bindings of ours are in place once the entry was verified; setting it again is harmless.
  await eventually('the change is taken over', async () => {
    await ask('configuration::set', { id: 'iii-directory', value: { builtin_docs: false, normalise_ids: false } })
    return ids(await ask('directory::skills::list')).join() === 'database,database/query,notes'
  })
  await ask('configuration::set', { id: 'iii-directory', value: { normalise_ids: null } })
  await eventually('null gives a key up, the other one stays', async () => ids(await ask('directory::skills::list')).join() === 'database,database/query,notes,odd-name')
  await ask('configuration::set', { id: 'iii-directory', value: { skills_folder: tree({ 'elsewhere.md': '# Elsewhere\n\nText.\n' }) } })
  await eventually('another folder', async () => ids(await ask('directory::skills::list')).join() === 'elsewhere')
})

test('SIGHUP reads the configuration again', async (t) => {
  const { ask, file, proc } = await directory(t, sample, { builtin_docs: false })
  const other = tree({ 'elsewhere.md': '# Elsewhere\n\nText.\n' })
  writeFileSync(file, `skills_folder: ${other}\nlocal_skills_folder: ${other}/none\nfilter_unregistered: false\nbuiltin_docs: false\n`)
  process.kill(proc.pid, 'SIGHUP')
  await eventually('the other folder is served', async () => ids(await ask('directory::skills::list')).includes('elsewhere'))
})

test('serve shows a folder without further ado', { skip: needsOwnEngine }, async (t) => {
  const root = tree(sample)
  const { url } = await engineFor(t, { args: ['--skills', root] })
  const node = connect(t, sdk, url)
  await callable(node, 'directory::skills::list')
  assert.ok(ids(await call(node, 'directory::skills::list', {})).includes('database'))
})
