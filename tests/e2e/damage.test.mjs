// What must not happen silently: a damaged database, a removed data folder, a full disk, a stolen trigger type.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { put, startDirectory } from './lib/directory.mjs'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { request } from './lib/http.mjs'
import { directoryBin, start } from './lib/process.mjs'
import { RawPeer } from './lib/raw.mjs'
import { eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const engineOnly = { args: ['--engine-only'] }

const set = (peer, key, value) => peer.call('state::set', { scope: 's', key, value })
const get = async (peer, key) => (await peer.call('state::get', { scope: 's', key })).result

test('one flipped bit in the database is found at the next start', own, async () => {
  const engine = await startEngine(engineOnly)
  const peer = await RawPeer.open(engine.url, { name: 'writer' })
  for (const key of ['a', 'b', 'c']) assert.ok(!(await set(peer, key, key.repeat(3000))).error)
  await engine.stop()
  const database = join(engine.data, 'state.db')
  const bytes = readFileSync(database)
  bytes[bytes.indexOf('bbbbbbbb') + 100] ^= 1
  writeFileSync(database, bytes)

  const refused = await start(directoryBin, ['serve', '--engine-only', '--port', '0', '--data', engine.data]).exit
  assert.notEqual(refused.code, 0)
  assert.match(refused.stderr, /state\.db is damaged.*Next: restore the data folder from a backup/)
  assert.ok(readFileSync(database).equals(bytes), 'nothing was changed')
})

test('nothing is acknowledged after the data folder was removed, and it works again when it is put back', own, async (t) => {
  const data = join(tempDir(), 'data')
  const engine = await startEngine({ ...engineOnly, data })
  t.after(() => engine.kill('SIGKILL'))
  const peer = await RawPeer.open(engine.url, { name: 'writer' })
  assert.ok(!(await set(peer, 'kept', 1)).error)
  renameSync(data, `${data}-away`)
  const { error } = await set(peer, 'lost', 1)
  assert.equal(error?.code, 'SET_ERROR')
  assert.match(error.message, /data folder was removed or replaced.*Next: /)
  assert.equal(await get(peer, 'lost'), undefined, 'undone in memory')
  assert.equal(await get(peer, 'kept'), 1, 'reading goes on')
  renameSync(`${data}-away`, data)
  assert.ok(!(await set(peer, 'again', 1)).error)
  rmSync(data, { recursive: true })
  for (let i = 0; i < 3; ++i) assert.match((await set(peer, 'lost', 1)).error.message, /data folder was removed/)
  const told = () => engine.out.stderr.match(/writes are not stored/g)?.length
  await eventually('both times are told', () => told() >= 2)
  assert.equal(told(), 2, 'once for each time')
})

/** A file system of a few MiB; nothing when this process may not mount one. */
function smallDisk(t, size) {
  const folder = mkdtempSync(join(tmpdir(), 'iii-e2e-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder]).status === 0
  t.after(() => {
    if (mounted) spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  if (!mounted) return undefined
  return folder
}

for (const size of ['96m', '20m'])
  test(`a disk of ${size} that others have filled: errors until there is room again, then it works, without a restart`, own, async (t) => {
    const disk = smallDisk(t, size)
    if (!disk) return t.skip('left out: this process may not mount a file system')
    const data = join(disk, 'data')
    mkdirSync(data, { mode: 0o700 })
    let engine = await startEngine({ ...engineOnly, data })
    t.after(() => engine.kill('SIGKILL'))
    let peer = await RawPeer.open(engine.url, { name: 'writer' })
    const value = 'v'.repeat(256 * 1024)
    const ready = async () => (await request(`${engine.http}/healthz/ready`)).status
    const stored = []
    for (let round = 0; round < 3; ++round) {
      const filler = join(disk, `filler-${round}`)
      // Again and again: what a failed write gives back is taken by others, too.
      const fill = () => spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k', 'oflag=append', 'conv=notrunc', 'status=none'])
      assert.ok(!(await set(peer, `first-${round}`, value)).error)
      stored.push(`first-${round}`)
      let error
      for (let i = 0; !error && i < 2000; ++i) {
        fill()
        const key = `r${round}-${i}`
        error = (await set(peer, key, value)).error
        if (!error) stored.push(key)
        else assert.equal(await get(peer, key), undefined, 'undone in memory')
      }
      assert.match(error.message, /full.*Next: /)
      assert.equal(await ready(), 503)
      assert.equal((await get(peer, stored[0]))?.length, value.length, 'reading goes on')
      for (let i = 0; i < 3; ++i) {
        fill()
        assert.match((await set(peer, 'small', i)).error?.message ?? 'stored', /full.*Next: |stored/)
      }
      rmSync(filler)
      await eventually('a write is stored again', async () => !(await set(peer, `again-${round}`, round)).error)
      stored.push(`again-${round}`)
      await eventually('ready again', async () => (await ready()) === 200)
      for (const key of stored.filter((each) => /^r/.test(each))) assert.ok(!(await peer.call('state::delete', { scope: 's', key })).error)
      stored.splice(0, stored.length, ...stored.filter((each) => !/^r/.test(each)), `kept-${round}`)
      assert.ok(!(await set(peer, `kept-${round}`, value)).error)
    }
    await engine.crash()
    engine = await engine.again()
    peer = await RawPeer.open(engine.url, { name: 'reader' })
    for (const key of stored) assert.notEqual(await get(peer, key), undefined, key)
  })

test('nobody takes the trigger type of a live directory away', own, async (t) => {
  const type = 'directory::skills::on-change'
  const directory = await startDirectory(t)
  const watcher = await RawPeer.open(directory.url, { name: 'watcher' })
  watcher.register('watcher::heard')
  const provider = async () => (await watcher.call('engine::triggers::info', { id: type })).result?.worker_name
  await eventually('the type is there', async () => (await provider()) !== undefined)
  const before = await provider()
  const bind = (id) => watcher.send({ type: 'registertrigger', id, trigger_type: type, function_id: 'watcher::heard', config: {} })
  bind('first')
  const thief = await RawPeer.open(directory.url, { name: 'thief' })
  thief.send({ type: 'registertriggertype', id: type, description: 'mine now' })
  await thief.barrier()
  assert.equal(await provider(), before)
  bind('second')
  thief.send({ type: 'triggerregistrationresult', id: 'first', trigger_type: type, function_id: 'watcher::heard', error: { code: 'no', message: 'no' } })
  await thief.barrier()
  thief.end()
  await eventually('both are bound', async () => {
    const { result } = await watcher.call('engine::registered-triggers::list', { trigger_type: type })
    return result.registered_triggers.length === 2
  })
  assert.equal(await provider(), before)
  put(directory.root, 'fresh/SKILL.md', '# Fresh\n\nMade by hand.\n')
  const events = () => watcher.inbox.items.filter((frame) => frame.type === 'invokefunction')
  await watcher.inbox.until(() => events().length >= 2, 'both events')
  assert.ok(!thief.inbox.items.some((frame) => frame.type === 'registertrigger'), 'the thief heard of no binding')
})
