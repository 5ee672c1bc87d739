// docs/events.md: every trigger type is on the page, and every example has the fields of the event that really comes.
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { put, tree } from './lib/directory.mjs'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { call, callable, connect, sdks, typeKnown } from './lib/sdks.mjs'
import { eventually, Inbox } from './lib/wait.mjs'

const page = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')
const examples = Object.fromEntries(
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split('\n')[0], JSON.parse(section.match(/```json\n(.*?)```/s)[1])]),
)
const rows = [...page.split('### ')[0].matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1])

const kind = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
/** Names and kinds of the fields; what the engine adds is left out. */
const shape = ({ _caller_worker_id, ...event }) => Object.fromEntries(Object.entries(event).map(([key, value]) => [key, kind(value)]).sort())

test('every trigger type is on the page, and its example is what comes', { skip: needsOwnEngine }, async (t) => {
  const root = tree({ 'database/SKILL.md': '# Database\n\nText.\n' })
  const server = await startEngine({ args: ['--skills', root, '--limit', 'functions_poll_ms=100'], env: { HOME: tempDir() } })
  t.after(() => server.stop())
  const node = connect(t, sdks['0.22.1'], server.url)
  const { triggers } = await call(node, 'engine::triggers::list', { include_internal: true })
  assert.deepEqual(triggers.map((type) => type.id).sort(), rows.toSorted())

  const heard = {}
  for (const type of rows) {
    heard[type] = new Inbox()
    const function_id = `listener::${type.replaceAll('::', '-')}`
    node.registerFunction(function_id, async (event) => {
      heard[type].push(event)
      return null
    })
    await callable(node, function_id)
    await typeKnown(node, type)
    node.registerTrigger({ type, function_id, config: {} })
  }
  await eventually('everything is bound', async () => {
    const { registered_triggers: bound } = await call(node, 'engine::registered-triggers::list', {})
    return rows.every((type) => bound.some((row) => row.trigger_type === type && row.function_id.startsWith('listener::')))
  })

  const gives = async (type, change, wanted = () => true) => {
    heard[type].drain()
    await change()
    let event
    do event = await heard[type].next(`an event of ${type}`)
    while (!wanted(event))
    const like = examples[type] ?? examples[type.replace('prompts', 'skills')]
    const expected = type === 'prompts::on-change' ? { op: like.op, name: like.id } : like
    assert.deepEqual(shape(event), shape(expected), `${type}: ${JSON.stringify(event)}`)
    return event
  }
  const edit = await gives('directory::skills::on-change', () => put(root, 'database/query.md', '# Query\n\nText.\n'))
  assert.deepEqual([edit.op, edit.namespace, edit.source, edit.ids], ['external', 'database', 'disk', ['database/query']])
  const removal = await gives('directory::skills::on-change', () => rmSync(join(root, 'database/query.md')))
  assert.deepEqual([removal.op, removal.ids, removal.digests], ['external', ['database/query'], {}])
  await gives('directory::prompts::on-change', () => put(root, 'database/prompts/explain.md', '---\ndescription: d\n---\nText.\n'))
  await gives('skills::on-change', () => call(node, 'skills::register', { id: 'mail', skill: '# Mail\n' }))
  await gives('prompts::on-change', () => call(node, 'prompts::register', { name: 'compose', description: 'd', function_id: 'mail::compose' }))
  await gives('state', () => call(node, 'state::set', { scope: 'notes', key: 'today', value: { text: 'x' } }), (event) => event.scope === 'notes')
  const entry = { id: 'mailer', name: 'Mailer', description: 'Who sends.', schema: { type: 'object' } }
  await gives('configuration', () => call(node, 'configuration::register', entry), (event) => event.id === 'mailer')
  await gives('worker', () => connect(t, sdks['0.22.1'], server.url, { workerName: 'adder' }), (event) => event.worker === 'adder')
  await gives('log', () => call(node, 'engine::log::info', { message: 'hello' }))
  await gives('engine::functions-available', () => node.registerFunction('some::more', async () => null))
  await gives('engine::workers-available', () => connect(t, sdks['0.22.1'], server.url), (event) => event.event === 'worker_connected')
})
