// The directory on an engine that has observers and no triggers: what it binds elsewhere, it observes there.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFile, tree } from './lib/directory.mjs'
import { tempDir } from './lib/engine.mjs'
import { startObserverOnlyEngine } from './lib/observer_only_engine.mjs'
import { directoryBin, start } from './lib/process.mjs'
import { startShelf } from './lib/shelf.mjs'
import { Inbox, eventually } from './lib/wait.mjs'

const functionRow = { function_id: 'mail::send', description: 'Sends a letter.', worker_name: 'mail' }
const page = (version) => ({ version, skills: { 'SKILL.md': `# Doc\n\nOf version ${version}.\n` } })

async function directoryOn(t, functions, config = {}) {
  const engine = await startObserverOnlyEngine(t, functions)
  const root = tree({ 'demo/SKILL.md': '# Demo\n\nOne.\n' })
  const settings = { skills_folder: root, local_skills_folder: join(tempDir(), 'none'), filter_unregistered: false, auto_download: false, registry_url: 'http://127.0.0.1:1' }
  const file = configFile({ ...settings, ...config })
  const proc = start(directoryBin, ['--url', engine.url, '--config', file], { env: { III_URL: '', III_TOKEN: '', HOME: tempDir() } })
  t.after(() => proc.stop())
  await engine.offered('directory::engine::functions::info')
  return { engine, root, proc }
}

test('functions that come and go: their schemas are asked for again', async (t) => {
  const { engine } = await directoryOn(t, {
    'engine::functions::list': () => ({ functions: [functionRow] }),
    'engine::functions::info': () => ({ functions: [{ ...functionRow, request_schema: { type: 'object', properties: { to: {} } } }] }),
  })
  const observer = await engine.observed('engine::on-functions-changed')
  assert.equal(observer.source.deliver, 'output')
  const search = () => engine.call('directory::search_functions', { capabilities: ['send a letter'] })
  await search()
  const before = engine.count('engine::functions::info')
  assert.ok(before > 0)
  await search()
  assert.equal(engine.count('engine::functions::info'), before, 'nothing has changed')
  await engine.fire('engine::on-functions-changed', { event: 'functions_changed', functions: [functionRow] })
  await search()
  assert.ok(engine.count('engine::functions::info') > before)
})

test('a worker that is added: its documents are downloaded', async (t) => {
  const shelf = await startShelf(t, { iii: page('9.0.0'), mail: page('1.0.0') })
  const workers = []
  const { engine } = await directoryOn(t, { 'worker::list': () => ({ workers }) }, { registry_url: shelf.url, auto_download: true })
  await engine.observed('engine::on-workers-changed')
  const ids = async () => (await engine.call('directory::skills::list', {})).skills.map((row) => row.id)
  await eventually('the start is over', async () => (await ids()).includes('iii') && engine.count('worker::list') > 0)
  workers.push({ name: 'mail', version: '1.0.0' })
  await engine.fire('engine::on-workers-changed', { event: 'worker_connected', worker_id: 'w' })
  await eventually('the documents of mail', async () => (await ids()).includes('mail'))
  assert.ok(shelf.requests.includes('/w/mail/skills?version=1.0.0'))
})

test('the configuration entry: a new value is in force', async (t) => {
  let value = null
  const { engine } = await directoryOn(t, {
    'configuration::register': () => ({ ok: true }),
    'configuration::schema': () => ({ schema: {} }),
    'configuration::get': () => ({ value }),
  })
  await engine.observed('configuration::on-updated')
  await eventually('the first value', () => engine.count('configuration::get') === 1)
  const ids = async () => (await engine.call('directory::skills::list', {})).skills.map((row) => row.id)
  assert.ok((await ids()).includes('iii'))
  value = { builtin_docs: false }
  await engine.fire('configuration::on-updated', { event_type: 'configuration:updated', id: 'iii-directory' })
  await eventually('no compiled-in documents', async () => !(await ids()).includes('iii'))
})

test('change events are published, and observed under the same ids after a reconnect', async (t) => {
  const { engine, root } = await directoryOn(t, {})
  const heard = new Inbox()
  engine.listen('directory::on-changed', (event) => heard.push(event))
  await eventually('an event', () => {
    writeFileSync(join(root, 'demo', 'SKILL.md'), `# Demo\n\nEdit ${Math.random()}.\n`)
    return heard.items.length > 0
  })
  assert.equal(heard.items[0].output.kind, 'skill')
  assert.deepEqual(heard.items[0].output, heard.items[0].input)
  assert.ok(engine.triggerFrames.length > 0, 'what it binds and provides is ignored')
  const { id } = await engine.observed('engine::on-functions-changed')
  const replayed = () => engine.observes.filter((frame) => frame.id === id).map((frame) => frame.type)
  engine.drop()
  await eventually('observed again', () => replayed().length === 2)
  assert.deepEqual(replayed(), ['observe', 'observe'])
  // The next engine has triggers as well: nothing is to come twice.
  engine.functions['engine::triggers::info'] = () => ({ id: 'engine::functions-available' })
  engine.drop()
  await eventually('ended', () => replayed().at(-1) === 'unobserve')
})
