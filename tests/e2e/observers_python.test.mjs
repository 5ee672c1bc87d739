// Observers with the PyPI SDK, mixed with workers of npm 0.22.1 (which know nothing of observers) on one engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFor, needsOwnEngine } from './lib/engine.mjs'
import { observingWorker as python } from './lib/observing.mjs'
import { startProxy } from './lib/proxy.mjs'
import { Void, call, callable, connect, failure, sdks, unique } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const node0221 = sdks['0.22.1']

async function scene(t) {
  const { url, host, port } = await engineFor(t)
  const node = connect(t, node0221, url)
  return { url, host, port, node }
}

test('a function of npm 0.22.1 is observed: filters, capture, deliver, on, dispose', { skip: needsOwnEngine }, async (t) => {
  const { url, node } = await scene(t)
  const charge = unique('charge')
  node0221.registerFunction(node, charge, async ({ amount, fail }) => {
    if (fail) throw new Error('declined')
    return { charged: amount }
  })
  await callable(node, charge)
  const py = await python(t, node, url)
  const [big, err, input] = ['big', 'err', 'input'].map(unique)
  for (const function_id of [big, err, input]) await py.ask('target', { function_id })
  await py.observe('big', { function_id: charge, filters: { 'input.amount': { $gte: 500 }, 'output.charged': { $exists: true } } }, big, { metadata: { team: 'payments' } })
  await py.observe('err', { function_id: charge, on: 'error', capture: ['error'] }, err)
  await py.observe('input', { function_id: charge, on: 'complete', deliver: 'input' }, input)
  for (const id of ['big', 'err', 'input']) await py.until(id, 'active')
  await call(node, charge, { amount: 750 })
  await call(node, charge, { amount: 10 })
  await failure(call(node, charge, { amount: 900, fail: true }))
  call(node, charge, { amount: 1 }, { action: Void() })
  assert.deepEqual((await py.fires(input, 4)).map((one) => one.data.amount), [750, 10, 900, 1])
  const [only, ...more] = await py.fires(big, 1)
  assert.equal(more.length, 0)
  assert.equal(only.depth, 1)
  assert.deepEqual(only.data.input, { amount: 750 })
  assert.deepEqual(only.data.output, { charged: 750 })
  assert.equal(only.data.status, 'success')
  assert.ok(only.data.caller.worker_id)
  const [failed] = await py.fires(err, 1)
  assert.equal(failed.data.status, 'error')
  assert.equal(failed.data.error.message, 'declined')
  assert.equal(failed.data.input, undefined)
  await py.ask('dispose', { id: 'input' })
  await py.until('input', 'disposed', 'UNOBSERVED')
  await call(node, charge, { amount: 800 })
  await py.fires(big, 2)
  assert.equal((await py.ask('seen', { function_id: input })).length, 4)
})

test('a target of npm 0.22.1 is called for a function of Python', { skip: needsOwnEngine }, async (t) => {
  const { url, node } = await scene(t)
  const [src, dst] = [unique('src'), unique('dst')]
  const seen = []
  node0221.registerFunction(node, dst, async (data) => seen.push(data) && null)
  const py = await python(t, node, url)
  await py.ask('source', { function_id: src })
  await py.observe('o', { function_id: src, deliver: 'output' }, dst)
  await py.until('o', 'active')
  await call(node, src, { n: 1 })
  await py.ask('call', { function_id: src, payload: { n: 2 } })
  await eventually('two events', () => seen.length === 2)
  assert.deepEqual(seen, [{ n: 1 }, { n: 2 }])
})

test('policies: max_fires, expires_in_ms, max_in_flight, loop guard', { skip: needsOwnEngine }, async (t) => {
  const { url, node } = await scene(t)
  const py = await python(t, node, url)
  const [src, loop, once, slow, lease, again] = ['src', 'loop', 'once', 'slow', 'lease', 'again'].map(unique)
  for (const function_id of [src, loop]) await py.ask('source', { function_id })
  for (const function_id of [once, lease]) await py.ask('target', { function_id })
  await py.ask('target', { function_id: slow, takes_s: 0.02 })
  await py.ask('target', { function_id: again, calls: loop })
  await py.observe('once', { function_id: src }, once, { max_fires: 2 })
  await py.observe('lease', { function_id: src }, lease, { expires_in_ms: 200 })
  await py.observe('slow', { function_id: src }, slow, { max_in_flight: 1 })
  await py.observe('loop', { function_id: loop }, again)
  await py.until('lease', 'disposed', 'EXPIRED')
  for (const id of ['once', 'slow', 'loop']) await py.until(id, 'active')
  await Promise.all([1, 2, 3, 4].map((n) => call(node, src, { n })))
  await py.until('once', 'disposed', 'MAX_FIRES')
  assert.equal((await py.fires(once, 2)).length, 2)
  assert.deepEqual((await py.fires(slow, 4)).map((one) => one.running), [1, 1, 1, 1])
  assert.equal((await py.ask('seen', { function_id: lease })).length, 0)
  await call(node, loop, {})
  assert.deepEqual((await py.fires(again, 8)).map((one) => one.depth), [1, 2, 3, 4, 5, 6, 7, 8])
  const row = await eventually('the loop guard', async () => {
    const now = await call(node, 'engine::observers::get', { id: 'loop' })
    return now.dropped.LOOP_GUARD && now
  })
  assert.deepEqual(row.dropped, { LOOP_GUARD: 1 })
  assert.equal(row.state, 'active')
})

