// Workers of every SDK with observers on one engine, each as host, as observing worker and as target of another.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs, node0221, scene, shown } from './lib/observer_suite.mjs'
import { cpp, observingWorker, python, rust } from './lib/observing.mjs'
import { call, unique } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

// Without Cargo the other two take turns.
const kinds = [python, cpp, rust].filter((kind) => !kind.skip)
const turn = (n) => kinds[n % kinds.length]
const options = { skip: needs(...kinds) }
if (rust.skip) test('the worker of the crate', { skip: rust.skip }, () => {})

for (let n = 0; n < kinds.length; ++n) {
  const [hostKind, watcherKind, targetKind] = [turn(n), turn(n + 1), turn(n + 2)]
  test(`host ${hostKind.name}, observer ${watcherKind.name}, target ${targetKind.name}, caller npm 0.22.1`, options, async (t) => {
    const { node, url } = await scene(t)
    const [host, watcher, aim] = await Promise.all([hostKind, watcherKind, targetKind].map((kind) => observingWorker(t, kind, node, url)))
    const [src, dst, both] = ['src', 'dst', 'both'].map(unique)
    const old = []
    node0221.registerFunction(node, both, async (data) => old.push(data) && null)
    await host.ask('source', { function_id: src })
    await aim.ask('target', { function_id: dst })
    await watcher.observe('o', { function_id: src, filters: { 'input.n': { $in: [2, 3] } }, capture: ['input', 'caller'] }, dst, { metadata: { m: 1 } })
    await aim.observe('old', { function_id: src, deliver: 'input' }, both)
    await watcher.until('o', 'active')
    await aim.until('old', 'active')
    for (const payload of [{ n: 1 }, { n: 2 }]) assert.deepEqual(await call(node, src, payload), payload)
    await aim.fires(dst, 1) // handlers of Python have threads of their own, which may overtake each other
    await watcher.ask('call', { function_id: src, payload: { n: 3 } })
    const seen = await aim.fires(dst, 2)
    assert.deepEqual(seen.map((one) => one.data.input), [{ n: 2 }, { n: 3 }])
    assert.deepEqual(seen.map((one) => one.metadata), [{ m: 1 }, { m: 1 }])
    assert.equal(seen[1].data.caller.worker_name, watcher.name)
    assert.equal(seen[0].data.output, undefined)
    await eventually('the events of npm 0.22.1', () => old.length === 3)
    assert.deepEqual(old, [{ n: 1 }, { n: 2 }, { n: 3 }])
    await watcher.ask('dispose', { id: 'o' })
    await watcher.until('o', 'disposed', 'UNOBSERVED')
    await call(node, src, { n: 2 })
    assert.equal((await aim.ask('seen', { function_id: dst })).length, 2)
  })
}

const roles = ['host', 'observer', 'target']
const orders = roles.flatMap((first) => roles.filter((one) => one !== first).map((second) => [first, second, roles.find((one) => one !== first && one !== second)]))

orders.forEach((order, n) => {
  const kindOf = Object.fromEntries(roles.map((role, i) => [role, turn(n + i)]))
  test(`they die and come back in the order ${order.join(', ')} (${roles.map((role) => kindOf[role].name).join(', ')})`, options, async (t) => {
    const { node, url } = await scene(t)
    const [src, dst] = ['src', 'dst'].map(unique)
    const duty = {
      host: (worker) => worker.ask('source', { function_id: src }),
      target: (worker) => worker.ask('target', { function_id: dst }),
      observer: (worker) => worker.observe('o', { function_id: src }, dst),
    }
    const alive = {}
    const begin = async (role, name) => {
      alive[role] = await observingWorker(t, kindOf[role], node, url, name)
      await duty[role](alive[role])
    }
    const expected = () => {
      if (!alive.observer) return shown(node, 'o', 'suspended', 'OBSERVER_DISCONNECTED')
      if (!alive.host) return shown(node, 'o', 'pending', 'OWNER_UNAVAILABLE')
      if (!alive.target) return shown(node, 'o', 'suspended', 'TARGET_UNAVAILABLE')
      return shown(node, 'o', 'active')
    }
    for (const role of roles) await begin(role)
    await expected()
    await call(node, src, { n: 1 })
    await alive.target.fires(dst, 1)
    const names = Object.fromEntries(roles.map((role) => [role, alive[role].name]))
    for (const role of order) {
      await alive[role].proc.kill('SIGKILL')
      delete alive[role]
      await expected()
    }
    for (const role of order) {
      await begin(role, names[role])
      await expected()
    }
    await call(node, src, { n: 2 })
    const seen = await alive.target.fires(dst, 1)
    assert.deepEqual(seen.map((one) => one.data.input), [{ n: 2 }])
    assert.equal((await call(node, 'engine::observers::get', { id: 'o' })).fires, 2)
  })
})
