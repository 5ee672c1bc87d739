// What every SDK with observers must be able to do on our engine, beside a worker of npm 0.22.1, which knows nothing of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFor, needsOwnEngine, startEngine } from './engine.mjs'
import { startLateEngine } from './late_engine.mjs'
import { launch, observingWorker } from './observing.mjs'
import { startProxy } from './proxy.mjs'
import { Void, call, callable, connect, failure, sdks, unique } from './sdks.mjs'
import { eventually } from './wait.mjs'

export const node0221 = sdks['0.22.1']

/** An engine, a worker of npm 0.22.1 on it, and a way to start observing workers. */
export async function scene(t, kind) {
  const engine = await engineFor(t)
  const node = connect(t, node0221, engine.url)
  return { engine, url: engine.url, node, worker: (name, url = engine.url) => observingWorker(t, kind, node, url, name) }
}

/** The observer as the engine shows it, once it is in that state. */
export const shown = (node, id, state, code) =>
  eventually(`${id}: ${state} ${code ?? ''}`, async () => {
    const row = await call(node, 'engine::observers::get', { id })
    return row.state === state && (row.reason?.code ?? undefined) === code && row
  })

export const needs = (...kinds) => needsOwnEngine || kinds.map((kind) => kind.skip).find(Boolean) || false

