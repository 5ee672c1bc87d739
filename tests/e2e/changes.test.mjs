// Who subscribes hears of downloads and of edits, once each, and of nothing more after unsubscribing.
import assert from 'node:assert/strict'
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { putAtomically, startDirectory, tree } from './lib/directory.mjs'
import { tempDir } from './lib/engine.mjs'
import { callable, gone, typeKnown, unique } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'
import { deferred, eventually, Inbox } from './lib/wait.mjs'

const mail = {
  version: '1.0.0',
  skills: { 'SKILL.md': '# Mail\n\nSends mail.\n', 'send.md': '# Send\n\nHow to send.\n' },
  prompts: [{ name: 'compose', description: 'Write a mail.', content: 'Write.' }],
}

/** A function of the test's own worker, bound to a trigger type. */
async function subscribe({ node }, type) {
  const heard = new Inbox()
  const id = unique('heard')
  node.registerFunction(id, async (event) => {
    heard.push(event)
    return null
  })
  await callable(node, id)
  await typeKnown(node, type)
  const binding = node.registerTrigger({ type, function_id: id, config: {} })
  await eventually('bound', async () => {
    const { registered_triggers } = await node.trigger({ function_id: 'engine::registered-triggers::list', payload: { function_id: id } })
    return registered_triggers.length > 0
  })
  return { heard, binding }
}

const skillsChanged = 'directory::skills::on-change'
const promptsChanged = 'directory::prompts::on-change'

test('a download is told once, with what changed', async (t) => {
  const shelf = await startShelf(t, { mail })
  const directory = await startDirectory(t, { config: { registry_url: shelf.url } })
  const skills = await subscribe(directory, skillsChanged)
  const prompts = await subscribe(directory, promptsChanged)
  await directory.ask('directory::skills::download', { worker: 'mail' })
  const event = await skills.heard.next('the skills event')
  assert.equal(event.op, 'download')
  assert.equal(event.namespace, 'mail')
  assert.equal(event.source, 'registry')
  assert.deepEqual(event.ids, ['mail', 'mail/send'])
  assert.equal(event.count, 2)
  assert.match(event.digests.mail, /^[0-9a-f]{64}$/)
  assert.deepEqual((await prompts.heard.next('the prompts event')).ids, ['compose'])
  // Nothing changed: nothing is told. The edit afterwards shows that nothing was on its way.
  await directory.ask('directory::skills::download', { worker: 'mail' })
  putAtomically(directory.root, 'other/SKILL.md', '# Other\n\nBy hand.\n')
  const next = await skills.heard.next('the event of the edit')
  assert.deepEqual([next.op, next.namespace, next.source], ['external', 'other', 'disk'])
  assert.deepEqual(prompts.heard.drain(), [])
})

for (const watch of [true, false]) {
  test(`edits on disk are told${watch ? '' : ', also where the kernel tells nothing'}`, async (t) => {
    const directory = await startDirectory(t, { files: { 'a/SKILL.md': '# A\n\nA.\n' }, config: { watch } })
    const { heard } = await subscribe(directory, skillsChanged)
    putAtomically(directory.root, 'a/more.md', '# More\n\nMore.\n')
    assert.deepEqual((await heard.next('an added file')).ids, ['a/more'])
    renameSync(join(directory.root, 'a/more.md'), join(directory.root, 'a/less.md'))
    const moved = await heard.next('a moved file')
    assert.deepEqual(moved.ids, ['a/less', 'a/more'])
    assert.deepEqual(Object.keys(moved.digests), ['a/less'])
    rmSync(join(directory.root, 'a/less.md'))
    assert.deepEqual((await heard.next('a removed file')).digests, {})
  })
}

test('whoever unsubscribed hears nothing more', async (t) => {
  const shelf = await startShelf(t, { mail })
  const directory = await startDirectory(t, { config: { registry_url: shelf.url } })
  const leaving = await subscribe(directory, skillsChanged)
  const staying = await subscribe(directory, skillsChanged)
  putAtomically(directory.root, 'x/SKILL.md', '# X\n\nX.\n')
  await leaving.heard.next()
  await staying.heard.next()
  leaving.binding.unregister()
  await eventually('unbound', async () => {
    putAtomically(directory.root, `x/${unique('n').replaceAll('::', '-')}.md`, '# N\n\nN.\n')
    await staying.heard.next('an event for the one that stays')
    const before = leaving.heard.items.length
    await directory.ask('directory::skills::list')
    return before === leaving.heard.items.length && leaving.heard.drain().length === 0
  })
  await directory.ask('directory::skills::download', { worker: 'mail' })
  await staying.heard.until((items) => items.some((e) => e.namespace === 'mail'))
  assert.deepEqual(leaving.heard.drain(), [])
})

test('a subscription outlives the directory: after a restart the next change is told', async (t) => {
  const directory = await startDirectory(t, { files: { 'a/SKILL.md': '# A\n\nA.\n' } })
  const { heard } = await subscribe(directory, skillsChanged)
  await directory.proc.kill('SIGKILL')
  await gone(directory.node, 'directory::health')
  directory.boot()
  await callable(directory.node, 'directory::health')
  await eventually('an event after the restart', async () => {
    putAtomically(directory.root, 'a/SKILL.md', `# A\n\n${unique('text')}\n`)
    await directory.ask('directory::health')
    return heard.items.length > 0
  })
})

