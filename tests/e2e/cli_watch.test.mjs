// `watch` with a server: the server calls it after every change, and it waits while the server is away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { put, putAtomically, startDirectory, tree } from './lib/directory.mjs'
import { freePort, needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run, start } from './lib/process.mjs'
import { call } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

test('watch is bound to the on-change types, and goes on after a restart of the server', { skip: needsOwnEngine }, async (t) => {
  const root = tree({ 'a/SKILL.md': '# A\n\nText.\n' })
  const options = { port: await freePort(), data: tempDir(), args: ['--skills', root] }
  const env = { HOME: tempDir(), III_URL: '', III_TOKEN: '' }
  let server = await startEngine(options)
  t.after(() => server.stop())
  const watching = start(directoryBin, ['watch', 'a', '--url', server.url], { env })
  await watching.printed('stderr', /Watching \(server /)

  const bound = await run(directoryBin, ['triggers', '--json', '--url', server.url], { env })
  const types = JSON.parse(bound.stdout).triggers.filter((row) => row.function_id.startsWith('iii-cli::watch-')).map((row) => row.type)
  assert.deepEqual(types.sort(), ['directory::prompts::on-change', 'directory::skills::on-change'])
  const { stdout } = await run(directoryBin, ['functions', 'iii-cli', '--json', '--url', server.url], { env })
  assert.deepEqual(JSON.parse(stdout).functions, [], 'it is internal')

  put(root, 'b/SKILL.md', '# B\n\nAnother prefix.\n')
  putAtomically(root, 'a/more.md', '# More\n\nText.\n')
  await watching.printed('stdout', /^added +skill +a\/more +external\n/)

  await server.stop()
  server = await startEngine(options)
  await watching.printed('stderr', /changes are missing; the server was restarted/)
  putAtomically(root, 'a/last.md', '# Last\n\nText.\n')
  await watching.printed('stdout', /added +skill +a\/last /)
  const end = await watching.kill('SIGINT')
  assert.equal(end.code, 130)
  assert.equal(end.stdout.split('\n').length, 3, end.stdout)
})

test('watch waits for a directory that comes later than its engine', { skip: needsOwnEngine }, async (t) => {
  const options = { port: await freePort(), args: ['--engine-only', '--no-worker-manager'] }
  let engine = await startEngine(options)
  t.after(() => engine.stop())
  const { root, node, boot, end } = await startDirectory(t, { engine, files: { 'a/SKILL.md': '# A\n\nText.\n' } })
  const watching = start(directoryBin, ['watch', '--url', engine.url], { env: { HOME: tempDir(), III_URL: '', III_TOKEN: '' } })
  t.after(() => watching.kill('SIGINT'))
  await watching.printed('stderr', /Watching \(server /)
  await end()
  await engine.stop()
  engine = await startEngine(options)
  await eventually('it is connected again', async () => {
    const { workers } = await call(node, 'engine::workers::list', {}, { timeoutMs: 5000 })
    return workers.some(({ name }) => name?.startsWith('iii-cli:watch-'))
  })
  boot()
  await watching.printed('stderr', /changes are missing; the server was restarted/)
  putAtomically(root, 'a/last.md', '# Last\n\nText.\n')
  await watching.printed('stdout', /added +skill +a\/last /)
})

test('--count 0 is a mistake, not a watch without an end', async () => {
  const { code, stderr } = await run(directoryBin, ['watch', '--count', '0', '--skills', tempDir()], { env: { HOME: tempDir(), III_URL: '' } })
  assert.equal(code, 2)
  assert.match(stderr, /--count: '0' is not a whole number from 1 /)
})
