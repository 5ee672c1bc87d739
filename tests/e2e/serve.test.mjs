// `iii-directory serve` as a program: ready line, exit codes, ports, what it refuses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort, needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { RawPeer, tcp } from './lib/raw.mjs'
import { call, callable, connect, failure, sdks } from './lib/sdks.mjs'

const sdk = sdks['0.22.1']
const own = { skip: needsOwnEngine }
const serve = (args, options) => run(directoryBin, ['serve', '--data', tempDir(), '--http-port', '0', ...args], options)

test('one line on stdout says where it listens; logs go to stderr', own, async () => {
  const engine = await startEngine()
  assert.match(engine.readyLine, /^ready ws=ws:\/\/127\.0\.0\.1:\d+ http=http:\/\/127\.0\.0\.1:\d+$/)
  assert.notEqual(engine.port, 0)
  const peer = await RawPeer.open(engine.url)
  await peer.end()
  const { code, stdout } = await engine.stop()
  assert.equal(code, 0)
  assert.equal(stdout, `${engine.readyLine}\n`)
})

test('SIGTERM and SIGINT end it with 0, with peers connected and calls in flight', own, async () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const engine = await startEngine()
    const [caller, worker, idle] = await Promise.all([RawPeer.open(engine.url), RawPeer.open(engine.url, { name: 'w' }), tcp(engine.port)])
    worker.register('never')
    await worker.barrier()
    caller.invoke('never', {})
    await worker.inbox.until((items) => items.some((f) => f.type === 'invokefunction'), 'the call')
    const started = process.hrtime.bigint()
    const { code } = await engine.kill(signal)
    const seconds = Number(process.hrtime.bigint() - started) / 1e9
    assert.equal(code, 0, signal)
    // The promise is 2 s; a sanitizer build checks its memory first.
    assert.ok(seconds < (process.env.III_E2E_SLOW ? 20 : 2), `${signal}: took ${seconds} s`)
    assert.notEqual(await caller.closed.promise, 1000, 'peers see a close that makes them reconnect')
    assert.notEqual(await worker.closed.promise, 1001)
    await idle.closed
  }
})

test('the directory worker is attached from the start', own, async (t) => {
  const engine = await startEngine()
  t.after(() => engine.stop())
  const node = connect(t, sdk, engine.url)
  assert.equal((await call(node, 'directory::health', {})).status, 'ok', 'callable as soon as the ready line is out')
  const { functions } = await call(node, 'engine::functions::list', { prefix: 'directory::' })
  assert.ok(functions.some((row) => row.function_id === 'directory::health' && row.worker_name === 'iii-directory'))
  const { workers } = await call(node, 'engine::workers::list', { search: 'iii-directory' })
  assert.equal(workers.length, 1)
})

test('--engine-only starts no directory worker', own, async (t) => {
  const engine = await startEngine({ args: ['--engine-only'] })
  t.after(() => engine.stop())
  const node = connect(t, sdk, engine.url)
  assert.equal((await failure(call(node, 'directory::health', {}))).code, 'function_not_found')
})

test('SIGHUP does not end an engine that runs alone', own, async (t) => {
  const engine = await startEngine({ args: ['--engine-only'] })
  t.after(() => engine.stop())
  engine.child.kill('SIGHUP')
  await engine.printed('stderr', /SIGHUP: nothing to reload/)
  const peer = await RawPeer.open(engine.url)
  assert.ok((await peer.call('engine::workers::list', {})).result)
  await peer.end()
})

test('it goes on when the readers of its output are gone', own, async (t) => {
  const engine = await startEngine()
  t.after(() => engine.stop())
  engine.child.stdout.destroy()
  engine.child.stderr.destroy()
  const peer = await RawPeer.open(engine.url)
  peer.ws.send('{ this is not JSON and is logged')
  assert.ok((await peer.call('engine::workers::list', {})).result)
  await peer.end()
  assert.equal((await engine.stop()).code, 0)
})

