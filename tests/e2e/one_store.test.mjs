// What workers register at run time and what lies in folders is one store: every face shows both, and nothing is lost.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFile, startDirectory } from './lib/directory.mjs'
import { freePort, needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { subscribe } from './lib/legacy.mjs'
import { directoryBin, run, start } from './lib/process.mjs'
import { call, callable, connect, failure, gone, sdks, unique } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const mail = '---\ntitle: Mail\ntype: how-to\n---\n# Heading\n\nSends letters.\n'
const ids = (answer) => answer.skills.map((row) => row.id)
const names = (answer) => answer.prompts.map((row) => row.name)
const registered = (rows) => rows.filter((row) => row.origin === 'registered')

test('a registered skill is in list, get and index, by the rules for files, and says where it comes from', own, async (t) => {
  const { ask } = await startDirectory(t, { files: { 'zeta/SKILL.md': '# Zeta\n\nThe last letter.\n' } })
  const before = await ask('directory::skills::list')
  const { registered_at } = await ask('skills::register', { id: 'mail', skill: mail })
  const { skills } = await ask('directory::skills::list')
  assert.deepEqual(skills, [
    {
      id: 'mail',
      title: 'Mail',
      type: 'how-to',
      function_id: null,
      description: 'Sends letters.',
      bytes: Buffer.byteLength(mail),
      modified_at: registered_at,
      kind: 'skill',
      origin: 'registered',
    },
    before.skills[0],
  ])
  for (const id of ['mail', 'iii://mail', 'mail/SKILL.md', 'MAIL']) {
    const got = await ask('directory::skills::get', { id })
    assert.equal(got.body, '# Heading\n\nSends letters.\n', id)
    assert.equal(got.origin, 'registered')
    assert.equal(got.modified_at, registered_at)
  }
  assert.ok(!('origin' in (await ask('directory::skills::get', { id: 'zeta' }))))
  const index = await ask('directory::skills::index')
  assert.equal(index.workers_count, 2)
  assert.match(index.body, /## Mail\n\nSends letters\./)
  assert.deepEqual(ids(await ask('directory::skills::list', { search: 'LETTER' })), ['mail', 'zeta'])
  assert.deepEqual(ids(await ask('directory::skills::list', { prefix: 'ma' })), ['mail'])
  assert.deepEqual(ids(await ask('directory::skills::list', { type: 'how-to' })), ['mail'])
  const page = await ask('directory::skills::list', { limit: 1 })
  assert.deepEqual(ids(await ask('directory::skills::list', { cursor: page.next_cursor })), ['zeta'])
  assert.match((await failure(ask('directory::skills::get', { id: 'maill' }))).message, /mail/)
  // The older face shows the same two.
  assert.deepEqual(ids(await ask('skills::list')), ['mail', 'zeta'])
})

test('a registered prompt is listed, and get says how to have its messages made', own, async (t) => {
  const { ask, node } = await startDirectory(t, { files: { 'a/prompts/write.md': '---\ndescription: Writes.\n---\nWrite.\n' } })
  const handler = unique('hello')
  node.registerFunction(handler, async ({ to }) => `Hello ${to}`)
  await callable(node, handler)
  const hello = { name: 'hello', description: 'Says hello.', arguments: [{ name: 'to', required: true }], function_id: handler }
  const { registered_at } = await ask('prompts::register', hello)
  const { prompts } = await ask('directory::prompts::list')
  assert.deepEqual(prompts[0], { name: 'hello', description: 'Says hello.', modified_at: registered_at, kind: 'prompt', origin: 'registered' })
  assert.deepEqual(names({ prompts }), ['hello', 'write'])
  const got = await ask('directory::prompts::get', { name: 'hello' })
  assert.equal(got.origin, 'registered')
  const [, payload] = got.body.match(/```json\n(.*)\n```/)
  const { messages } = await ask('prompts::mcp-get', JSON.parse(payload))
  assert.equal(messages[0].content.text, 'Hello ...', 'what the body says works as it stands')
})

test('a file of the same id wins, and the doctor says so', own, async (t) => {
  const { ask, root } = await startDirectory(t, { files: { 'mail/SKILL.md': '# File\n\nFile.\n', 'a/prompts/p.md': '---\ndescription: File.\n---\nFile.\n' } })
  await ask('skills::register', { id: 'mail', skill: mail })
  await ask('prompts::register', { name: 'p', description: 'Registered.', function_id: 'nobody::there' })
  assert.equal((await ask('directory::skills::get', { id: 'mail' })).body, '# File\n\nFile.\n')
  assert.equal((await ask('directory::prompts::get', { name: 'p' })).description, 'File.')
  assert.deepEqual(registered((await ask('directory::skills::list')).skills), [])
  const doctor = await ask('directory::doctor')
  assert.equal(doctor.files, doctor.skills + doctor.prompts + doctor.supporting + doctor.skipped)
  assert.deepEqual(
    doctor.findings.map((f) => [f.root, f.path, f.code]),
    [
      ['registered', 'skills/mail', 'registered_hidden'],
      ['registered', 'prompts/p', 'registered_hidden'],
      ['global', 'mail/SKILL.md', 'mcp_left_out'],
    ],
  )
  rmSync(join(root, 'mail/SKILL.md'))
  assert.equal((await ask('directory::skills::get', { id: 'mail' })).origin, 'registered')
})

test('a call after a register was answered sees it, every time', own, async (t) => {
  const { ask } = await startDirectory(t)
  for (let n = 0; n < 50; n++) {
    const id = `s${n}`
    await ask('skills::register', { id, skill: `# ${id}\n\nText.\n` })
    assert.ok(ids(await ask('directory::skills::list')).includes(id), id)
    if (n % 2 === 0) {
      await ask('skills::unregister', { id })
      assert.match((await failure(ask('directory::skills::get', { id }))).message, /D110/)
    }
  }
})

test('what others write into state is noticed through its events', own, async (t) => {
  const { ask } = await startDirectory(t, { config: { registered_ttl_ms: 3_600_000 } })
  assert.deepEqual(ids(await ask('directory::skills::list')), [])
  const value = { id: 'foreign', skill: '# Foreign\n\nText.\n', registered_at: 'long ago' }
  await ask('state::set', { scope: 'skills', key: 'foreign', value })
  await eventually('visible', async () => ids(await ask('directory::skills::list')).includes('foreign'))
  assert.equal((await ask('directory::skills::get', { id: 'foreign' })).modified_at, '')
  await ask('state::delete', { scope: 'skills', key: 'foreign' })
  await eventually('gone', async () => ids(await ask('directory::skills::list')).length === 0)
})

test('registered content is shown whoever is installed', own, async (t) => {
  const { ask, node } = await startDirectory(t, { files: { 'absent/SKILL.md': '# Absent\n\nText.\n' }, config: { filter_unregistered: true, registry_cache_ttl_ms: 0 } })
  node.registerFunction('worker::list', async () => ({ workers: [] }))
  await callable(node, 'worker::list')
  await ask('skills::register', { id: 'mail', skill: mail })
  assert.deepEqual(ids(await ask('directory::skills::list')), ['mail'])
})

test('subscribers of the directory and directory::changes hear of registrations', own, async (t) => {
  const { ask, node } = await startDirectory(t)
  const { heard: skills } = await subscribe(node, 'directory::skills::on-change')
  const { heard: prompts } = await subscribe(node, 'directory::prompts::on-change')
  const start = await ask('directory::changes')
  await ask('skills::register', { id: 'mail', skill: mail })
  const event = await skills.next('the register event')
  assert.deepEqual([event.op, event.namespace, event.source, event.ids, event.count], ['register', 'mail', 'registered', ['mail'], 1])
  assert.match(event.digests.mail, /^[0-9a-f]{64}$/)
  await ask('prompts::register', { name: 'hello', description: 'Hello.', function_id: 'x::y' })
  assert.deepEqual((await prompts.next('the prompt')).ids, ['hello'])
  await ask('skills::unregister', { id: 'mail' })
  const removed = await skills.next('the unregister event')
  assert.deepEqual([removed.op, removed.ids, removed.digests], ['unregister', ['mail'], {}])
  const { changes } = await ask('directory::changes', { since: start.generation, epoch: start.epoch })
  assert.deepEqual(
    changes.map((c) => [c.op, c.change, c.kind, c.id, c.source]),
    [
      ['register', 'added', 'skill', 'mail', 'registered'],
      ['register', 'added', 'prompt', 'hello', 'registered'],
      ['unregister', 'removed', 'skill', 'mail', 'registered'],
    ],
  )
})

/** A state store in the hand of the test, on an engine that has none. Its lists answer, or say nothing. */
async function ownState(t, url) {
  const node = connect(t, sdks['0.22.1'], url)
  const records = new Map()
  const state = { silent: false }
  node.registerFunction('state::set', async ({ scope, key, value }) => {
    records.set(`${scope}/${key}`, value)
    return { old_value: null, new_value: value }
  })
  node.registerFunction('state::list', ({ scope }) => {
    if (state.silent) return new Promise(() => {})
    return Promise.resolve([...records].filter(([key]) => key.startsWith(`${scope}/`)).map(([, value]) => value))
  })
  await callable(node, 'state::set', 'state::list')
  return state
}

test('while state is silent the last snapshot is served and nobody hangs; when it answers again it counts', own, async (t) => {
  const engine = await startEngine({ args: ['--engine-only', '--no-worker-manager', '--no-state'] })
  t.after(() => engine.stop())
  const { ask } = await startDirectory(t, { engine, files: { 'a/SKILL.md': '# A\n\nA.\n' }, config: { state_timeout_ms: 5000, registered_ttl_ms: 0 } })
  assert.deepEqual(ids(await ask('directory::skills::list')), ['a'], 'no state at all: files are served')
  const state = await ownState(t, engine.url)
  await ask('skills::register', { id: 'mail', skill: mail })
  assert.deepEqual(ids(await ask('directory::skills::list')), ['a', 'mail'])
  state.silent = true
  for (let n = 0; n < 3; n++) {
    assert.deepEqual(ids(await ask('directory::skills::list')), ['a', 'mail'])
    assert.equal((await ask('directory::skills::get', { id: 'mail' })).origin, 'registered')
    assert.equal((await ask('directory::skills::index')).workers_count, 2)
    assert.deepEqual(names(await ask('directory::prompts::list')), [])
    assert.equal((await ask('directory::doctor')).files, 1)
  }
  state.silent = false
  await ask('skills::register', { id: 'more', skill: mail })
  assert.deepEqual(ids(await ask('directory::skills::list')), ['a', 'mail', 'more'])
})

test('with registered_documents off the directory shows files alone', own, async (t) => {
  const { ask } = await startDirectory(t, { files: { 'a/SKILL.md': '# A\n\nA.\n' }, config: { registered_documents: false } })
  await ask('skills::register', { id: 'mail', skill: mail })
  assert.deepEqual(ids(await ask('directory::skills::list')), ['a'])
  assert.deepEqual(ids(await ask('skills::list')), ['a', 'mail'])
})

/** An engine on a port that stays, its directory, and a subscriber. */
async function durable(t) {
  let engine = await startEngine({ args: ['--engine-only', '--no-worker-manager'], port: await freePort() })
  t.after(() => engine.stop())
  const directory = await startDirectory(t, { engine })
  const { heard } = await subscribe(directory.node, 'directory::skills::on-change')
  await directory.ask('skills::register', { id: 'mail', skill: mail })
  await directory.ask('prompts::register', { name: 'hello', description: 'Hello.', function_id: 'x::y' })
  await heard.next('the first event')
  let { proc } = directory
  return {
    ...directory,
    heard,
    async killWorker(signal) {
      await proc.kill(signal)
      await gone(directory.node, 'directory::health')
    },
    startWorker: () => (proc = directory.boot()),
    async restartEngine() {
      await engine.crash()
      engine = await engine.again()
    },
    /** Everything is there, and whoever subscribed hears of the next change. */
    async check(next) {
      await eventually('the directory is back', () => call(directory.node, 'directory::health', {}, { timeoutMs: 2000 }))
      // They are registered one after the other, and the engine serves others in between.
      await callable(directory.node, 'directory::engine::functions::info', 'skills::register')
      assert.deepEqual(ids(await directory.ask('directory::skills::list')), ['mail'])
      assert.deepEqual(names(await directory.ask('directory::prompts::list')), ['hello'])
      assert.equal((await directory.ask('directory::skills::get', { id: 'mail' })).origin, 'registered')
      heard.drain()
      await eventually('the next change is told', async () => {
        await directory.ask('skills::register', { id: next, skill: `# ${unique('n')}\n\nText.\n` })
        await directory.ask('directory::skills::list')
        return heard.items.some((event) => event.op === 'register' && event.ids.includes(next))
      })
      assert.ok(!heard.drain().some((event) => event.ids.includes('mail')), 'what was there before is not told again')
    },
  }
}

for (const signal of ['SIGTERM', 'SIGKILL']) {
  test(`the worker restarts after ${signal}: nothing registered is lost, the next change is told`, own, async (t) => {
    const d = await durable(t)
    await d.killWorker(signal)
    d.startWorker()
    await d.check('after')
  })
}

test('the engine is killed and restarts under the worker: nothing registered is lost', own, async (t) => {
  const d = await durable(t)
  await d.restartEngine()
  await d.check('after')
})

test('both are killed and restart: nothing registered is lost', own, async (t) => {
  const d = await durable(t)
  await d.killWorker('SIGKILL')
  await d.restartEngine()
  d.startWorker()
  await d.check('after')
})

test('a second live instance says that its place is taken and ends; it takes over when the first has gone', own, async (t) => {
  const { url, root, ask, node, proc } = await startDirectory(t)
  await ask('skills::register', { id: 'mail', skill: mail })
  const file = configFile({ skills_folder: root, local_skills_folder: tempDir(), auto_download: false, builtin_docs: false })
  const env = { III_URL: '', III_TOKEN: '', HOME: tempDir() }
  for (const [name, word] of [
    ['iii-directory', /another live worker is called `iii-directory`/],
    ['another-name', /another live worker already serves `directory::/],
  ]) {
    const second = await run(directoryBin, ['--url', url, '--config', file], { env: { ...env, III_WORKER_NAME: name } })
    assert.equal(second.code, 1)
    const said = second.stderr.split('\n').filter((line) => line.includes(' error ') || line.includes(' warn '))
    assert.equal(said.length, 1, second.stderr)
    assert.match(said[0], word)
  }
  assert.deepEqual(ids(await ask('directory::skills::list')), ['mail'], 'the first one serves as before')
  await proc.kill('SIGKILL')
  await gone(node, 'directory::health')
  const next = start(directoryBin, ['--url', url, '--config', file], { env })
  t.after(() => next.stop())
  await callable(node, 'directory::health', 'directory::engine::functions::info')
  assert.deepEqual(ids(await ask('directory::skills::list')), ['mail'])
})
