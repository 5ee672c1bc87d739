// Every verb with --json prints what its schema says (`help --write`), from a running server and from the folders alike.
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { configFile, put, tree } from './lib/directory.mjs'
import { freePort, needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run, start } from './lib/process.mjs'
import { assertMatches, verbSchemas } from './lib/schemas.mjs'
import { callable, connect, sdks, unique } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'
import { eventually } from './lib/wait.mjs'

const checked = new Set()
const cleanup = []
let schemas
let server
let shelf
let home
let local // options that name the folders
let remote // options that name the server

before(async () => {
  if (needsOwnEngine) return
  schemas = await verbSchemas()
  home = tempDir()
  shelf = await startShelf({ after: (fn) => cleanup.push(fn) }, { mail: { version: '1.0.0', skills: { 'index.md': '# Mail\n\nSends.\n' } } })
  const skills = tree({
    'database/SKILL.md': '---\nname: database\ndescription: Ask a table a question.\n---\n# Database\n\nText about tables.\n',
    'database/query.md': '# Query\n\nMore.\n',
    'database/script.sh': 'echo\n',
    'database/prompts/explain.md': '---\ndescription: Explains a table.\n---\nExplain {{table}}.\n',
  })
  const config = configFile({ skills_folder: skills, local_skills_folder: join(home, 'none'), registry_url: shelf.url })
  server = await startEngine({ args: ['--config', config], env: { HOME: home } })
  local = ['--config', config]
  remote = ['--url', server.url]
})
after(async () => {
  await server?.stop()
  for (const fn of cleanup) await fn()
})

const cli = (words, env = {}) => run(directoryBin, words, { env: { HOME: home, III_URL: '', III_TOKEN: '', ...env } })

function validate(verb, value) {
  assertMatches(schemas[verb], value, verb)
  checked.add(verb)
}

async function json(words, code = 0) {
  const end = await cli([...words, '--json'])
  assert.equal(end.code, code, `${words.join(' ')}: ${end.stderr}`)
  const value = JSON.parse(end.stdout)
  validate(words[0], value)
  return value
}

// docs/command-line.md
test('a verb that fails prints nothing on stdout, and the reason as text on stderr', { skip: needsOwnEngine }, async () => {
  for (const where of [local, remote]) {
    for (const [words, code] of [[['show', 'nope'], 1], [['verify', 'nope'], 1], [['list', '--limit', 'x'], 2], [['list', '--no-such-flag'], 2]]) {
      const end = await cli([...words, '--json', ...where])
      assert.deepEqual([end.code, end.stdout], [code, ''], words.join(' '))
      assert.match(end.stderr, /^Error: /m, words.join(' '))
    }
  }
})

test('what reads: the same answers from a server and from the folders', { skip: needsOwnEngine }, async () => {
  const answers = []
  for (const where of [remote, local]) {
    const list = await json(['list', ...where])
    assert.deepEqual(list.skills.map((row) => row.id).filter((id) => id.startsWith('database')), ['database', 'database/query'])
    const shown = await json(['show', 'Database/SKILL.md', ...where])
    assert.deepEqual([shown.id, shown.files.map((file) => file.path)], ['database', ['prompts/explain.md', 'query.md', 'script.sh']])
    assert.equal((await json(['show', 'database', '--file', 'script.sh', ...where])).content, 'echo\n')
    assert.equal((await json(['why', 'database', ...where])).verdict, 'served')
    const found = await json(['search', 'table', ...where])
    assert.equal(found.skills[0].id, 'database')
    assert.equal((await json(['prompt', 'explain', 'table=users', ...where])).body, 'Explain users.\n')
    answers.push([list, shown, await json(['index', ...where]), await json(['prompts', ...where])])
    await json(['functions', 'directory::', ...where])
    const [one] = (await json(['functions', 'directory::skills::get', ...where])).functions
    assert.ok(one.request_schema.properties.id)
    await json(['registry', 'info', 'mail', ...where])
  }
  assert.deepEqual(answers[0], answers[1])
})

test('what only a server knows', { skip: needsOwnEngine }, async () => {
  const { workers } = await json(['workers', ...remote])
  assert.ok(workers.some((worker) => worker.name === 'iii-directory'))
  assert.ok(!workers.some((worker) => worker.name.startsWith('iii-cli')), 'not this process')
  await json(['triggers', ...remote])
  const types = await json(['triggers', '--types', ...remote])
  for (const name of ['directory::skills::on-change', 'engine::functions-available', 'engine::workers-available']) {
    assert.ok(types.triggers.some((type) => type.type === name), name)
  }
  const callback = 'iii-state::on-config-change'
  const has = async (...words) => (await json(['functions', ...words, ...remote])).functions.some((f) => f.id === callback)
  assert.equal(await has(), false, 'a callback of the engine')
  assert.equal(await has('--internal'), true)
  assert.equal((await json(['version', ...remote])).server.status, 'ok')
  const nobody = ['--url', `ws://127.0.0.1:${await freePort()}`]
  for (const words of [['workers'], ['triggers'], ['list']]) {
    const { code, stdout, stderr } = await cli([...words, ...nobody])
    assert.deepEqual([code, stdout], [1, ''], words.join(' '))
    assert.match(stderr, /Next: start one with `iii-directory serve`/)
  }
})

