// Settings of the directory that live in the engine: its configuration entry, and what `iii compose` hands over.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tree } from './lib/directory.mjs'
import { engineFor, needsOwnEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, start } from './lib/process.mjs'
import { RawPeer } from './lib/raw.mjs'
import { call, callable, connect, failure, sdks } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'
import { eventually } from './lib/wait.mjs'
import { WorkersFile } from './lib/workers_file.mjs'

const own = { skip: needsOwnEngine }
const page = '# A\n\nText.\n'
const id = 'iii-directory'
const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`w${n}/SKILL.md`, page]))

async function operated(t, block) {
  const { url } = await engineFor(t, { args: ['--engine-only', '--no-worker-manager'] })
  const node = connect(t, sdks['0.22.1'], url)
  const file = new WorkersFile(t, { url, node, block })
  await file.boot()
  const skills = async () => (await call(node, 'directory::skills::list', {})).skills.length
  const stored = async () => (await call(node, 'configuration::get', { id })).value
  const set = (value) => call(node, 'configuration::set', { id, value })
  /** Registered: before that nothing can be set. */
  await eventually('the entry has a schema', async () => (await call(node, 'configuration::schema', { id })).schema)
  return { url, node, file, skills, stored, set }
}

for (const strips of ['after', 'before']) {
  test(`one key set through the engine costs no other one, when the block is removed ${strips} the start`, own, async (t) => {
    const shelf = await startShelf(t, {})
    const block = { skills_folder: tree(eleven), local_skills_folder: join(tempDir(), 'none'), builtin_docs: false, auto_download: false, registry_url: shelf.url, max_downloads: 2 }
    const { file, skills, stored, set } = await operated(t, block)
    assert.equal(await stored(), null, 'nothing is stored as long as nobody sets anything')
    await set({ filter_unregistered: false })
    assert.deepEqual(await eventually('the value is complete', async () => (await stored()).skills_folder && stored()), { ...block, filter_unregistered: false })
    assert.equal(await skills(), 11)
    const second = await file.boot({ strips })
    assert.equal(second.configured, strips === 'after')
    assert.equal(await skills(), 11)
    const third = await file.boot({ strips })
    assert.equal(third.configured, false)
    assert.equal(await skills(), 11)
    assert.doesNotMatch(file.proc.out.stderr, /names of connected workers are sent/)
    assert.deepEqual(shelf.requests ?? [], [])
    // The same again, now that there is no file: the other keys stay.
    await set({ lenient: false })
    await eventually('completed again', async () => (await stored()).skills_folder === block.skills_folder)
    assert.deepEqual(await stored(), { ...block, filter_unregistered: false, lenient: false })
    await file.boot({ strips })
    assert.equal(await skills(), 11)
  })
}

test('an entry of an earlier version that has one key is completed at the next start', own, async (t) => {
  const block = { skills_folder: tree(eleven), local_skills_folder: join(tempDir(), 'none'), builtin_docs: false, auto_download: false, configuration_entry: false }
  const { url } = await engineFor(t, { args: ['--engine-only', '--no-worker-manager'] })
  const node = connect(t, sdks['0.22.1'], url)
  await call(node, 'configuration::register', { id, name: 'n', description: 'd', schema: {}, initial_value: { filter_unregistered: false } })
  const file = new WorkersFile(t, { url, node, block: { ...block, configuration_entry: true } })
  await file.boot()
  await eventually('completed', async () => (await call(node, 'configuration::get', { id })).value.auto_download === false)
  assert.deepEqual(await file.boot(), { configured: false })
  assert.equal((await call(node, 'directory::skills::list', {})).skills.length, 11)
})

test('null gives a key up, and null instead of a value gives up all of them', own, async (t) => {
  const block = { skills_folder: tree(eleven), local_skills_folder: join(tempDir(), 'none'), filter_unregistered: false, builtin_docs: false, auto_download: false }
  const { file, skills, stored, set } = await operated(t, block)
  await set({ skills_folder: null })
  await eventually('completed', async () => (await stored()).builtin_docs === false)
  assert.equal((await stored()).skills_folder, null)
  assert.equal(await skills(), 11, 'the file still names it')
  await file.boot({ strips: 'before' })
  assert.equal(await skills(), 0, 'now nothing does')
  await set(null)
  await eventually('the defaults', async () => (await skills()) === 2)
  assert.equal(await stored(), null)
})

test('the environment wins over an entry; a program to run is never taken from one', own, async (t) => {
  const { node, file, stored, set } = await operated(t, { auto_download: false, git_credential_helper: '!touch /tmp/no' })
  await set({ filter_unregistered: false, registry_url: 'http://127.0.0.1:1/other', git_credential_helper: '!touch /tmp/never' })
  await file.proc.printed('stderr', /git_credential_helper is ignored; it can be set in the file or by III_DIRECTORY_GIT_CREDENTIAL_HELPER only/)
  await file.proc.printed('stderr', /configuration read again: .*registry_url.* applied/)
  const builtIn = async () => (await call(node, 'directory::skills::list', {})).skills.some((s) => s.id === 'iii')
  await set({ builtin_docs: true })
  await eventually('completed', async () => (await stored()).filter_unregistered === false)
  assert.ok(await builtIn())
  file.env = { III_DIRECTORY_BUILTIN_DOCS: 'false' }
  await file.boot()
  assert.equal((await stored()).builtin_docs, true)
  assert.ok(!(await builtIn()))
})

