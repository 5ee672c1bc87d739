// What the log says about who comes and goes, who is refused, and what waits.
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFile, tree } from './lib/directory.mjs'
import { freePort, needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run, start } from './lib/process.mjs'
import { callable, connect, sdks, unique } from './lib/sdks.mjs'

const sdk = sdks['0.22.1']

test('workers that connect, leave and wait for a trigger type', { skip: needsOwnEngine }, async (t) => {
  const engine = await startEngine({ args: ['--engine-only'] })
  t.after(() => engine.stop())
  const id = unique('f')
  const worker = connect(t, sdk, engine.url, { workerName: 'mailer' })
  sdk.registerFunction(worker, id, async () => 1)
  await callable(worker, id)
  await engine.printed('stderr', /info {2}worker mailer connected \(node.*, from 127\.0\.0\.1\)/)
  worker.registerTrigger({ type: 'http', function_id: id, config: {} })
  await engine.printed('stderr', new RegExp(`info  ${id} is waiting for trigger type 'http'; no worker provides it`))
  await worker.shutdown()
  await engine.printed('stderr', /info {2}worker mailer disconnected/)
})

test('who is refused, and one call of the command line is not worth a line', { skip: needsOwnEngine }, async (t) => {
  const engine = await startEngine({ args: ['--engine-only', '--token', 'sixteen-letters!'] })
  t.after(() => engine.stop())
  assert.equal((await run(directoryBin, ['trigger', 'engine::functions::list', '--url', engine.url])).code, 1)
  await engine.printed('stderr', /warn {2}a connection from 127\.0\.0\.1 is refused \(401\): it sent no valid token/)
  assert.equal((await run(directoryBin, ['trigger', 'engine::functions::list', '--url', engine.url, '--token', 'sixteen-letters!'])).code, 0)
  assert.doesNotMatch(engine.out.stderr, /iii-cli/)
})

test('worker mode: connected, connected again, stopping; and what is sent to the registry', { skip: needsOwnEngine }, async (t) => {
  const engine = await startEngine({ args: ['--engine-only'] })
  const file = configFile({ skills_folder: tempDir(), local_skills_folder: tempDir(), registry_url: 'http://127.0.0.1:1' })
  const worker = start(directoryBin, ['--url', engine.url, '--config', file], { env: { HOME: tempDir(), III_TOKEN: '' } })
  await worker.printed('stderr', /info {2}the names of connected workers are sent to http:\/\/127\.0\.0\.1:1 .*`auto_download: false` stops that/)
  await worker.printed('stderr', new RegExp(`info  connected to the engine at ${engine.url}\n`))
  await engine.crash()
  await worker.printed('stderr', new RegExp(`warn  not connected to the engine \\(${engine.url}: .*next attempt in`))
  const again = await engine.again()
  t.after(() => again.stop())
  await worker.printed('stderr', new RegExp(`info  connected to the engine at ${engine.url} again\n`))
  const end = await worker.stop()
  assert.match(end.stderr, /info {2}stopping\n/)
})

test('worker mode: it stops at once while the engine is away', async () => {
  const file = configFile({ skills_folder: tempDir(), local_skills_folder: tempDir(), auto_download: false })
  const url = `ws://127.0.0.1:${await freePort()}`
  const worker = start(directoryBin, ['--url', url, '--config', file], { env: { HOME: tempDir(), III_TOKEN: '' } })
  await worker.printed('stderr', new RegExp(`not connected to the engine \\(${url}: `))
  const { code, stderr } = await worker.kill('SIGTERM')
  assert.equal(code, 0)
  assert.match(stderr, /info {2}stopping\n$/, 'nothing is tried or missed after that')
})

test('a served folder that goes and comes back', { skip: needsOwnEngine }, async (t) => {
  const folder = tree({ 'a/SKILL.md': '# A\n\nText.\n' })
  const server = await startEngine({ args: ['--skills', folder], env: { HOME: tempDir() } })
  t.after(() => server.stop())
  renameSync(folder, `${folder}-away`)
  await server.printed('stderr', new RegExp(`warn  global folder ${folder} is gone: what it held is not served until it is back\n`))
  renameSync(`${folder}-away`, folder)
  await server.printed('stderr', new RegExp(`info  global folder ${folder} is there now, and served\n`))
})

test('verbs without a server print sentences, not log lines; errors of the data folder name it', async () => {
  const env = { HOME: tempDir(), III_URL: '', III_TOKEN: '' }
  const none = join(tempDir(), 'none')
  const listed = await run(directoryBin, ['list', '--config', configFile({ skills_folder: tempDir(), local_skills_folder: none })], { env })
  assert.match(listed.stderr, new RegExp(`^Warning: local folder ${none} does not exist\\.\n`))
  const file = join(tree({ file: '' }), 'file')
  const served = await run(directoryBin, ['serve', '--port', '0', '--http-port', '0', '--data', file], { env })
  assert.equal(served.code, 1)
  assert.match(served.stderr, new RegExp(`Error: data folder ${file}: the data folder is a file`))
})

test('--log-format json: every line is one object', { skip: needsOwnEngine }, async () => {
  const engine = await startEngine({ args: ['--engine-only', '--log-format', 'json'] })
  await engine.stop()
  const lines = engine.out.stderr.trim().split('\n').map((line) => JSON.parse(line))
  assert.ok(lines.some(({ message }) => message === 'stopping'))
  for (const { time, level, message } of lines) {
    assert.ok(!Number.isNaN(Date.parse(time)))
    assert.match(level, /^(debug|info|warn|error)$/)
    assert.equal(typeof message, 'string')
  }
  const refused = await run(directoryBin, ['serve', '--log-format', 'xml'])
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /--log-format: 'xml' is not one of text, json/)
})
