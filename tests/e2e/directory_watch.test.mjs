// How the directory keeps up with the disk, seen from outside: with notifications, and without, with the same answers.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { engineFor, tempDir } from './lib/engine.mjs'
import { directoryBin, start } from './lib/process.mjs'
import { call, callable, connect, sdks } from './lib/sdks.mjs'

async function directory(t, watch) {
  const { url } = await engineFor(t, { args: ['--engine-only', '--no-worker-manager'] })
  const place = tempDir()
  const settings = {
    skills_folder: join(place, 'not', 'yet'), local_skills_folder: join(place, 'local'), filter_unregistered: false,
    builtin_docs: false, ...(watch === undefined ? {} : { watch }),
  }
  const file = join(place, 'config.yaml')
  writeFileSync(file, Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`).join(''))
  const proc = start(directoryBin, ['--url', url, '--config', file], { env: { III_URL: '', III_TOKEN: '', HOME: tempDir() } })
  t.after(() => proc.stop())
  const node = connect(t, sdks['0.22.1'], url)
  await callable(node, 'directory::health')
  return { root: settings.skills_folder, proc, ask: (id, input = {}) => call(node, id, input) }
}

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