test('what workers bring: a binding that waits for its type, a prompt that a function writes', { skip: needsOwnEngine }, async (t) => {
  const sdk = sdks['0.22.1']
  const node = connect(t, sdk, server.url)
  const weather = unique('weather')
  sdk.registerFunction(node, weather, async ({ city }) => ({ content: `Weather in ${city}.` }))
  node.registerTrigger({ type: 'http', function_id: weather, config: {} })
  await callable(node, weather)
  const row = await eventually('the binding', async () => (await json(['triggers', ...remote])).triggers.find((each) => each.function_id === weather))
  assert.deepEqual([row.type, row.status], ['http', 'waiting'])
  const prompt = { name: 'weather', description: 'Says the weather.', function_id: weather, arguments: [{ name: 'city', required: true }] }
  await node.trigger({ function_id: 'prompts::register', payload: prompt })
  assert.equal((await json(['prompt', 'weather', 'city=Rome', ...remote])).body, 'Weather in Rome.')
  const without = await cli(['prompt', 'weather', 'town=Rome', ...remote])
  assert.match(without.stderr, /^Warning: .* without the required argument `city`/)
  await node.trigger({ function_id: 'prompts::unregister', payload: { name: 'weather' } })
})

test('watch: one line for each change', { skip: needsOwnEngine }, async () => {
  for (const where of [remote, local]) {
    const folder = tree({ 'a/SKILL.md': '# A\n\nText.\n' })
    const options = where === local ? ['--skills', folder] : where
    const root = where === local ? folder : JSON.parse((await cli(['config', 'get', 'skills_folder', '--json', ...local])).stdout).value
    const watching = start(directoryBin, ['watch', '--json', '--count', '1', ...options], { env: { HOME: home, III_URL: '' } })
    const human = start(directoryBin, ['watch', ...options], { env: { HOME: home, III_URL: '' } })
    await human.printed('stderr', /Watching/)
    let attempt = 0
    const writing = setInterval(() => put(root, `w${attempt}/n${attempt++}.md`, '# N\n\nText.\n'), 100)
    const end = await watching.exit
    clearInterval(writing)
    assert.equal(end.code, 0, end.stderr)
    validate('watch', JSON.parse(end.stdout.trim()))
    assert.equal((await human.kill('SIGINT')).code, 130)
  }
})

test('what writes', { skip: needsOwnEngine }, async () => {
  const folder = tempDir()
  const settings = configFile({ skills_folder: folder, registry_url: shelf.url })
  const own = ['--config', settings]
  const source = tree({ 'one/SKILL.md': '---\nname: one\ndescription: One.\n---\n# One\n', 'two/SKILL.md': '# Two\n\nText.\n' })
  assert.equal((await json(['add', 'mail', ...own])).namespace, 'mail')
  assert.equal((await json(['add', source, '--list', ...own])).skills.length, 2)
  assert.equal((await json(['add', source, '--all', ...own])).namespaces.length, 2)
  await json(['verify', ...own])
  await json(['outdated', ...own])
  shelf.bundles.mail.version = '1.1.0'
  shelf.bundles.mail.skills['index.md'] = '# Mail\n\nSends more.\n'
  await json(['outdated', ...own], 1)
  await json(['diff', 'mail', ...own], 1)
  assert.equal((await json(['update', ...own])).ok, true)
  assert.equal((await json(['restore', ...own])).ok, true)
  assert.match((await cli(['remove', 'one', ...own])).stderr, /Next: pass --yes/, 'a script must say so')
  assert.deepEqual((await json(['remove', 'one', '-y', ...own])).namespaces[0].removed, ['SKILL.md'])
  rmSync(join(folder, 'two'), { recursive: true })
  const kept = await json(['update', ...own], 1)
  assert.deepEqual(kept.namespaces.map((each) => [each.namespace, each.ok]), [['mail', true], ['two', false]])
  assert.match(kept.namespaces[1].error, /^D337 deleted_here/)
  assert.deepEqual(readdirSync(folder).filter((name) => !name.startsWith('.')), ['directory.lock', 'mail'])
  assert.equal((await json(['restore', 'two', ...own])).ok, true)
  const made = await json(['new', 'skill', 'fresh', ...own])
  assert.equal(made.path, join(folder, 'fresh', 'SKILL.md'))
  assert.equal((await cli(['new', 'skill', 'fresh', ...own])).code, 1, 'nothing is overwritten')
  await json(['doctor', ...own])
  await json(['config', ...own])
  await json(['config', 'get', 'watch', ...own])
  assert.equal((await json(['config', 'set', 'watch', 'false', ...own])).exists, true)
  assert.equal((await json(['config', 'get', 'watch', ...own])).value, false)
  await json(['config', 'path', ...own])
  await json(['config', 'check', ...own])
  assert.equal((await json(['backup', join(home, 'copy'), '--data', server.data, ...remote])).from, 'server')
})

test('every schema was used', { skip: needsOwnEngine }, () => {
  assert.deepEqual([...checked].sort(), Object.keys(schemas).sort())
})
