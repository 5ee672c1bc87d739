// `iii-directory trigger`: payload forms, output, exit codes, messages.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { engineFor, freePort, needsOwnEngine } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { callable, connect, sdks, unique } from './lib/sdks.mjs'

const sdk = sdks['0.22.1']
const ids = Object.fromEntries(['echo', 'nothing', 'throws', 'never', 'sorted', 'scalar', 'described'].map((name) => [name, unique(name)]))
let engine
const cleanup = []
const suite = { after: (fn) => cleanup.push(fn) } // the engine and the worker live as long as the file
const trigger = (args, options) => run(directoryBin, ['trigger', ...args], options)
const at = (...args) => trigger([...args, '--address', engine.host, '--port', String(engine.port)])

before(async () => {
  engine = await engineFor(suite)
  const worker = connect(suite, sdk, engine.url)
  const offer = (name, handler, options) => sdk.registerFunction(worker, ids[name], handler, options)
  offer('echo', async (input) => {
    if (input === null || typeof input !== 'object' || Array.isArray(input)) return { got: input }
    const { _caller_worker_id, ...rest } = input
    return { got: rest }
  })
  offer('nothing', async () => null)
  offer('throws', async () => {
    throw new Error('it broke')
  })
  offer('never', () => new Promise(() => {}))
  offer('sorted', async () => ({ b: 1, a: { d: [1, 2], c: 'ü' }, empty: {}, none: [] }))
  offer('scalar', async () => 'text')
  offer('described', async () => null, {
    description: 'Adds two numbers.',
    request_format: {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'number', description: 'first summand' }, b: { type: 'integer', description: 'second summand' } },
    },
  })
  await callable(worker, ...Object.values(ids))
})

after(async () => {
  for (const fn of cleanup.reverse()) await fn()
})

// What a worker says reaches the terminal as text: ESC, OSC 52, C1 and bidi characters are shown, not obeyed.
const hostile = 'a\u001b]52;c;eA==\u0007\u009b31m\u202e\u007fz'
const harmful = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/

test('terminal: nothing of a worker drives it: descriptions, results, errors', async (t) => {
  const worker = connect(t, sdk, engine.url)
  const [says, fails] = [unique('says'), unique('fails')]
  sdk.registerFunction(worker, says, async () => ({ [hostile]: hostile }), {
    description: hostile,
    request_format: { type: 'object', properties: { [hostile]: { type: 'string', description: hostile } } },
  })
  sdk.registerFunction(worker, fails, async () => {
    throw new Error(hostile)
  })
  await callable(worker, says, fails)
  const [help, result, error] = await Promise.all([at(says, '--help'), at(says), at(fails)])
  for (const { stdout, stderr } of [help, result, error]) assert.doesNotMatch(stdout + stderr, harmful)
  assert.match(help.stdout, /a\\x1b\]52;c;eA==\\x07\\u009b31m\\u202e\\u007fz/)
  assert.deepEqual(JSON.parse(result.stdout), { [hostile]: hostile }, 'still the same JSON')
  assert.equal(error.code, 1)
})

async function payloadOf(...args) {
  const { code, stdout, stderr } = await at(ids.echo, ...args)
  assert.equal(code, 0, stderr)
  assert.doesNotMatch(stderr, /Error/)
  return JSON.parse(stdout).got
}

test('payload: nothing given is an empty object', async () => {
  assert.deepEqual(await payloadOf(), {})
})

test('payload: --json alone goes through verbatim, whatever its type', async () => {
  for (const json of ['{"a":1}', '[1,2]', '"x"', '7', 'true', 'null']) assert.deepEqual(await payloadOf('--json', json), JSON.parse(json), json)
})

test('payload: key=value pairs, values read as JSON or kept as text', async () => {
  assert.deepEqual(
    await payloadOf('s=text', 'n=5', 'f=1.5', 'b=true', 'z=null', 'o={"x":[1]}', 'q="5"', 'empty=', 'eq=a=b', 'bad={x', 'space=a b'),
    { s: 'text', n: 5, f: 1.5, b: true, z: null, o: { x: [1] }, q: '5', empty: '', eq: 'a=b', bad: '{x', space: 'a b' },
  )
})

test('payload: a repeated key takes the last value', async () => {
  assert.deepEqual(await payloadOf('a=1', 'a=2'), { a: 2 })
})

test('payload: pairs override the keys of --json, one level deep', async () => {
  assert.deepEqual(await payloadOf('a=9', 'c=3', '--json', '{"a":{"x":1},"b":2}'), { a: 9, b: 2, c: 3 })
})

