// Beside a live `skills` worker of the published version: its family of functions and trigger types is left to it, whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDirectory } from './lib/directory.mjs'
import { engineFor, needsOwnEngine } from './lib/engine.mjs'
import { call, callable, connect, sdks, typeKnown } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

test('a family is left whole to the worker that already offers it', { skip: needsOwnEngine }, async (t) => {
  const engine = await engineFor(t, { args: ['--engine-only', '--no-worker-manager'] })
  const other = connect(t, sdks['0.22.1'], engine.url, { workerName: 'skills' })
  // Some of what it offers; one function is enough to make it the owner of all.
  for (const id of ['skills::register', 'skills::list']) other.registerFunction(id, async () => ({ by: 'skills' }))
  other.registerTriggerType({ id: 'skills::on-change', description: 'd' }, { async registerTrigger() {}, async unregisterTrigger() {} })
  await callable(other, 'skills::list')
  await typeKnown(other, 'skills::on-change')

  const { node, ask, proc } = await startDirectory(t, { engine })
  await callable(node, 'skills::download')
  assert.deepEqual(await ask('skills::list'), { by: 'skills' })
  const families = async () => {
    const { functions } = await call(node, 'engine::functions::list', { include_internal: true })
    const { triggers } = await call(node, 'engine::triggers::list', { include_internal: true })
    const of = (rows, key) => rows.filter((row) => /^(skills|prompts)::/.test(row[key])).map((row) => `${row[key]} ${row.worker_name}`)
    return { functions: of(functions, 'function_id'), types: of(triggers, 'id') }
  }
  // What 0.4.1 alone offered is still ours.
  const ours = ['prompts::get iii-directory', 'skills::download iii-directory', 'skills::fetch_skill iii-directory']
  await eventually('the family is left', async () => (await families()).functions.length === ours.length + 2)
  assert.deepEqual(await families(), {
    functions: ['prompts::get iii-directory', 'skills::download iii-directory', 'skills::fetch_skill iii-directory', 'skills::list skills', 'skills::register skills'],
    types: ['skills::on-change skills'],
  })
  // We do not take the types when the other leaves: nobody here fires for its functions.
  await other.shutdown()
  await eventually('the other is gone', async () => (await families()).functions.length === ours.length)
  assert.deepEqual((await families()).types, [])
  const { stderr } = await proc.kill('SIGTERM')
  const said = stderr.split('\n').filter((line) => /another live worker/.test(line))
  assert.equal(said.length, 1, said.join('\n'))
  assert.match(said[0], /skills 0\.1\.5/)
})
