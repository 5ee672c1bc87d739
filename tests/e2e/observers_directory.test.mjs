// The directory's change events, for observers and for trigger bindings of older SDKs on one engine.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { observingWorker, python } from './lib/observing.mjs'
import { call, callable, connect, failure, sdks, unique } from './lib/sdks.mjs'
import { Inbox, eventually } from './lib/wait.mjs'

const node0221 = sdks['0.22.1']

test('an edit reaches observers and bindings; nobody else can report one', { skip: needsOwnEngine }, async (t) => {
  const skills = tempDir()
  mkdirSync(join(skills, 'demo'))
  writeFileSync(join(skills, 'demo', 'SKILL.md'), '# Demo\n\nOne.\n')
  const engine = await startEngine({ env: { III_DIRECTORY_SKILLS_FOLDER: skills } })
  t.after(() => engine.stop())
  const node = connect(t, node0221, engine.url)
  const bound = new Inbox()
  const on = unique('on')
  node0221.registerFunction(node, on, async (event) => bound.push(event) && null)
  node.registerTrigger({ type: 'directory::skills::on-change', function_id: on, config: {} })
  const py = await observingWorker(t, python, node, engine.url)
  const [dst, prompts] = ['dst', 'prompts'].map(unique)
  await py.ask('target', { function_id: dst })
  await py.ask('target', { function_id: prompts })
  await py.observe('skills', { function_id: 'directory::on-changed', deliver: 'output', filters: { 'input.kind': { $eq: 'skill' } } }, dst)
  await py.observe('prompts', { function_id: 'directory::on-changed', filters: { 'input.kind': { $eq: 'prompt' } } }, prompts)
  await py.until('skills', 'active')
  await callable(node, on)
  let n = 1
  // A binding is answered by nothing, so the edit is repeated until it is seen.
  await eventually('the binding', async () => {
    writeFileSync(join(skills, 'demo', 'SKILL.md'), `# Demo\n\nEdit ${++n}.\n`)
    return bound.items.length > 0
  })
  const [seen] = await py.fires(dst, 1)
  assert.equal(seen.data.kind, 'skill')
  assert.deepEqual(seen.data.ids, ['demo'])
  assert.equal(seen.data._caller_worker_id, undefined)
  assert.equal((await py.ask('seen', { function_id: prompts })).length, 0)
  const error = await failure(call(node, 'directory::on-changed', { kind: 'skill', ids: ['forged'] }))
  assert.match(String(error.code ?? error.message), /FORBIDDEN/)
})
