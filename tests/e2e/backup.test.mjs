// directory::backup copies what is stored while the engine runs; a data folder made of the copy has everything.
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { RawPeer } from './lib/raw.mjs'

const own = { skip: needsOwnEngine }

async function call(peer, id, payload) {
  const { result, error } = await peer.call(id, payload)
  assert.equal(error, undefined, JSON.stringify(error))
  return result
}

test('a backup made during writes can be restored', own, async (t) => {
  const engine = await startEngine()
  t.after(() => engine.stop())
  const peer = await RawPeer.open(engine.url)
  const write = (n) => call(peer, 'state::set', { scope: 'kept', key: `k${n}`, value: { n, text: 'x'.repeat(2000) } })
  await Promise.all(Array.from({ length: 500 }, (_, n) => write(n)))
  const meanwhile = Array.from({ length: 200 }, (_, n) => write(500 + n))
  const { name, bytes } = await call(peer, 'directory::backup', {})
  await Promise.all(meanwhile)
  await peer.end()
  const copy = join(engine.data, 'backups', name)
  assert.equal(statSync(copy).size, bytes)

  const data = tempDir()
  chmodSync(data, 0o700)
  copyFileSync(copy, join(data, 'state.db'))
  const restored = await startEngine({ data })
  t.after(() => restored.stop())
  const reader = await RawPeer.open(restored.url)
  const values = await call(reader, 'state::list', { scope: 'kept' })
  assert.ok(values.length >= 500, `${values.length} entries`)
  values.forEach((value, n) => assert.equal(value.n, n))
  await reader.end()
})

test('`backup FOLDER` copies from a running server and from a folder at rest; `serve --data` starts from either', own, async (t) => {
  const engine = await startEngine()
  const peer = await RawPeer.open(engine.url)
  await call(peer, 'state::set', { scope: 'kept', key: 'k', value: 'first' })
  const parent = tempDir()
  const home = { env: { HOME: tempDir(), III_TOKEN: '' } }
  const backup = (name, ...args) => run(directoryBin, ['backup', join(parent, name), '--data', engine.data, ...args], home)

  const live = await backup('live', '--url', engine.url, '--json')
  assert.equal(live.code, 0, live.stderr)
  const told = JSON.parse(live.stdout)
  assert.deepEqual({ ...told, bytes: 0 }, { folder: join(parent, 'live'), bytes: 0, lock: false, from: 'server' })
  assert.equal(statSync(join(parent, 'live', 'state.db')).size, told.bytes)
  assert.equal(statSync(join(parent, 'live')).mode & 0o777, 0o700)

  const twice = await backup('live', '--url', engine.url)
  assert.equal(twice.code, 1)
  assert.match(twice.stderr, /has a backup already. Next: name another folder/)
  const elsewhere = await run(directoryBin, ['backup', join(parent, 'x'), '--data', tempDir(), '--url', engine.url], home)
  assert.equal(elsewhere.code, 1)
  assert.match(elsewhere.stderr, /pass --data DIR, the data folder of that server/)

  await call(peer, 'state::set', { scope: 'kept', key: 'k', value: 'second' })
  await peer.end()
  await engine.stop()
  const rest = await backup('rest', '--json')
  assert.equal(rest.code, 0, rest.stderr)
  assert.equal(JSON.parse(rest.stdout).from, 'folder')

  for (const [name, value] of [['live', 'first'], ['rest', 'second']]) {
    const restored = await startEngine({ data: join(parent, name) })
    const reader = await RawPeer.open(restored.url)
    assert.equal(await call(reader, 'state::get', { scope: 'kept', key: 'k' }), value)
    await reader.end()
    await restored.stop()
  }
})

test('the newest seven backups are kept', own, async (t) => {
  const engine = await startEngine()
  t.after(() => engine.stop())
  const peer = await RawPeer.open(engine.url)
  const names = []
  for (let i = 0; i < 9; i++) names.push((await call(peer, 'directory::backup', {})).name)
  assert.deepEqual(readdirSync(join(engine.data, 'backups')).sort(), names.slice(-7))
  await peer.end()
})
