// directory::backup copies what is stored while the engine runs; a data folder made of the copy has everything.
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
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

test('the newest seven backups are kept', own, async (t) => {
  const engine = await startEngine()
  t.after(() => engine.stop())
  const peer = await RawPeer.open(engine.url)
  const names = []
  for (let i = 0; i < 9; i++) names.push((await call(peer, 'directory::backup', {})).name)
  assert.deepEqual(readdirSync(join(engine.data, 'backups')).sort(), names.slice(-7))
  await peer.end()
})