test('directory::changes lets a subscriber that was away catch up', async (t) => {
  const shelf = await startShelf(t, { mail })
  const { ask, root } = await startDirectory(t, { files: { 'a/SKILL.md': '# A\n\nA.\n' }, config: { registry_url: shelf.url } })
  const start = await ask('directory::changes', {})
  assert.deepEqual(start.changes, [])
  await ask('directory::skills::download', { worker: 'mail' })
  rmSync(join(root, 'a/SKILL.md'))
  const { changes, generation, truncated } = await ask('directory::changes', { since: start.generation, epoch: start.epoch })
  assert.equal(truncated, false)
  assert.deepEqual(
    changes.map((c) => [c.op, c.change, c.kind, c.id]),
    [
      ['download', 'added', 'skill', 'mail'],
      ['download', 'added', 'skill', 'mail/send'],
      ['download', 'added', 'prompt', 'compose'],
      ['external', 'removed', 'skill', 'a'],
    ],
  )
  assert.deepEqual((await ask('directory::changes', { since: generation, epoch: start.epoch })).changes, [])
  assert.equal((await ask('directory::changes', { since: 1, epoch: 'another' })).truncated, true)
})

for (const fails of [false, true]) {
  test(`an edit while a download hangs${fails ? ' and fails' : ''} is told at once, as an edit`, async (t) => {
    const hold = deferred()
    const shelf = await startShelf(t, { mail: { ...mail, hold: hold.promise, status: fails ? 400 : undefined } })
    const directory = await startDirectory(t, { config: { registry_url: shelf.url } })
    const { heard } = await subscribe(directory, skillsChanged)
    const start = await directory.ask('directory::changes', {})
    const download = directory.ask('directory::skills::download', { worker: 'mail' })
    download.catch(() => {})
    await eventually('the registry was asked', () => shelf.requests.length > 0)
    putAtomically(directory.root, 'mail/notes.md', '# Notes\n\nBy hand.\n')
    const edit = await heard.next('the event of the edit')
    assert.deepEqual([edit.op, edit.source, edit.ids], ['external', 'disk', ['mail/notes']])
    putAtomically(directory.root, 'other/SKILL.md', '# Other\n\nBy hand.\n')
    const other = await heard.next('the event of another edit')
    hold.resolve()
    if (fails) {
      await assert.rejects(download)
      putAtomically(directory.root, 'last/SKILL.md', '# Last\n\nNothing came between.\n')
      assert.deepEqual((await heard.next('the next edit')).ids, ['last'])
    } else {
      await download
      const event = await heard.next('the event of the download')
      assert.deepEqual([event.op, event.ids], ['download', ['mail', 'mail/send']])
      assert.ok(event.generation > other.generation)
    }
    assert.ok(other.generation > edit.generation && edit.generation > start.generation)
    const { changes } = await directory.ask('directory::changes', { since: edit.generation, epoch: start.epoch })
    assert.ok(changes.every((c) => c.id !== 'mail/notes'))
    assert.deepEqual([changes[0].op, changes[0].id], ['external', 'other'])
  })
}

test('a reload that opens another folder is told as what it changed', async (t) => {
  const { root, file, proc, ask, ...directory } = await startDirectory(t, { files: { 'a/SKILL.md': '# A\n\nA.\n' } })
  const { heard } = await subscribe(directory, skillsChanged)
  const before = await ask('directory::changes', {})
  const next = tree({ 'b/SKILL.md': '# B\n\nB.\n' })
  writeFileSync(file, readFileSync(file, 'utf8').replace(root, next))
  process.kill(proc.pid, 'SIGHUP')
  const events = [await heard.next('one event'), await heard.next('another')]
  assert.deepEqual(events.map((e) => [e.op, e.ids]).sort(), [
    ['external', ['a']],
    ['external', ['b']],
  ])
  const after = await ask('directory::changes', { since: before.generation, epoch: before.epoch })
  assert.equal(after.truncated, false)
  assert.deepEqual(
    after.changes.map((c) => [c.change, c.id]),
    [
      ['removed', 'a'],
      ['added', 'b'],
    ],
  )
  assert.ok(after.generation > before.generation)
})

test('a linked folder that is swapped is told although nobody calls', async (t) => {
  const place = tempDir()
  const link = join(place, 'skills')
  symlinkSync(tree({ 'a/SKILL.md': '# A\n\nA.\n' }), link)
  const directory = await startDirectory(t, { config: { skills_folder: link } })
  const { heard } = await subscribe(directory, skillsChanged)
  symlinkSync(tree({ 'b/SKILL.md': '# B\n\nB.\n' }), join(place, 'next'))
  renameSync(join(place, 'next'), link)
  const events = [await heard.next('one event'), await heard.next('another')]
  assert.deepEqual(events.map((e) => e.ids).sort(), [['a'], ['b']])
})