test('iii compose: III_CONFIG names the file, III_CONFIG_NAME the entry, --namespace the namespace', own, async (t) => {
  const { url } = await engineFor(t, { args: ['--engine-only', '--no-worker-manager'] })
  const node = connect(t, sdks['0.22.1'], url)
  const config = join(tempDir(), 'directory.yaml')
  writeFileSync(config, `skills_folder: ${tree({ 'a/SKILL.md': page })}\nfilter_unregistered: false\nbuiltin_docs: false\nauto_download: false\n`)
  const env = { III_URL: url, III_TOKEN: '', III_CONFIG: config, III_CONFIG_NAME: 'shop-directory', HOME: tempDir() }
  const proc = start(directoryBin, ['--namespace', 'shop'], { cwd: env.HOME, env })
  t.after(() => proc.stop())
  const peer = await RawPeer.open(url, { name: 'asks' })
  t.after(() => peer.end())
  const list = await eventually('its skills, in its namespace', async () => (await peer.call('directory::skills::list', {}, { namespace: 'shop' })).result)
  assert.deepEqual(list.skills.map((s) => s.id), ['a'])
  assert.ok((await peer.call('directory::skills::list', {})).error, 'not in `default`')
  const schema = await eventually('its entry', async () => call(node, 'configuration::schema', { id: 'shop-directory' }))
  assert.deepEqual(schema.metadata, { ui_form: 'iii-directory' })
  assert.equal((await failure(call(node, 'configuration::schema', { id }))).code, 'NOT_FOUND')
  await call(node, 'configuration::set', { id: 'shop-directory', value: { builtin_docs: true } })
  await eventually('the entry counts', async () => (await peer.call('directory::skills::list', {}, { namespace: 'shop' })).result.skills.length === 3)
})

test('containers of compose are installed workers, whichever namespace their daemon has', own, async (t) => {
  const { url } = await engineFor(t, { args: ['--engine-only', '--no-worker-manager'] })
  const node = connect(t, sdks['0.22.1'], url)
  const daemon = await RawPeer.open(url)
  t.after(() => daemon.end())
  daemon.ws.on('message', (text) => {
    const frame = JSON.parse(text)
    if (frame.type !== 'invokefunction' || frame.function_id !== 'compose::status') return
    const containers = [{ container: 'mail', state: 'ready' }, { container: 'notes', state: 'failed', last_error: 'x' }]
    daemon.send({ type: 'invocationresult', invocation_id: frame.invocation_id, function_id: frame.function_id, result: { namespace: 'shop', file: 'f', state_dir: 's', daemon_pid: 1, containers } })
  })
  daemon.register('compose::status')
  await daemon.call('engine::workers::register', { name: 'compose', runtime: 'e2e', pid: process.pid, namespace: 'dev' })
  const shelf = await startShelf(t, { mail: { version: '1.0.0', skills: { 'SKILL.md': page } } })
  const root = tree({ 'notes/SKILL.md': page, 'other/SKILL.md': page })
  const env = { III_URL: url, III_TOKEN: '', HOME: tempDir(), III_DIRECTORY_SKILLS_FOLDER: root, III_DIRECTORY_BUILTIN_DOCS: 'false', III_DIRECTORY_REGISTRY_URL: shelf.url }
  const proc = start(directoryBin, [], { cwd: env.HOME, env })
  t.after(() => proc.stop())
  await callable(node, 'directory::skills::list')
  const ids = async () => (await call(node, 'directory::skills::list', {})).skills.map((s) => s.id)
  await eventually('what was downloaded, and what was there', async () => (await ids()).join() === 'mail,notes')
})

test('a file that cannot be read does not prevent the start of a worker', own, async (t) => {
  const { url } = await engineFor(t, { args: ['--engine-only'] })
  const broken = join(tempDir(), 'broken.yaml')
  writeFileSync(broken, 'skills_folder: [\n')
  for (const file of [join(tempDir(), 'none.yaml'), broken]) {
    const proc = start(directoryBin, ['--url', url, '--config', file], { cwd: tempDir(), env: { III_URL: '', III_TOKEN: '', HOME: tempDir(), III_DIRECTORY_AUTO_DOWNLOAD: 'false' } })
    t.after(() => proc.stop())
    await proc.printed('stderr', /warn {2}.*(none\.yaml cannot be read: No such file or directory|not valid YAML).*; the file is ignored/)
    const node = connect(t, sdks['0.22.1'], url)
    await callable(node, 'directory::health')
    assert.equal((await proc.kill('SIGTERM')).code, 0)
  }
})
