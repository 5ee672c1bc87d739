// POST /console/call and /console/cancel: what runs, what needs consent, limits, progress.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveConsole } from './lib/console.mjs'
import { needsOwnEngine } from './lib/engine.mjs'
import { callable, connect, sdks } from './lib/sdks.mjs'
import { deferred } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }

/** A worker with functions of every kind beside the console. */
async function withWorker(t) {
  const over = deferred()
  t.after(() => over.resolve()) // an SDK that is shut down waits for its handlers
  const site = await serveConsole(t)
  const worker = connect(t, sdks['0.22.1'], site.engine.url)
  const asked = deferred()
  worker.registerFunction('demo::add', async ({ a, b }) => ({ sum: a + b }), { metadata: { mcp: { read_only_hint: true } } })
  worker.registerFunction('demo::write', async () => 'written')
  worker.registerFunction('demo::fails', async () => {
    throw new Error('it went wrong')
  })
  worker.registerFunction('demo::hangs', () => (asked.resolve(), over.promise))
  worker.registerFunction('demo::echo', async (input) => ({ bytes: input.text.length }), { metadata: { mcp: { read_only_hint: true } } })
  await callable(worker, 'demo::add', 'demo::write', 'demo::fails', 'demo::hangs', 'demo::echo')
  return { site, worker, asked }
}

test('functions of the directory, of the engine and of workers', own, async (t) => {
  const { site } = await withWorker(t)
  site.skill('demo/SKILL.md', 'A demonstration.')
  const { status, result } = await site.call('directory::skills::get', { id: 'demo' })
  assert.equal(status, 200)
  assert.match(result.body, /A demonstration/)
  const workers = await site.call('engine::workers::list')
  assert.ok(workers.result.workers.some(({ name }) => name === 'iii-directory'))
  assert.deepEqual(await site.call('demo::add', { a: 1, b: 2 }), { status: 200, result: { sum: 3 } })
})

test('what may change something asks first', own, async (t) => {
  const { site } = await withWorker(t)
  for (const id of ['demo::write', 'directory::skills::download', 'state::set', 'configuration::set']) {
    const asked = await site.call(id, {})
    assert.equal(asked.status, 409, id)
    assert.equal(asked.code, 'needs_confirmation')
    assert.match(asked.message, /Next: /)
    assert.ok('hints' in asked)
  }
  assert.equal((await site.call('directory::skills::download', {})).hints.network, true)
  assert.deepEqual(await site.call('demo::write', {}, { confirmed: true }), { status: 200, result: 'written' })
  assert.equal((await site.call('directory::on-functions-change', {}, { confirmed: true })).status, 403)
})

test('errors keep their code, text and advice', own, async (t) => {
  const { site } = await withWorker(t)
  const missing = await site.call('directory::skills::get', { id: 'nothing' })
  assert.equal(missing.status, 404)
  assert.equal(missing.code, 'D110')
  assert.match(missing.message, /Next: /)
  assert.equal((await site.call('nobody::knows')).status, 404)
  assert.equal((await site.call('directory::skills::get', { id: 5 })).status >= 400, true)
  const failed = await site.call('demo::fails', {}, { confirmed: true })
  assert.equal(failed.status, 422)
  assert.match(failed.message, /it went wrong/)
  assert.ok(!failed.message.includes('    at '), 'no stack')
  for (const body of ['', 'x', '[]', '{}', '{"function_id":7}']) {
    const answer = await site.send('POST', '/console/call', body)
    assert.equal(answer.status, 400, body)
    assert.equal(JSON.parse(answer.body).code, 'invalid_body')
  }
})

test('a call that takes too long, and one that nobody wants any more', own, async (t) => {
  const { site, asked } = await withWorker(t)
  const late = await site.call('demo::hangs', {}, { confirmed: true, timeout_ms: 50 })
  assert.equal(late.status, 504)
  assert.equal(late.code, 'timeout')
  const stream = await site.listen()
  const running = site.call('demo::hangs', {}, { confirmed: true, job: 'j1' })
  await asked.promise
  await stream.next('progress', ({ job, state }) => job === 'j1' && state === 'running')
  assert.equal((await site.call('demo::add', { a: 1, b: 1 }, { job: 'j1' })).code, 'job_exists')
  assert.equal((await site.cancel('j1')).status, 204)
  const stopped = await running
  assert.equal(stopped.status, 409)
  assert.equal(stopped.code, 'cancelled')
  await stream.next('progress', ({ job, state }) => job === 'j1' && state === 'cancelled')
  assert.equal((await site.cancel('j1')).status, 404)
  stream.close()
})

test('bodies and answers are limited', own, async (t) => {
  const { site } = await withWorker(t)
  const text = (bytes) => 'x'.repeat(bytes)
  for (const bytes of [60 * 1024, 70 * 1024, 4_000_000]) {
    const { status, result } = await site.call('demo::echo', { text: text(bytes) })
    assert.equal(status, 200, `${bytes} bytes`)
    assert.equal(result.bytes, bytes)
  }
  const refused = await site.send('POST', '/console/call', text(4 * 1024 * 1024 + 1)).catch(() => ({ status: 413 }))
  assert.equal(refused.status, 413)
  assert.equal((await site.send('POST', '/console/cancel', text(64 * 1024 + 1)).catch(() => ({ status: 413 }))).status, 413)
  assert.equal((await site.send('POST', '/console/session', text(64 * 1024 + 1)).catch(() => ({ status: 413 }))).status, 413)
  // One bad request leaves the others alone.
  assert.equal((await site.call('directory::health')).status, 200)
})

test('MCP clients are listed', own, async (t) => {
  const { site } = await withWorker(t)
  assert.deepEqual((await site.call('directory::sessions')).result, { sessions: [] })
  const stream = await site.listen()
  const post = (body, headers = {}) =>
    fetch(`${site.base}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    })
  const opened = await post({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tester', version: '9' } },
  })
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') }
  await stream.next('session', ({ sessions }) => sessions === 1)
  await (await post({ id: 2, method: 'resources/read', params: { uri: 'iii://iii' } }, session)).text()
  await (await post({ id: 3, method: 'resources/subscribe', params: { uri: 'iii://iii' } }, session)).text()
  const [row] = (await site.call('directory::sessions')).result.sessions
  assert.deepEqual(
    { ...row, since: undefined },
    { client: 'tester', version: '9', transport: 'http', dialect: '2025-11-25', since: undefined, reads: 1, subscribed: 1 },
  )
  assert.ok(Math.abs(Date.now() - Date.parse(row.since)) < 60_000)
  await fetch(`${site.base}/mcp`, { method: 'DELETE', headers: session })
  await stream.next('session', ({ sessions }) => sessions === 0)
  stream.close()
})
