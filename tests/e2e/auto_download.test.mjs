// Documents of installed workers come by themselves: at boot, after `worker` events, never against a person's choice.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDirectory } from './lib/directory.mjs'
import { engineFor, needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { callable, connect, sdks, typeKnown, unique } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'
import { eventually, Inbox } from './lib/wait.mjs'

const sdk = sdks['0.22.1']
const page = (version) => ({ version, skills: { 'SKILL.md': `# Doc\n\nOf version ${version}.\n` } })

/** Stands in for the worker manager of a real engine: the list of installed workers, and events about them. */
async function manager(t, workers) {
  const engine = await engineFor(t, { args: ['--engine-only', '--no-worker-manager'] })
  const node = connect(t, sdk, engine.url)
  const bindings = new Map()
  node.registerFunction('worker::list', async () => ({ workers }))
  node.registerTriggerType(
    { id: 'worker', description: 'Life of workers.' },
    {
      registerTrigger: async (binding) => void bindings.set(binding.id, binding),
      unregisterTrigger: async (binding) => void bindings.delete(binding.id),
    },
  )
  await callable(node, 'worker::list')
  await typeKnown(node, 'worker')
  const tell = async (event) => {
    const binding = await eventually('the binding of the directory', () => [...bindings.values()][0])
    return node.trigger({ function_id: binding.function_id, payload: { stage: 'done', operation: 'add', ...event } })
  }
  return { engine, node, bindings, tell }
}

const lockOf = (root) => (existsSync(join(root, 'directory.lock')) ? readFileSync(join(root, 'directory.lock'), 'utf8') : '')
const body = async (ask, id) => (await ask('directory::skills::get', { id })).body

test('at boot `iii` comes first, then what worker::list names, in the version that is installed', { skip: needsOwnEngine }, async (t) => {
  const shelf = await startShelf(t, { iii: page('9.0.0'), mail: page('1.0.0'), sms: page('3.0.0') })
  const { engine, bindings } = await manager(t, [{ name: 'mail', version: '1.0.0' }, { name: 'sms' }, { name: 'Bad Name' }, { name: 'nobody' }])
  const { ask, root } = await startDirectory(t, { engine, config: { registry_url: shelf.url, auto_download: true, auto_download_jobs: 1 } })
  await eventually('everything is there', async () => (await ask('directory::skills::list')).skills.length === 3)
  assert.match(shelf.requests[0], /^\/w\/iii\/skills\?version=latest$/)
  assert.ok(shelf.requests.includes('/w/mail/skills?version=1.0.0'))
  assert.ok(shelf.requests.includes('/w/sms/skills?version=latest'))
  const binding = await eventually('the binding', () => [...bindings.values()][0])
  assert.deepEqual(binding.config, { operations: ['add', 'update'], stages: ['done'] })
  const marker = JSON.parse(readFileSync(join(root, 'mail/.iii-skill-complete'), 'utf8'))
  assert.deepEqual(marker, { worker: 'mail', source: 'registry', tag_or_version: '1.0.0', schema: 1 })
})

test('W14, W15: an event brings the version that it names, and subscribers hear of it', { skip: needsOwnEngine }, async (t) => {
  const shelf = await startShelf(t, { mail: page('1.0.0') })
  const { engine, node, tell } = await manager(t, [])
  const { ask } = await startDirectory(t, { engine, config: { registry_url: shelf.url, auto_download: true } })
  const heard = new Inbox()
  const listener = unique('heard')
  node.registerFunction(listener, async (event) => void heard.push(event))
  await callable(node, listener)
  node.registerTrigger({ type: 'directory::skills::on-change', function_id: listener, config: {} })
  assert.deepEqual(await tell({ worker: 'mail', version: '1.0.0' }), { ok: true })
  assert.match(await body(ask, 'mail'), /Of version 1\.0\.0/)
  const event = await heard.next('the on-change event')
  assert.deepEqual([event.op, event.namespace, event.source], ['download', 'mail', 'registry'])
  shelf.bundles.mail = page('2.0.0')
  await tell({ operation: 'update', worker: 'mail', version: '2.0.0' })
  assert.match(await body(ask, 'mail'), /Of version 2\.0\.0/)
  // A version that the registry does not have: better the latest than nothing.
  shelf.bundles.mail = page('2.1.0')
  await tell({ operation: 'update', worker: 'mail', version: '7.7.7' })
  assert.match(await body(ask, 'mail'), /Of version 2\.1\.0/)
})

test('W13: what a person pinned or keeps locally is left alone', { skip: needsOwnEngine }, async (t) => {
  const shelf = await startShelf(t, { pinned: page('1.0.0'), local: page('1.0.0') })
  const local = tempDir()
  mkdirSync(join(local, 'local'))
  writeFileSync(join(local, 'local/SKILL.md'), '# Mine\n\nMy own.\n')
  const { engine, tell } = await manager(t, [{ name: 'pinned', version: '2.0.0' }, { name: 'local', version: '1.0.0' }])
  const config = { registry_url: shelf.url, auto_download: true, local_skills_folder: local }
  const before = await startDirectory(t, { engine, config: { ...config, auto_download: false } })
  await before.ask('directory::skills::download', { worker: 'pinned', version: '1.0.0' })
  await before.end()
  shelf.bundles.pinned = page('2.0.0')
  const { root } = before
  const other = await startDirectory(t, { engine, config: { ...config, skills_folder: root } })
  assert.deepEqual(await tell({ worker: 'pinned', version: '2.0.0' }), { ok: true })
  assert.match(await body(other.ask, 'pinned'), /Of version 1\.0\.0/)
  assert.match(await body(other.ask, 'local'), /My own/)
  assert.match(lockOf(root), /pinned:/)
  assert.doesNotMatch(lockOf(root), /local:/)
})

test('W16: what failed is tried again by itself', { skip: needsOwnEngine }, async (t) => {
  const shelf = await startShelf(t, { mail: { status: 503 } })
  const { engine } = await manager(t, [{ name: 'mail', version: '1.0.0' }])
  const config = { registry_url: shelf.url, auto_download: true, registry_retries: 0, auto_download_pause_ms: 50 }
  const { ask } = await startDirectory(t, { engine, config })
  await eventually('the first attempt', () => shelf.requests.some((r) => r.startsWith('/w/mail')))
  shelf.bundles.mail = page('1.0.0')
  await eventually('a later attempt', async () => /Of version 1/.test(await body(ask, 'mail')))
})

test('W16: an outage is waited out, however many attempts it takes', { skip: needsOwnEngine }, async (t) => {
  const shelf = await startShelf(t, { mail: { status: 503 } })
  const { engine } = await manager(t, [{ name: 'mail', version: '1.0.0' }])
  const config = { registry_url: shelf.url, auto_download: true, registry_retries: 0, auto_download_pause_ms: 1, auto_download_max_pause_ms: 20 }
  const { ask } = await startDirectory(t, { engine, config })
  await eventually('many attempts', () => shelf.requests.filter((r) => r.startsWith('/w/mail')).length >= 12)
  shelf.bundles.mail = page('1.0.0')
  await eventually('the documents', async () => /Of version 1/.test(await body(ask, 'mail')))
})

test('a namespace whose folder was deleted comes back at boot, as the lock has it', { skip: needsOwnEngine }, async (t) => {
  const shelf = await startShelf(t, { mail: page('1.0.0') })
  const { engine } = await manager(t, [{ name: 'mail', version: '1.0.0' }])
  const config = { registry_url: shelf.url, auto_download: true }
  const first = await startDirectory(t, { engine, config })
  await eventually('the documents', async () => /Of version 1/.test(await body(first.ask, 'mail')))
  await first.end()
  rmSync(join(first.root, 'mail'), { recursive: true })
  const second = await startDirectory(t, { engine, config: { ...config, skills_folder: first.root } })
  await eventually('the documents again', async () => /Of version 1/.test(await body(second.ask, 'mail')))
})

test('strange events are answered and do nothing', { skip: needsOwnEngine }, async (t) => {
  const shelf = await startShelf(t, {})
  const { engine, node } = await manager(t, [])
  await startDirectory(t, { engine, config: { registry_url: shelf.url, auto_download: true } })
  await callable(node, 'directory::__on_worker_added')
  await eventually('boot is over', () => shelf.requests.length > 0)
  for (const payload of [{}, null, { worker: null }, { worker: 5 }, { worker: '../../etc' }, 'x', []]) {
    assert.deepEqual(await node.trigger({ function_id: 'directory::__on_worker_added', payload }), { ok: true })
  }
  assert.deepEqual(shelf.requests.filter((r) => !r.startsWith('/w/iii')), [])
})

test('serve asks no registry unless it is told to', { skip: needsOwnEngine }, async (t) => {
  const shelf = await startShelf(t, { iii: page('9.0.0') })
  const env = { III_DIRECTORY_REGISTRY_URL: shelf.url, HOME: tempDir() }
  for (const [args, expected] of [[[], false], [['--auto-download'], true]]) {
    const engine = await startEngine({ args: ['--skills', tempDir(), ...args], env })
    const node = connect(t, sdk, engine.url)
    await callable(node, 'directory::health')
    if (expected) await eventually('the registry was asked', () => shelf.requests.length > 0)
    const { functions } = await node.trigger({ function_id: 'engine::functions::info', payload: { function_ids: ['directory::__on_worker_added'] } })
    assert.equal(!functions[0].error, expected)
    assert.equal(shelf.requests.length > 0, expected)
    await node.shutdown()
    await engine.stop()
  }
})
