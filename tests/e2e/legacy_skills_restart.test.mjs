// Nothing that was registered is lost when the worker, the engine or both are killed, and subscribers hear the next change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { offer, plain, scoped, startWithScopes, subscribe } from './lib/legacy.mjs'
import { call, callable, gone } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

for (const [what, kill] of [
  ['the worker', { worker: true }],
  ['the engine', { engine: true }],
  ['both', { worker: true, engine: true }],
]) {
  test(`kill -9 of ${what}`, { skip: needsOwnEngine }, async (t) => {
    let engine = await startEngine({ args: ['--engine-only', '--no-worker-manager'] })
    t.after(() => engine.stop())
    const directory = await startWithScopes(t, { engine })
    const { node } = directory
    const { heard } = await subscribe(node, 'skills::on-change')
    const handler = await offer(node, async () => 'made')
    const id = scoped('kept')
    const { registered_at } = await call(node, 'skills::register', { id, skill: '# Kept\n' })
    await call(node, 'prompts::register', { name: id, description: 'd', function_id: handler })
    await heard.next('the first event')

    if (kill.worker) {
      await directory.proc.kill('SIGKILL')
      await gone(node, 'skills::register') // or the wait below would find the dead one
    }
    if (kill.engine) {
      await engine.crash()
      engine = await engine.again()
    }
    if (kill.worker) directory.boot()
    await callable(node, 'skills::register', 'skills::list', 'skills::resources-read', 'prompts::mcp-get', handler)

    assert.equal((await call(node, 'skills::list', {})).skills.find((row) => row.id === id).registered_at, registered_at)
    assert.equal((await call(node, 'skills::resources-read', { uri: `iii://${id}` })).contents[0].text, '# Kept\n')
    assert.equal((await call(node, 'prompts::mcp-get', { name: id })).messages[0].content.text, 'made')
    const next = scoped('next')
    // The subscription is back a moment after the functions are.
    await eventually('the next change', async () => {
      await call(node, 'skills::register', { id: next, skill: 'x' })
      return heard.drain().map(plain).some((event) => event.op === 'register' && event.id === next)
    })
  })
}