test('refusals: codes of the engine and of the host', { skip: needsOwnEngine }, async (t) => {
  const { url, node } = await scene(t)
  const py = await python(t, node, url)
  const [src, closed, topics, dst] = ['src', 'closed', 'topics', 'dst'].map(unique)
  await py.ask('source', { function_id: src })
  await py.ask('source', { function_id: closed, observe: { allow: false } })
  const args_format = { type: 'object', required: ['topic'], properties: { topic: { type: 'string' } } }
  await py.ask('source', { function_id: topics, owner: true, observe: { delivery: 'owner', args_format } })
  await py.ask('target', { function_id: dst })
  const refused = async (source, target, code) => {
    const id = unique('refused')
    await py.observe(id, source, target)
    await py.until(id, 'error', code)
  }
  await refused({ function_id: src }, src, 'SELF_TARGET')
  await refused({ function_id: src, filters: { 'input.a': 1 } }, dst, 'INVALID_FILTER')
  await refused({ function_id: src, args: { x: 1 } }, dst, 'INVALID_ARGS')
  await refused({ function_id: topics, args: {} }, dst, 'INVALID_ARGS')
  await refused({ function_id: topics, args: { topic: 'forbidden' } }, dst, 'TOPIC_FORBIDDEN')
  await refused({ function_id: closed }, dst, 'NOT_OBSERVABLE')
})

test('a host that delivers itself: hooks, emit, filters in the SDK', { skip: needsOwnEngine }, async (t) => {
  const { url, node } = await scene(t)
  const [host, watcher] = [await python(t, node, url), await python(t, node, url)]
  const [topics, dst] = ['topics', 'dst'].map(unique)
  const args_format = { type: 'object', properties: { topic: { type: 'string' } } }
  await host.ask('source', { function_id: topics, owner: true, observe: { delivery: 'owner', args_format } })
  await watcher.ask('target', { function_id: dst })
  await watcher.observe('o', { function_id: topics, args: { topic: 'a' }, filters: { 'input.n': { $gt: 1 } }, deliver: 'input' }, dst)
  await watcher.until('o', 'active')
  assert.deepEqual(await host.ask('hooks'), [['added', 'o', { topic: 'a' }]])
  await call(node, topics, { n: 1 })
  await call(node, topics, { n: 2 })
  assert.deepEqual((await watcher.fires(dst, 1)).map((one) => one.data), [{ n: 2 }])
  await watcher.ask('dispose', { id: 'o' })
  await eventually('the removed hook', async () => (await host.ask('hooks')).length === 2)
})

test('the observing worker loses its connection and comes back', { skip: needsOwnEngine }, async (t) => {
  const { url, host, port, node } = await scene(t)
  const proxy = await startProxy(t, { host: host ?? '127.0.0.1', port: port ?? Number(new URL(url).port) })
  const py = await python(t, node, proxy.url)
  const [src, dst] = ['src', 'dst'].map(unique)
  node0221.registerFunction(node, src, async (data) => data)
  await py.ask('target', { function_id: dst })
  await py.observe('o', { function_id: src }, dst)
  await py.until('o', 'active')
  await call(node, src, { n: 1 })
  await py.fires(dst, 1)
  const before = proxy.connections()
  proxy.cutWorkers()
  await eventually('a new connection', () => proxy.connections() > before)
  // Until the engine has read the new connection's first frames, the old one counts as alive.
  let n = 1
  const seen = await eventually('an activation on the new connection', async () => {
    await call(node, src, { n: ++n })
    const all = await call(node, `${py.name}::do`, { op: 'seen', function_id: dst }, { timeoutMs: 500 }).catch(() => [])
    return all.length > 1 && all
  })
  assert.equal(seen[0].data.input.n, 1)
  await py.until('o', 'active')
  const row = await call(node, 'engine::observers::get', { id: 'o' })
  assert.ok(row.fires >= seen.length, `${row.fires} fires are counted across connections`)
})

for (const order of ['host first', 'observer first', 'target first']) {
  test(`workers end in any order: ${order}`, { skip: needsOwnEngine }, async (t) => {
    const { url, node } = await scene(t)
    const [host, watcher, aim] = [await python(t, node, url), await python(t, node, url), await python(t, node, url)]
    const [src, dst] = ['src', 'dst'].map(unique)
    await host.ask('source', { function_id: src })
    await aim.ask('target', { function_id: dst })
    await watcher.observe('o', { function_id: src }, dst)
    await watcher.until('o', 'active')
    const get = () => call(node, 'engine::observers::get', { id: 'o' })
    const becomes = (state, code) => eventually(`${state} ${code}`, async () => {
      const row = await get()
      return row.state === state && row.reason?.code === code && row
    })
    const again = async (name, op, function_id) => {
      const fresh = await python(t, node, url, name)
      await fresh.ask(op, { function_id })
      return fresh
    }
    if (order === 'host first') {
      await host.proc.kill('SIGKILL')
      await watcher.until('o', 'pending', 'OWNER_UNAVAILABLE')
      await aim.proc.kill('SIGKILL')
      await again(aim.name, 'target', dst)
      await again(host.name, 'source', src)
      await watcher.until('o', 'active')
    } else if (order === 'target first') {
      await aim.proc.kill('SIGKILL')
      await watcher.until('o', 'suspended', 'TARGET_UNAVAILABLE')
      await host.proc.kill('SIGKILL')
      await again(host.name, 'source', src)
      const back = await again(aim.name, 'target', dst)
      await watcher.until('o', 'active')
      await call(node, src, {})
      await back.fires(dst, 1)
    } else {
      await watcher.proc.kill('SIGKILL')
      await becomes('suspended', 'OBSERVER_DISCONNECTED')
      await call(node, src, {})
      assert.equal((await aim.ask('seen', { function_id: dst })).length, 0)
      const back = await python(t, node, url, watcher.name)
      await back.observe('o', { function_id: src }, dst)
      await back.until('o', 'active')
      await call(node, src, {})
      await aim.fires(dst, 1)
    }
  })
}
