// Bus in the browser: forms for every kind of schema, calls, the question before those that write, stop, workers that come and go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConsole, statuses } from './lib/browser.mjs'
import { needsOwnEngine } from './lib/engine.mjs'
import { call, callable, connect, sdks } from './lib/sdks.mjs'
import { deferred, eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const reads = { mcp: { read_only_hint: true } }

const schema = {
  type: 'object',
  required: ['question', 'limit'],
  properties: {
    question: { type: 'string', description: 'What you want to know.' },
    limit: { type: 'integer', minimum: 1, maximum: 10 },
    format: { type: ['string', 'null'], enum: ['rows', 'csv', null] },
    dry_run: { type: ['boolean', 'null'] },
    tables: { type: 'array', items: { type: 'string' } },
    filter: { type: 'object' },
  },
}

async function withWorker(t, options) {
  const it = await openConsole(t, options)
  const worker = connect(t, sdks['0.22.1'], it.server.url)
  return { ...it, worker, register: (id, handler, more = {}) => worker.registerFunction(id, handler, more) }
}

const field = (page, name) => page.locator('.ff', { has: page.locator('label code', { hasText: new RegExp(`^${name}$`) }) }).locator('.in')
const answer = (page) => page.locator('.answer')
const press = (page) => page.getByRole('button', { name: /^Call/ }).click()

test('a form from a schema: bounds, choices, what is not sent, JSON; the payload is what arrives', own, async (t) => {
  const { page, register, worker } = await withWorker(t)
  const got = []
  register('shop::ask', async ({ _caller_worker_id, ...payload }) => got.push(payload) && { rows: [], asked: payload.question }, {
    request_format: schema,
    metadata: reads,
    description: 'Answers a question.',
  })
  await callable(worker, 'shop::ask')
  await page.visit('bus/shop::ask')
  await field(page, 'question').waitFor()
  await press(page)
  assert.equal(await page.locator('.bad:visible').first().textContent(), 'Required')
  assert.equal(got.length, 0)
  await field(page, 'question').fill('orders per country')
  await field(page, 'limit').fill('11')
  assert.equal(await page.locator('.bad:visible').textContent(), 'At most 10')
  await field(page, 'limit').fill('7')
  await field(page, 'format').selectOption('csv')
  await field(page, 'tables').fill('orders, customers')
  await field(page, 'filter').fill('{"country": ')
  await press(page)
  assert.equal(await page.locator('.bad:visible').textContent(), 'Not JSON')
  await field(page, 'filter').fill('{"country": "DE"}')
  await press(page)
  await answer(page).locator('pre', { hasText: '"asked": "orders per country"' }).waitFor()
  assert.deepEqual(got.at(-1), {
    question: 'orders per country',
    limit: 7,
    format: 'csv',
    tables: ['orders', 'customers'],
    filter: { country: 'DE' },
  })
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  await page.getByLabel('Payload as JSON').fill('{"question":"by hand","limit":1}')
  await page.keyboard.press('Control+Enter')
  await answer(page).locator('pre', { hasText: 'by hand' }).waitFor()
  assert.deepEqual(got.at(-1), { question: 'by hand', limit: 1 })
  await page.getByRole('button', { name: 'Copy as command' }).click()
  await eventually(
    'the command is on the clipboard',
    async () =>
      (await page.evaluate(() => navigator.clipboard.readText())) ===
      `iii-directory trigger shop::ask --json '{"question":"by hand","limit":1}'`,
  )
})

test('a schema that cannot be read gives the JSON editor, never nothing', own, async (t) => {
  const { page, register, worker } = await withWorker(t)
  register('odd::schema', async (payload) => ({ got: payload }), {
    request_format: { oneOf: [{ type: 'string' }, { type: 'object' }] },
    metadata: reads,
  })
  register('odd::none', async (payload) => ({ got: payload }), { metadata: reads })
  await callable(worker, 'odd::schema', 'odd::none')
  for (const id of ['odd::schema', 'odd::none']) {
    await page.visit(`bus/${id}`)
    await page.getByLabel('Payload as JSON').fill('{"a": [1, 2]}')
    await press(page)
    await answer(page).locator('pre', { hasText: '"a": [ 1, 2 ]' }).waitFor()
  }
})

test('a function that may write is asked for once, and not called when one declines', own, async (t) => {
  const { page, register, worker } = await withWorker(t, { allow: [statuses(409)] })
  let calls = 0
  register('shop::write', async () => ({ calls: ++calls }), { metadata: { mcp: { read_only_hint: false, destructive_hint: false } } })
  await callable(worker, 'shop::write')
  await page.visit('bus/shop::write')
  await page.getByLabel('Payload as JSON').waitFor()
  await press(page)
  await page.getByRole('button', { name: 'Do not call' }).click()
  await answer(page).getByText('It was not called.').waitFor()
  assert.equal(calls, 0)
  await press(page)
  await page.getByRole('button', { name: 'Call it' }).click()
  await answer(page).locator('pre', { hasText: '"calls": 1' }).waitFor()
  await press(page)
  await answer(page).locator('pre', { hasText: '"calls": 2' }).waitFor()
})

test('the question is for a person, and Enter does not remove anything', own, async (t) => {
  const { page, register, worker } = await withWorker(t, { allow: [statuses(409)] })
  register('shop::clear', async () => assert.fail('it was called'), { metadata: { mcp: { read_only_hint: false, destructive_hint: true } } })
  await callable(worker, 'shop::clear')
  await page.visit('bus/shop::clear')
  await page.getByLabel('Payload as JSON').waitFor()
  await press(page)
  const sheet = page.locator('dialog.sheet')
  await sheet.getByText('may remove or overwrite something').waitFor()
  assert.doesNotMatch(await sheet.textContent(), /Next:|confirmed/)
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Do not call')
  await page.keyboard.press('Enter')
  await answer(page).getByText('It was not called.').waitFor()
})

test('errors show their code, sentence and next step; a call that hangs can be stopped', own, async (t) => {
  const { page, register, worker } = await withWorker(t, { allow: [statuses(400, 404, 409, 422, 499, 502)] })
  const held = deferred()
  t.after(() => held.resolve())
  register('shop::hang', () => held.promise, { metadata: reads })
  register('shop::fail', async () => Promise.reject(new Error('the shelf is empty. Next: order some.')), { metadata: reads })
  await callable(worker, 'shop::hang', 'shop::fail')
  await page.visit('bus/directory::skills::get')
  await field(page, 'id').fill('no/such/skill')
  await press(page)
  await answer(page).getByRole('alert').waitFor()
  assert.match(await answer(page).textContent(), /D110.*Next:/s)
  await page.visit('bus/shop::fail')
  await page.getByLabel('Payload as JSON').waitFor()
  await press(page)
  await answer(page).getByText('order some').waitFor()
  await page.visit('bus/shop::hang')
  await page.getByLabel('Payload as JSON').waitFor()
  await press(page)
  await page.getByRole('button', { name: 'Stop' }).click()
  await answer(page).getByText('was stopped').waitFor()
})

test('a worker that comes and goes is seen; so is what it offers', own, async (t) => {
  const { page, server } = await withWorker(t)
  await page.visit('bus?view=workers')
  await page.locator('.wtable').waitFor()
  const worker = sdks['0.22.1'].module.registerWorker(server.url, {
    workerName: 'visitor',
    otel: { enabled: false },
    enableMetricsReporting: false,
  })
  worker.registerFunction('visitor::hello', async () => ({}))
  await page.locator('.wtable', { hasText: 'visitor' }).waitFor()
  await page.getByRole('button', { name: 'Functions' }).click()
  await page.locator('.fnrow', { hasText: 'visitor::hello' }).waitFor()
  await worker.shutdown()
  await page.locator('.fnrow', { hasText: 'visitor::hello' }).waitFor({ state: 'detached' })
})

test('a worker that leaves during a call: the reason, the next step, and a form that says so until it is back', own, async (t) => {
  const { page, server, worker } = await withWorker(t, { allow: [statuses(502)] })
  const join = () => {
    const worker = sdks['0.22.1'].module.registerWorker(server.url, { workerName: 'visitor', otel: { enabled: false }, enableMetricsReporting: false })
    const called = deferred()
    worker.registerFunction('visitor::wait', () => called.resolve() ?? new Promise(() => {}), { metadata: reads })
    return { worker, called: called.promise }
  }
  const first = join()
  await callable(worker, 'visitor::wait')
  await page.visit('bus/visitor::wait')
  const run = page.getByRole('button', { name: /^Call/ })
  await page.getByLabel('Payload as JSON').fill('{"a": 1}')
  await run.click()
  await first.called
  await first.worker.shutdown()
  await answer(page).getByText('The worker left before it answered').waitFor()
  await answer(page).getByText(/Next:.*again when its worker is back/).waitFor()
  await page.getByText('Nobody offers this function any more').waitFor()
  assert.equal(await run.isDisabled(), true)
  const second = join()
  t.after(() => second.worker.shutdown())
  await page.getByText('Nobody offers this function any more').waitFor({ state: 'detached' })
  assert.equal(await run.isEnabled(), true)
  assert.equal(await page.getByLabel('Payload as JSON').inputValue(), '{"a": 1}')
})

test('an answer that comes late does not take the place of what is shown by then', own, async (t) => {
  const { page } = await withWorker(t)
  await page.visit('bus?view=workers')
  await page.locator('.wtable').waitFor()
  const { promise: held, resolve: release } = Promise.withResolvers()
  const { promise: asked, resolve: seen } = Promise.withResolvers()
  await page.route('**/console/call', async (route) => {
    if (!route.request().postData().includes('engine::workers::list')) return route.continue()
    seen()
    await held
    await route.continue()
  })
  await page.reload()
  await asked
  await page.getByRole('button', { name: 'Functions' }).click()
  await page.locator('.fnrow').first().waitFor()
  const answered = page.waitForResponse((response) => response.request().postData()?.includes('engine::workers::list'))
  release()
  await (await answered).finished()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  assert.equal(await page.locator('.wtable').count(), 0)
  assert.ok((await page.locator('.fnrow').count()) > 0)
})

test('plots and rates follow a load of known size', own, async (t) => {
  const { page, register, worker } = await withWorker(t)
  register('load::ping', async () => ({}), { metadata: reads })
  await callable(worker, 'load::ping')
  await page.visit('bus')
  await page.locator('.fnrow').first().waitFor()
  // Rates are of the last ten seconds, and read now and then: the load goes on until they are seen.
  const load = () => Promise.all(Array.from({ length: 20 }, () => call(worker, 'load::ping', {})))
  await eventually('the calls are in the plot', async () => {
    await load()
    const samples = await page.locator('.plot .axis span').nth(1).textContent()
    return /up to \d{2,}/.test(samples)
  })
  const rate = page.locator('.fnrow', { hasText: 'load::ping' }).locator('.rate')
  await eventually('the rate is in its row', async () => (await load()) && (await rate.textContent()).endsWith('/s'))
})
