// How the directory keeps up with the disk, seen from outside: with notifications, and without, with the same answers.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDirectory } from './lib/directory.mjs'
import { tempDir } from './lib/engine.mjs'

const directory = (t, watch) => startDirectory(t, { config: { skills_folder: join(tempDir(), 'not', 'yet'), watch } })

async function follows({ root, ask }) {
  const titles = async () => (await ask('directory::skills::list')).skills.map((skill) => `${skill.id}: ${skill.title}`)
  assert.deepEqual(await titles(), [])
  mkdirSync(join(root, 'ns'), { recursive: true })
  for (let i = 0; i < 20; i++) {
    writeFileSync(join(root, 'ns', 'a.md'), `# Title ${i}\n\nText.\n`)
    assert.deepEqual(await titles(), [`ns/a: Title ${i}`])
  }
  renameSync(join(root, 'ns'), join(root, 'moved'))
  assert.deepEqual(await titles(), ['moved/a: Title 19'])
}

test('watches by default, from the moment a root appears', async (t) => {
  const it = await directory(t)
  await follows(it)
  const { content } = await it.ask('directory::health')
  assert.equal(content.watching, true)
  assert.equal(content.fallback ?? null, null)
})

test('without notifications it looks by itself, and says so once in the log and in its health', async (t) => {
  const it = await directory(t, false)
  await follows(it)
  const { content } = await it.ask('directory::health')
  assert.equal(content.watching, false)
  assert.match(content.fallback, /switched off/)
  await it.proc.stop()
  const { stderr } = await it.proc.exit
  assert.equal(stderr.match(/not watched/g)?.length, 1, stderr)
})
