// The example of the published page of skills 0.1.5, and ours in its stead, each with the SDK it is for.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempDir } from './lib/engine.mjs'
import { startWithScopes } from './lib/legacy.mjs'
import { start } from './lib/process.mjs'
import { pythonWithPackages } from './lib/python.mjs'
import { call } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const at = (name) => fileURLToPath(new URL(name, import.meta.url))
const printed = readFileSync(at('../data/skills-0.1.4/page-example.mjs'), 'utf8')
const ours = (name) => readFileSync(at(`../../examples/registering/${name}`), 'utf8')

/** A folder in which `iii-sdk` is the given package of ours. */
function folderWith(sdk) {
  const dir = tempDir()
  mkdirSync(join(dir, 'node_modules'))
  symlinkSync(at(`node_modules/${sdk}`), join(dir, 'node_modules', 'iii-sdk'))
  return dir
}

function runNode(t, sdk, text, args = []) {
  const file = join(folderWith(sdk), 'example.mjs')
  writeFileSync(file, text)
  const proc = start(process.execPath, [file, ...args], { env: { III_URL: '', OTEL_ENABLED: 'false' } })
  t.after(() => proc.kill('SIGKILL'))
  return proc
}

/** What everybody on the bus finds after the example ran. */
async function look({ node }, proc) {
  const { prompts } = await eventually(`registrations (${proc.out.stderr})`, async () => {
    const answer = await call(node, 'prompts::mcp-list', {})
    return answer.prompts.length > 0 && answer
  })
  assert.deepEqual(prompts.map((p) => [p.name, p.arguments.map((a) => [a.name, a.required])]), [['greet', [['name', true]]]])
  const { skills } = await call(node, 'skills::list', {})
  assert.deepEqual(skills.map((row) => row.id), ['demo'])
  const read = async (uri) => (await call(node, 'skills::resources-read', { uri })).contents[0]
  assert.match((await read('iii://demo')).text, /^# demo\n/)
  const guide = await read('iii://demo/demo::guide')
  assert.equal(guide.mimeType, 'text/markdown')
  assert.match(guide.text, /guide/i)
  const greet = async (args) => (await call(node, 'prompts::mcp-get', { name: 'greet', ...args })).messages[0].content.text
  assert.equal(await greet({ arguments: { name: 'Ada' } }), 'Greet Ada warmly.')
  assert.equal(await greet({}), 'Greet world warmly.')
}

test('the Node example as printed, with the SDK it was written for', async (t) => {
  const directory = await startWithScopes(t)
  await look(directory, runNode(t, 'iii-sdk-090', printed.replace('ws://localhost:49134', directory.url)))
})

test('the Node example with functions registered by id, on 0.22.1', async (t) => {
  const directory = await startWithScopes(t)
  const text = printed.replace('ws://localhost:49134', directory.url).replaceAll(/\{ id: ('[^']+') \}/g, '$1')
  await look(directory, runNode(t, 'iii-sdk', text))
})

for (const sdk of ['iii-sdk', 'iii-sdk-0116']) {
  test(`our Node example with ${sdk}; its documents stay when it has gone`, async (t) => {
    const directory = await startWithScopes(t)
    const proc = runNode(t, sdk, ours('demo.mjs'), [directory.url])
    await proc.printed('stdout', /registered/)
    await look(directory, proc)
    await proc.kill('SIGKILL')
    assert.deepEqual((await directory.ask('skills::list')).skills.map((row) => row.id), ['demo'])
  })
}

test('our Python example with the SDK of PyPI', async (t) => {
  const python = await pythonWithPackages()
  const directory = await startWithScopes(t)
  const proc = start(python, [at('../../examples/registering/demo.py'), directory.url], { env: { III_URL: '', OTEL_ENABLED: 'false' } })
  t.after(() => proc.kill('SIGKILL'))
  await proc.printed('stdout', /registered/)
  await look(directory, proc)
})