test('a peer reads no environment variable that the operator did not name', own, async (t) => {
  const engine = await startEngine({ args: ['--expand-env', 'III_E2E_OPEN'], env: { III_E2E_OPEN: 'open', III_E2E_SECRET: 'secret' } })
  t.after(() => engine.stop())
  const peer = await RawPeer.open(engine.url)
  const value = '${III_E2E_OPEN:-} ${III_E2E_SECRET:-} ${HOME:-}'
  await peer.call('configuration::register', { id: 'c', name: 'n', description: 'd', schema: {}, initial_value: value })
  const { result } = await peer.call('configuration::get', { id: 'c' })
  assert.equal(result.value, 'open - -')
  await peer.end()
})

test('a busy port is refused with a sentence that says what to do', own, async (t) => {
  const engine = await startEngine()
  t.after(() => engine.stop())
  const second = await serve(['--port', String(engine.port)])
  assert.equal(second.code, 1)
  assert.equal(second.stdout, '', 'never ready')
  assert.ok(second.stderr.includes(String(engine.port)), second.stderr)
  assert.match(second.stderr, /--port/)
  assert.match(second.stderr, /in use|taken|already|busy/i)
})

test('a token that could be guessed is refused, with the command that makes a better one', own, async () => {
  for (const [args, env, name] of [
    [['--token', 'fifteen-letters'], { III_TOKEN: '' }, '--token'],
    [[], { III_TOKEN: 'fifteen-letters' }, 'III_TOKEN'],
  ]) {
    const end = await run(directoryBin, ['serve', '--port', '0', '--data', tempDir(), ...args], { env })
    assert.equal(end.code, 2)
    assert.match(end.stderr, new RegExp(`${name} has fewer than 16 characters.*Next: make a token with \`openssl rand -hex 32\``))
    assert.doesNotMatch(end.stderr, /fifteen-letters/)
  }
})

test('a second serve says where the first one is', own, async (t) => {
  const engine = await startEngine({ args: ['--token', 'sixteen-letters!'] })
  t.after(() => engine.stop())
  for (const data of [engine.data, tempDir()]) {
    const args = ['serve', '--port', String(engine.port), '--http-port', '0', '--data', data]
    const end = await run(directoryBin, args, { env: { III_TOKEN: '' } })
    assert.equal(end.code, 1)
    assert.match(end.stderr, new RegExp(`A server already runs at ${engine.url}\\. Next: use it, .*--data, --port`))
  }
})

test('it does not listen beyond loopback without a token', own, async () => {
  for (const host of ['0.0.0.0', '::']) {
    const refused = await serve(['--host', host, '--port', '0'], { env: { III_TOKEN: '' } })
    assert.notEqual(refused.code, 0, host)
    assert.equal(refused.stdout, '')
    assert.match(refused.stderr, /token/i)
  }
  const port = await freePort()
  const allowed = await startEngine({ args: ['--host', '0.0.0.0', '--token', 'sixteen-letters!'], port })
  const peer = await RawPeer.open(`ws://127.0.0.1:${port}`, { headers: { authorization: 'Bearer sixteen-letters!' } })
  await peer.end()
  await allowed.stop()
})

test('bad flags are usage errors with exit code 2', own, async () => {
  for (const args of [['--port', 'many'], ['--port', '65536'], ['--port', '-1'], ['--no-such-flag'], ['--port']]) {
    const { code, stdout, stderr } = await serve(args)
    assert.equal(code, 2, `${args}: ${stderr}`)
    assert.equal(stdout, '')
    assert.ok(stderr.includes(args[0].slice(2)), stderr)
  }
  const help = await run(directoryBin, ['serve', '--help'])
  assert.equal(help.code, 0)
  for (const flag of ['--host', '--port', '--http-port', '--data', '--token', '--allow-origin', '--engine-only'])
    assert.ok(help.stdout.includes(flag), flag)
})

test('a data folder that cannot be written is an error before it is ready', own, async () => {
  const { code, stdout, stderr } = await run(directoryBin, ['serve', '--port', '0', '--data', `${directoryBin}/sub`])
  assert.equal(code, 1)
  assert.equal(stdout, '')
  assert.match(stderr, /data/)
})