test('result: pretty JSON with two spaces and sorted keys', async () => {
  const { code, stdout } = await at(ids.sorted)
  assert.equal(code, 0)
  assert.equal(
    stdout,
    '{\n  "a": {\n    "c": "ü",\n    "d": [\n      1,\n      2\n    ]\n  },\n  "b": 1,\n  "empty": {},\n  "none": []\n}\n',
  )
  assert.equal((await at(ids.scalar)).stdout, '"text"\n')
})

test('result: null is printed', async () => {
  const { code, stdout, stderr } = await at(ids.nothing)
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'null\n', stderr: '' })
})

test('remote errors: one readable line, the stack trace on demand, exit code 1', async () => {
  const { code, stdout, stderr } = await at(ids.throws)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^Error: invocation_failed: it broke\n/)
  assert.doesNotMatch(stderr, /\n\s+at /)
  const traced = await at(ids.throws, '--stack')
  assert.equal(traced.code, 1)
  assert.match(traced.stderr, /^Error: invocation_failed: it broke\n[^]*\n\s+at /)
})

test('a function that does not exist: the nearest id is named', async () => {
  const { code, stderr } = await at(`${ids.echo}x`)
  assert.equal(code, 1)
  assert.match(stderr, /^Error: function_not_found: /)
  assert.ok(stderr.includes(`Did you mean ${ids.echo}?`), stderr)
  assert.match(stderr, /Next: .*iii-directory functions/)
})

test('payload: from stdin and from a file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trigger-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'in.json'), '{"a":[1]}')
  assert.deepEqual(await payloadOf('--json', `@${join(folder, 'in.json')}`, 'b=2'), { a: [1], b: 2 })
  const where = ['--address', engine.host, '--port', String(engine.port)]
  const piped = await trigger([ids.echo, '--json', '-', ...where], { input: '{"x":1}' })
  assert.deepEqual(JSON.parse(piped.stdout), { got: { x: 1 } })
  const missing = await at(ids.echo, '--json', '@/no/such/file')
  assert.deepEqual([missing.code, missing.stdout], [2, ''])
})

test('payload: what looks like JSON and is not is sent as text, with a warning', async () => {
  const { code, stdout, stderr } = await at(ids.echo, 'value={bad')
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(stdout), { got: { value: '{bad' } })
  assert.match(stderr, /^Warning: value is not valid JSON and is sent as text: \{bad\n$/)
})

test('where the engine is: --url, III_URL, --address with a scheme', async () => {
  const elsewhere = `ws://127.0.0.1:${await freePort()}`
  assert.equal((await trigger([ids.scalar, '--url', engine.url])).code, 0)
  assert.equal((await trigger([ids.scalar, '--address', engine.url])).code, 0)
  assert.equal((await trigger([ids.scalar], { env: { III_URL: engine.url } })).code, 0)
  assert.equal((await trigger([ids.scalar, '--url', engine.url], { env: { III_URL: elsewhere } })).code, 0, '--url wins')
  const { code, stderr } = await trigger([ids.scalar], { env: { III_URL: elsewhere } })
  assert.equal(code, 1)
  assert.ok(stderr.includes(`${elsewhere}:`), stderr)
  assert.equal((await trigger([ids.scalar, '--url', 'http://x'])).code, 2)
})

test('a full device is a failure', async () => {
  const { code, stderr } = await run('/bin/sh', ['-c', `exec "$0" trigger "$1" --url "$2" > /dev/full`, directoryBin, ids.scalar, engine.url])
  assert.equal(code, 1)
  assert.match(stderr, /^Error: the output could not be written: /)
})

test('a server that requires a token: the hint is --token', { skip: needsOwnEngine }, async (t) => {
  const guarded = await engineFor(t, { args: ['--token', 'sixteen-letters!'] })
  const without = await trigger([ids.scalar, '--url', guarded.url])
  assert.equal(without.code, 1)
  assert.match(without.stderr, /requires a token\. Next: pass --token/)
  const wrong = await trigger([ids.scalar, '--url', guarded.url, '--token', 'x'])
  assert.match(wrong.stderr, /does not accept this token/)
  assert.equal((await trigger(['engine::functions::list', '--url', guarded.url, '--token', 'sixteen-letters!'])).code, 0)
})

