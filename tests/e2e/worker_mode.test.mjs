// `iii-directory` without a verb: the directory as a worker on an engine that runs elsewhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFor, freePort, needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run, start } from './lib/process.mjs'
import { call, callable, connect, sdks } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const sdk = sdks['0.22.1']
const bare = { args: ['--engine-only'] }
const health = 'directory::health'
const worker = (t, args, env = {}) => {
  const quiet = { III_URL: '', III_WORKER_NAME: '', III_TOKEN: '', HOME: tempDir(), III_DIRECTORY_AUTO_DOWNLOAD: 'false' }
  const proc = start(directoryBin, args, { env: { ...quiet, ...env } })
  t.after(() => proc.stop())
  return proc
}

test('--url attaches the directory to a running engine', async (t) => {
  const { url } = await engineFor(t, bare)
  worker(t, ['--url', url])
  const node = connect(t, sdk, url)
  await callable(node, health)
  assert.equal((await call(node, health, {})).status, 'ok')
})

test('III_URL and III_WORKER_NAME say where and as whom', async (t) => {
  const { url } = await engineFor(t, bare)
  const proc = worker(t, [], { III_URL: url, III_WORKER_NAME: 'named-by-environment' })
  const node = connect(t, sdk, url)
  await callable(node, health)
  const { worker: row } = await call(node, 'engine::workers::info', { name: 'named-by-environment' })
  assert.equal(row.pid, proc.pid)
})

test('it waits for an engine that is not up yet, and comes back after a crash of it', { skip: needsOwnEngine }, async (t) => {
  const port = await freePort()
  const url = `ws://127.0.0.1:${port}`
  const proc = worker(t, ['--url', url])
  let engine = await startEngine({ ...bare, port })
  t.after(() => engine.stop())
  const node = connect(t, sdk, url)
  await callable(node, health)
  await engine.crash()
  engine = await engine.again()
  await eventually('healthy again', async () => (await call(node, health, {}, { timeoutMs: 5000 })).status === 'ok')
  assert.equal((await proc.kill('SIGTERM')).code, 0)
})

test('it ends with 0 on SIGTERM also while it waits for an engine', async (t) => {
  const proc = worker(t, ['--url', `ws://127.0.0.1:${await freePort()}`])
  await proc.printed('stderr', /\S/)
  assert.equal((await proc.kill('SIGTERM')).code, 0)
})

test('--help and --version answer on stdout with 0, an unknown flag is a usage error with 2', async () => {
  const help = await run(directoryBin, ['--help'])
  assert.equal(help.code, 0)
  for (const word of ['serve', 'trigger', '--url', '--config', '--manifest', '--version']) assert.ok(help.stdout.includes(word), word)
  const version = await run(directoryBin, ['--version'])
  assert.equal(version.code, 0)
  assert.match(version.stdout, /\d+\.\d+\.\d+/)
  const wrong = await run(directoryBin, ['--no-such-flag'])
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /no-such-flag/)
  const late = await run(directoryBin, ['--url', 'ws://127.0.0.1:1', 'list'])
  assert.equal(late.code, 2)
  assert.match(late.stderr, /options come after the verb\. Next: write `iii-directory list \[options\]`/)
})

test('--manifest prints one JSON object that names the worker', async () => {
  const { code, stdout } = await run(directoryBin, ['--manifest'])
  assert.equal(code, 0)
  assert.equal(JSON.parse(stdout).name, 'iii-directory')
})