export function observerSuite(kind) {
  const options = { skip: needs(kind) }

  test(`${kind.name}: a function of npm 0.22.1 is observed: filters, capture, deliver, on, metadata, dispose`, options, async (t) => {
    const { node, worker } = await scene(t, kind)
    const charge = unique('charge')
    node0221.registerFunction(node, charge, async ({ amount, fail }) => {
      if (fail) throw new Error('declined')
      return { charged: amount }
    })
    await callable(node, charge)
    const w = await worker()
    const [big, err, input, bare] = ['big', 'err', 'input', 'bare'].map(unique)
    for (const function_id of [big, err, input, bare]) await w.ask('target', { function_id })
    await w.observe('big', { function_id: charge, filters: { 'input.amount': { $gte: 500 }, 'output.charged': { $exists: true } } }, big, {
      metadata: { team: 'payments' },
    })
    await w.observe('err', { function_id: charge, on: 'error', capture: ['error'] }, err)
    await w.observe('input', { function_id: charge, on: 'complete', deliver: 'input' }, input)
    await w.observe('bare', { function_id: charge, capture: [] }, bare)
    for (const id of ['big', 'err', 'input', 'bare']) await w.until(id, 'active')
    // Each is written down before the next: a handler of Python has a thread of its own, and two threads may overtake each other.
    await call(node, charge, { amount: 750 })
    await w.fires(input, 1)
    await call(node, charge, { amount: 10 })
    await w.fires(input, 2)
    await failure(call(node, charge, { amount: 900, fail: true }))
    await w.fires(input, 3)
    call(node, charge, { amount: 1 }, { action: Void() })
    assert.deepEqual((await w.fires(input, 4)).map((one) => one.data.amount), [750, 10, 900, 1])
    const [only, ...more] = await w.fires(big, 1)
    assert.equal(more.length, 0)
    assert.equal(only.depth, 1)
    assert.deepEqual(only.metadata, { team: 'payments' })
    assert.deepEqual(only.data.input, { amount: 750 })
    assert.deepEqual(only.data.output, { charged: 750 })
    assert.equal(only.data.status, 'success')
    assert.ok(only.data.caller.worker_id)
    const [failed] = await w.fires(err, 1)
    assert.equal(failed.data.status, 'error')
    assert.equal(failed.data.error.message, 'declined')
    assert.equal(failed.data.input, undefined)
    for (const { data } of await w.fires(bare, 3)) for (const part of ['input', 'output', 'error', 'caller']) assert.equal(data[part], undefined)
    await w.ask('dispose', { id: 'input' })
    await w.until('input', 'disposed', 'UNOBSERVED')
    await call(node, charge, { amount: 800 })
    await w.fires(big, 2)
    assert.equal((await w.ask('seen', { function_id: input })).length, 4)
  })

  test(`${kind.name}: a target of npm 0.22.1 is called for its function`, options, async (t) => {
    const { node, worker } = await scene(t, kind)
    const [src, dst] = [unique('src'), unique('dst')]
    const seen = []
    node0221.registerFunction(node, dst, async (data) => seen.push(data) && null)
    const w = await worker()
    await w.ask('source', { function_id: src })
    await w.observe('o', { function_id: src, deliver: 'output' }, dst)
    await w.until('o', 'active')
    await call(node, src, { n: 1 })
    await w.ask('call', { function_id: src, payload: { n: 2 } })
    await eventually('two events', () => seen.length === 2)
    assert.deepEqual(seen, [{ n: 1 }, { n: 2 }])
  })

  test(`${kind.name}: max_fires, expires_in_ms, max_in_flight, loop guard`, options, async (t) => {
    const { node, worker } = await scene(t, kind)
    const w = await worker()
    const [src, loop, once, slow, lease, again] = ['src', 'loop', 'once', 'slow', 'lease', 'again'].map(unique)
    for (const function_id of [src, loop]) await w.ask('source', { function_id })
    for (const function_id of [once, lease]) await w.ask('target', { function_id })
    await w.ask('target', { function_id: slow, takes_s: 0.02 })
    await w.ask('target', { function_id: again, calls: loop })
    await w.observe('once', { function_id: src }, once, { max_fires: 2 })
    await w.observe('lease', { function_id: src }, lease, { expires_in_ms: 200 })
    await w.observe('slow', { function_id: src }, slow, { max_in_flight: 1 })
    await w.observe('loop', { function_id: loop }, again)
    await w.until('lease', 'disposed', 'EXPIRED')
    for (const id of ['once', 'slow', 'loop']) await w.until(id, 'active')
    await Promise.all([1, 2, 3, 4].map((n) => call(node, src, { n })))
    await w.until('once', 'disposed', 'MAX_FIRES')
    assert.equal((await w.fires(once, 2)).length, 2)
    assert.deepEqual((await w.fires(slow, 4)).map((one) => one.running), [1, 1, 1, 1])
    assert.equal((await w.ask('seen', { function_id: lease })).length, 0)
    await call(node, loop, {})
    assert.deepEqual((await w.fires(again, 8)).map((one) => one.depth), [1, 2, 3, 4, 5, 6, 7, 8])
    const row = await eventually('the loop guard', async () => {
      const now = await call(node, 'engine::observers::get', { id: 'loop' })
      return now.dropped.LOOP_GUARD && now
    })
    assert.deepEqual(row.dropped, { LOOP_GUARD: 1 })
    assert.equal(row.state, 'active')
  })

  test(`${kind.name}: event sources of the engine take the place of its trigger types`, options, async (t) => {
    const { url, node, worker } = await scene(t, kind)
    const w = await worker()
    const sources = {
      'engine::on-functions-changed': unique('functions'),
      'engine::on-workers-changed': unique('workers'),
      'engine::on-observers-changed': unique('observers'),
      'configuration::on-updated': unique('configuration'),
      'observability::on-log': unique('log'),
    }
    for (const [source, target] of Object.entries(sources)) {
      await w.ask('target', { function_id: target })
      await w.observe(source, { function_id: source, deliver: 'output' }, target)
      await w.until(source, 'active')
    }
    const heard = (source, fits) =>
      eventually(source, async () => (await w.ask('seen', { function_id: sources[source] })).map((one) => one.data).find(fits))
    const late = unique('late')
    node0221.registerFunction(connect(t, node0221, url), late, async () => null)
    await callable(node, late)
    await heard('engine::on-workers-changed', (event) => event.event === 'worker_metadata_updated' && event.worker_id)
    await heard('engine::on-functions-changed', (event) => event.functions.some((row) => row.function_id === late))
    await call(node, 'engine::log::info', { message: late })
    await heard('observability::on-log', (event) => event.body === late)
    const id = unique('entry').replaceAll(':', '-')
    await call(node, 'configuration::register', { id, name: 'n', description: 'd', schema: { type: 'object' } })
    await heard('configuration::on-updated', (event) => event.event_type === 'configuration:registered' && event.id === id)
    await w.ask('dispose', { id: 'observability::on-log' })
    await heard('engine::on-observers-changed', (event) => event.state === 'disposed' && event.reason.code === 'UNOBSERVED')
    assert.equal((await failure(call(node, 'engine::on-workers-changed', {}))).code, 'FORBIDDEN')
  })

  test(`${kind.name}: refusals of the engine and of the host`, options, async (t) => {
    const { worker } = await scene(t, kind)
    const w = await worker()
    const [src, dst] = ['src', 'dst'].map(unique)
    await w.ask('source', { function_id: src })
    await w.ask('target', { function_id: dst })
    const refused = async (source, target, code) => {
      const id = unique('refused')
      await w.observe(id, source, target)
      await w.until(id, 'error', code)
    }
    await refused({ function_id: src }, src, 'SELF_TARGET')
    await refused({ function_id: src, filters: { 'input.a': 1 } }, dst, 'INVALID_FILTER')
    await refused({ function_id: src, args: { x: 1 } }, dst, 'INVALID_ARGS')
    if (kind.closed) {
      const closed = unique('closed')
      await w.ask('source', { function_id: closed, ...kind.closed })
      await refused({ function_id: closed }, dst, 'NOT_OBSERVABLE')
    }
    if (kind.withArgs) {
      const topics = unique('topics')
      const schema = { type: 'object', required: ['topic'], properties: { topic: { type: 'string' } } }
      await w.ask('source', { function_id: topics, ...kind.withArgs(schema) })
      await refused({ function_id: topics, args: {} }, dst, 'INVALID_ARGS')
      await refused({ function_id: topics, args: { topic: 'forbidden' } }, dst, 'TOPIC_FORBIDDEN')
    }
  })

  test(`${kind.name}: the observing worker loses its connection and comes back`, options, async (t) => {
    const { engine, node, worker } = await scene(t, kind)
    const proxy = await startProxy(t, engine)
    const w = await worker(undefined, proxy.url)
    const [src, dst] = ['src', 'dst'].map(unique)
    node0221.registerFunction(node, src, async (data) => data)
    await w.ask('target', { function_id: dst })
    await w.observe('o', { function_id: src }, dst)
    await w.until('o', 'active')
    await call(node, src, { n: 1 })
    await w.fires(dst, 1)
    const before = proxy.connections()
    proxy.cutWorkers()
    await eventually('a new connection', () => proxy.connections() > before)
    // Until the engine has read the new connection's first frames, the old one counts as alive.
    let n = 1
    const seen = await eventually('an activation on the new connection', async () => {
      await call(node, src, { n: ++n })
      const all = await w.ask('seen', { function_id: dst }, { timeoutMs: 500 })
      return all.length > 1 && all
    })
    assert.equal(seen[0].data.input.n, 1)
    await w.until('o', 'active')
    const row = await call(node, 'engine::observers::get', { id: 'o' })
    assert.ok(row.fires >= seen.length, `${row.fires} fires are counted across connections`)
  })

  test(`${kind.name}: the host loses its connection and comes back: it acknowledges again, and hears nothing twice`, options, async (t) => {
    const { engine, node, worker } = await scene(t, kind)
    const proxy = await startProxy(t, engine)
    const [host, watcher] = [await worker(undefined, proxy.url), await worker()]
    const [src, dst] = ['src', 'dst'].map(unique)
    await host.ask('source', { function_id: src, ...kind.withHooks })
    await watcher.ask('target', { function_id: dst })
    await watcher.observe('o', { function_id: src }, dst)
    await watcher.until('o', 'active')
    const before = proxy.connections()
    proxy.cutWorkers()
    await eventually('a new connection', () => proxy.connections() > before)
    await eventually('an event of the host on its new connection', async () => {
      await call(node, src, { n: 1 }, { timeoutMs: 500 })
      return (await watcher.ask('seen', { function_id: dst })).length > 0
    })
    await watcher.until('o', 'active')
    assert.deepEqual(await host.ask('hooks'), [['added', 'o', {}]], 'the hook ran once')
  })

  test(`${kind.name}: observers are made again on an engine that was killed`, options, async (t) => {
    let engine = await startEngine()
    t.after(() => engine.stop())
    const node = connect(t, node0221, engine.url)
    const w = await observingWorker(t, kind, node, engine.url)
    const [src, dst] = ['src', 'dst'].map(unique)
    await w.ask('source', { function_id: src })
    await w.ask('target', { function_id: dst })
    await w.observe('o', { function_id: src }, dst)
    await w.until('o', 'active')
    await engine.crash()
    engine = await engine.again()
    await eventually('an event on the new engine', async () => {
      await call(node, src, {}, { timeoutMs: 500 })
      return (await w.ask('seen', { function_id: dst }, { timeoutMs: 500 })).length > 0
    })
    await w.until('o', 'active')
  })

  test(`${kind.name}: an engine without observers is told from one with them`, { skip: kind.skip }, async (t) => {
    const engine = await startLateEngine(t)
    const { name } = await launch(t, kind, engine.url)
    const command = `${name}::do`
    await engine.offered(command)
    const ask = async (op, given = {}) => (await engine.call(command, { op, ...given })).result
    await ask('observe', { id: 'o', source: { function_id: 'x::y' }, target: 'x::z' })
    await eventually('the error', async () => {
      const [state, code] = await ask('state', { id: 'o' })
      return state === 'error' && code === 'UNSUPPORTED'
    })
    assert.deepEqual(await ask('hooks'), [], 'and it goes on serving')
  })
}
