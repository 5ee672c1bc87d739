// Downloads replace files while others read: no answer mixes versions, and none fails, in whichever process.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDirectory } from './lib/directory.mjs'
import { startShelf } from './lib/shelf.mjs'

const swaps = 200
const documents = 91

const name = (i) => `doc-${String(i).padStart(2, '0')}`
const ids = ['mail', ...Array.from({ length: documents - 1 }, (_, i) => `mail/${name(i)}`)]

/** Every document says its version in its title and in its body; the sizes are the same. */
function bundle(n) {
  const version = String(n).padStart(4, '0')
  const text = `---\ntitle: v${version}\n---\nBody of ${version}.\n`
  const skills = { 'SKILL.md': text }
  for (let i = 0; i + 1 < documents; ++i) skills[`${name(i)}.md`] = text
  return { version: `1.0.${n}`, skills, prompts: [{ name: 'compose', description: `v${version}`, content: `Body of ${version}.` }] }
}

const inTitle = (text) => text.match(/^v(\d{4})$/)?.[1]
const inBody = (text) => text.match(/^Body of (\d{4})\.\s*$/)?.[1]

/** In memory where that is possible: a disk would spend most of the time on syncing every swap. */
function quickFolder(t) {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'iii-swaps-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test(`${swaps} swaps of ${documents} files under readers in three processes`, async (t) => {
  const shelf = await startShelf(t, { mail: bundle(0) })
  const config = { skills_folder: quickFolder(t), registry_url: shelf.url }
  const first = await startDirectory(t, { config })
  await first.ask('directory::skills::download', { worker: 'mail' })
  const processes = [first, await startDirectory(t, { config }), await startDirectory(t, { config })]
  const seen = { batches: 0, singles: 0, versions: new Set() }
  const wrong = []
  let done = false

  async function readBatches({ ask }) {
    while (!done) {
      const { skills } = await ask('directory::skills::get', { ids })
      const versions = new Set(skills.flatMap((s) => (s.error ? [s.error] : [inTitle(s.title), inBody(s.body)])))
      if (skills.length !== ids.length || versions.size !== 1) wrong.push(['batch', ...versions])
      for (const version of versions) seen.versions.add(version)
      seen.batches += 1
    }
  }
  async function readSingles({ ask }) {
    for (let i = 0; !done; ++i) {
      const one = await ask('directory::skills::get', { id: ids[i % ids.length] }).catch((error) => ({ title: '', body: '', error }))
      if (one.error || inTitle(one.title) !== inBody(one.body)) wrong.push(['single', one.error?.message ?? one])
      const prompt = await ask('directory::prompts::get', { name: 'compose' }).catch((error) => ({ description: '', body: '', error }))
      if (prompt.error || inTitle(prompt.description) !== inBody(prompt.body)) wrong.push(['prompt', prompt.error?.message ?? prompt])
      seen.singles += 1
    }
  }
  const readers = processes.flatMap((each) => [readBatches(each), readSingles(each)])
  try {
    for (let n = 1; n <= swaps; ++n) {
      shelf.bundles.mail = bundle(n)
      await first.ask('directory::skills::download', { worker: 'mail' })
    }
  } finally {
    done = true
  }
  await Promise.all(readers)
  assert.deepEqual(wrong, [])
  assert.ok(seen.batches > swaps / 10 && seen.singles > swaps / 10, JSON.stringify(seen))
  assert.ok(seen.versions.size > 10, 'the readers saw the swaps')
})
