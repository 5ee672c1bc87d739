// Functions and state in other namespaces than that of the directory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile, startDirectory, tree } from './lib/directory.mjs'
import { engineFor, tempDir } from './lib/engine.mjs'
import { directoryBin, start } from './lib/process.mjs'
import { RawPeer } from './lib/raw.mjs'
import { call, failure, unique } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

/** A worker in a namespace of its own, whose functions answer with its name. */
async function workerIn(t, url, namespace, ...ids) {
  const peer = await RawPeer.open(url)
  t.after(() => peer.end())
  peer.ws.on('message', (text) => {
    const frame = JSON.parse(text)
    if (frame.type !== 'invokefunction' || !ids.includes(frame.function_id)) return
    peer.send({ type: 'invocationresult', invocation_id: frame.invocation_id, function_id: frame.function_id, result: { content: `from ${namespace}` } })
  })
  for (const id of ids) peer.send({ type: 'registerfunction', id, description: `Weighs parcels for the ${namespace}.` })
  const announced = await peer.call('engine::workers::register', { name: unique('w').replaceAll('::', '-'), runtime: 'e2e', pid: process.pid, namespace })
  assert.equal(announced.error, undefined)
  return peer
}

test('an id in two namespaces: rows, details, and what to do', async (t) => {
  const { ask, url, node } = await startDirectory(t)
  const id = unique('fn')
  await workerIn(t, url, 'shop', id)
  await workerIn(t, url, 'office', id)
  for (const list of ['directory::function-list', 'directory::engine::functions::list']) {
    const { functions } = await ask(list, { prefix: id })
    assert.deepEqual(functions.map((f) => f.namespace), ['office', 'shop'], list)
  }
  for (const info of ['directory::engine::functions::info', 'directory::function-info']) {
    for (const namespace of ['shop', 'office']) {
      const found = await ask(info, { function_id: id, namespace })
      assert.equal(found.namespace, namespace)
      assert.match(found.description, new RegExp(namespace))
    }
    const { message } = await failure(call(node, info, { function_id: id }))
    assert.match(message, /^D340 not_found: function .* is in several namespaces: office, shop\. Next: call again with `namespace`\.$/)
    assert.match((await failure(call(node, info, { function_id: id, namespace: 'attic' }))).message, /is not in namespace .*attic.*, but in office, shop\. Next: /)
  }
})

test('a search says where a function has to be called', async (t) => {
  const { ask, url } = await startDirectory(t)
  const id = unique('weigh')
  await workerIn(t, url, 'shop', id)
  const found = await eventually('it is found', async () => {
    const { workers } = await ask('directory::search_functions', { capabilities: ['weigh parcels for the shop'] })
    return workers.flatMap((w) => w.functions).find((f) => f.function_id === id)
  })
  assert.equal(found.namespace, 'shop')
  assert.ok((await ask('directory::engine::functions::info', { function_id: id })).namespace === 'shop', 'the only one is found without its namespace')
})

test('sections and handlers of prompts are found in the namespace of their worker', async (t) => {
  const { ask, node, url } = await startDirectory(t)
  const id = unique('handler')
  await workerIn(t, url, 'shop', id)
  const name = unique('p').replaceAll('::', '-')
  await ask('prompts::register', { name, description: 'd', function_id: id })
  const { messages } = await ask('prompts::mcp-get', { name })
  assert.equal(messages[0].content.text, 'from shop')
  const { contents } = await ask('skills::resources-read', { uri: `iii://some/${id}` })
  assert.equal(contents[0].text, 'from shop')
  await workerIn(t, url, 'office', id)
  assert.match((await failure(call(node, 'prompts::mcp-get', { name }))).message, /D213 call_failed: .*several namespaces \(office, shop\)/)
})

test('the state in `default` is used from another namespace', async (t) => {
  const { url } = await engineFor(t, { args: ['--engine-only', '--no-worker-manager'] })
  const scopes = { skills: unique('s'), prompts: unique('p') }
  const settings = { skills_folder: tree({}), local_skills_folder: `${tempDir()}/none`, auto_download: false, filter_unregistered: false, builtin_docs: false, scopes }
  const namespace = unique('ns').replaceAll('::', '-')
  const proc = start(directoryBin, ['--url', url, '--namespace', namespace, '--config', configFile(settings)], { env: { III_URL: '', III_TOKEN: '', HOME: tempDir() } })
  t.after(() => proc.stop())
  const peer = await RawPeer.open(url)
  t.after(() => peer.end())
  const ask = (id, data) => peer.call(id, data, { namespace })
  await eventually('it is there', async () => (await ask('directory::health', {})).result)
  assert.equal((await ask('skills::register', { id: 'a', skill: '# A\n\nText.\n' })).error, undefined)
  const stored = await peer.call('state::get', { scope: scopes.skills, key: 'a' })
  assert.equal(stored.result.id, 'a')
  assert.deepEqual((await ask('directory::skills::list', {})).result.skills.map((s) => s.id), ['a'])
})
