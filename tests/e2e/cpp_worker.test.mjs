// Our own C++ SDK, as a stranger would use it: the examples as processes of their own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFor, freePort, needsOwnEngine, startEngine } from './lib/engine.mjs'
import { built, start } from './lib/process.mjs'
import { call, callable, connect, failure, gone, sdks } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const sdk = sdks['0.22.1']
const hello = (t, url, env = {}) => {
  const worker = start(built('examples', 'hello_worker'), [], { env: { III_URL: url, ...env } })
  t.after(() => worker.stop())
  return worker
}
const greet = (worker, name) => call(worker, 'hello::greet', { name }, { timeoutMs: 5000 })

test('hello_worker started after the engine answers Node, with schema and pid in the listings', async (t) => {
  const { url } = await engineFor(t)
  const worker = hello(t, url, { III_WORKER_NAME: 'hello-e2e' })
  const node = connect(t, sdk, url)
  await callable(node, 'hello::greet')
  assert.equal(await greet(node, 'Ada'), 'Hello, Ada!')
  const info = await call(node, 'engine::functions::info', { function_id: 'hello::greet' })
  assert.equal(info.request_schema.properties.name.type, 'string')
  assert.equal(info.response_schema.type, 'string')
  assert.equal(info.worker_name, 'hello-e2e')
  const { worker: row } = await call(node, 'engine::workers::info', { name: 'hello-e2e' })
  assert.deepEqual([row.pid, row.runtime], [worker.pid, 'cpp'])
})

test('hello_worker refuses input that does not fit its description', async (t) => {
  const { url } = await engineFor(t)
  hello(t, url)
  const node = connect(t, sdk, url)
  await callable(node, 'hello::greet')
  for (const payload of [{}, { name: 5 }, null, 'Ada']) {
    const error = await failure(call(node, 'hello::greet', payload))
    assert.equal(typeof error.code, 'string')
    assert.match(error.message, /name|object/)
  }
})

test('hello_worker leaves in good order on SIGTERM', async (t) => {
  const { url } = await engineFor(t)
  const worker = hello(t, url)
  const node = connect(t, sdk, url)
  await callable(node, 'hello::greet')
  assert.equal((await worker.kill('SIGTERM')).code, 0)
  await gone(node, 'hello::greet')
})

test('hello_worker started before the engine waits for it', { skip: needsOwnEngine }, async (t) => {
  const port = await freePort()
  const url = `ws://127.0.0.1:${port}`
  hello(t, url)
  const engine = await startEngine({ port })
  t.after(() => engine.stop())
  const node = connect(t, sdk, url)
  await callable(node, 'hello::greet')
  assert.ok((await greet(node, 'Grace')).includes('Grace'))
})

test('hello_worker survives a killed and restarted engine', { skip: needsOwnEngine }, async (t) => {
  let engine = await startEngine()
  t.after(() => engine.stop())
  hello(t, engine.url)
  const node = connect(t, sdk, engine.url)
  await callable(node, 'hello::greet')
  await engine.crash()
  engine = await engine.again()
  await eventually('greeted again', async () => (await greet(node, 'Edsger')).includes('Edsger'))
})

test('hello_worker answers 64 calls in flight and 2000 in all', async (t) => {
  const { url } = await engineFor(t)
  hello(t, url)
  const node = connect(t, sdk, url)
  await callable(node, 'hello::greet')
  let next = 0
  const lane = async () => {
    while (next < 2000) {
      const n = next++
      assert.ok((await greet(node, `worker ${n}`)).includes(`worker ${n}`))
    }
  }
  await Promise.all(Array.from({ length: 64 }, lane))
})

test('observer prints the large orders, and neither the small ones nor those that were refused', { skip: needsOwnEngine }, async (t) => {
  const { url } = await engineFor(t)
  const shop = start(built('examples', 'observer'), [], { env: { III_URL: url, III_WORKER_NAME: 'shop-e2e' } })
  t.after(() => shop.stop())
  await shop.printed('stdout', /observer: active/)
  const node = connect(t, sdk, url)
  await callable(node, 'shop::order')
  const order = (customer, amount) => call(node, 'shop::order', { customer, amount })
  await order('Ada', 5)
  await failure(order('Bob', 'many'))
  await order('Grace', 500)
  await shop.printed('stdout', /large order: Grace, 500/)
  assert.doesNotMatch(shop.out.stdout, /Ada|Bob/)
})