test('wrong command lines: each says what is wrong, exit code 2', async () => {
  for (const [args, message] of [
    [[], /^Error: FUNCTION_PATH is missing\. Next: .*iii-directory functions/],
    [[ids.echo, 'x'], /^Error: expected key=value, got `x`/],
    [[ids.echo, '=v'], /^Error: payload key must not be empty \(got `=v`\)/],
    [[ids.echo, '--json', '{x'], /^Error: --json: invalid JSON `\{x`/],
    [[ids.echo, 'a=1', '--json', '[1]'], /^Error: --json must be an object when combined with kv pairs/],
  ]) {
    const { code, stdout, stderr } = await at(...args)
    assert.deepEqual([code, stdout], [2, ''], String(args))
    assert.match(stderr, message)
  }
})

test('timeout: exit code 1 and a sentence', async () => {
  // Long enough to connect: that has the same limit, and ends with another sentence.
  const { code, stdout, stderr } = await at(ids.never, '--timeout-ms', '5000')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^Error: Timed out waiting for the engine/)
})

test('no engine there: exit code 1 and a sentence that names the address', async () => {
  const nobody = String(await freePort())
  const { code, stdout, stderr } = await trigger([ids.echo, '--port', nobody, '--timeout-ms', '2000'])
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^Error: /)
  assert.ok(stderr.includes(nobody), stderr)
})

test('usage errors of the argument parser: exit code 2', async () => {
  for (const args of [['--no-such-flag'], ['--port', 'x'], ['--timeout-ms', 'soon'], ['--timeout-ms', '0'], ['--json']]) {
    const { code, stdout } = await trigger([ids.echo, ...args])
    assert.deepEqual([code, stdout], [2, ''], String(args))
  }
})

test('no answer within --timeout-ms: what to do, and not to start another engine', async (t) => {
  const silent = net.createServer(() => {})
  await new Promise((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => silent.close())
  const { code, stderr } = await trigger([ids.echo, '--address', `127.0.0.1:${silent.address().port}`, '--timeout-ms', '100'])
  assert.equal(code, 1)
  assert.match(stderr, /^Error: Cannot reach an engine at ws:\/\/127\.0\.0\.1:\d+ within 100 ms\.\nNext: .*--timeout-ms/)
})

test('--address: a host name, which is localhost when none is given', { skip: needsOwnEngine }, async () => {
  for (const where of [[], ['--address', 'localhost']]) assert.equal((await trigger([ids.scalar, '--port', String(engine.port), ...where])).code, 0)
  const { code, stdout } = await at(ids.echo, 'a=1')
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(stdout), { got: { a: 1 } })
})

test('--namespace: asks there only', async () => {
  assert.equal((await at(ids.scalar, '--namespace', 'default')).code, 0)
  const { code, stderr } = await at(ids.scalar, '-n', 'elsewhere')
  assert.equal(code, 1)
  assert.match(stderr, /function_not_found/)
})

test('--help with a path prints the parameters of that function', async () => {
  const { code, stdout } = await at(ids.described, '--help')
  assert.equal(code, 0)
  for (const word of [ids.described, 'Adds two numbers.', 'first summand', 'second summand', 'number', 'integer']) assert.ok(stdout.includes(word), word)
})

test('--help for an unknown function: stderr, exit code 1', async () => {
  const id = unique('missing')
  const { code, stderr } = await at(id, '--help')
  assert.equal(code, 1)
  assert.ok(stderr.includes(id), stderr)
})

test('--help without an engine, and without a path: the static text, exit code 0', async () => {
  const nobody = String(await freePort())
  for (const args of [[ids.echo, '--help', '--port', nobody], ['--help'], ['-h']]) {
    const { code, stdout } = await trigger(args)
    assert.equal(code, 0, String(args))
    for (const word of ['--json', '--address', '--port', '--timeout-ms', '--namespace']) assert.ok(stdout.includes(word), word)
  }
})

test('the old spelling --function-id and --payload works too', async () => {
  const old = (...args) => at(...args)
  assert.deepEqual(JSON.parse((await old(`--function-id=${ids.echo}`, '--payload={"a":1}')).stdout), { got: { a: 1 } })
  assert.deepEqual(JSON.parse((await old('--function-id', ids.echo)).stdout), { got: {} })
  assert.equal((await old('--function-id', ids.throws, '--payload', '{}')).code, 1)
  const bad = await old('--function-id', ids.echo, '--payload', '{x')
  assert.equal(bad.code, 2)
  assert.match(bad.stderr, /invalid JSON/)
})
