// directory::doctor with details, and directory::doctor::apply: the patches a person chose, on the files they were made for.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { put, startDirectory } from './lib/directory.mjs'
import { failure } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'

const colon = (text) => `---\nname: x\ndescription: ${text}\n---\n# X\n\nText.\n`
const onDisk = (root, name) => readFileSync(join(root, name), 'utf8')
const chosen = ({ root, path, digest, key }) => ({ root, path, digest, key })
const details = async (ask) => (await ask('directory::doctor', { details: true, code: 'unquoted_colon' })).findings

test('a finding with details has its key, the lines around it, the patch and the digest of its file', async (t) => {
  const { ask } = await startDirectory(t, { files: { 'a/SKILL.md': colon('Use when: always') } })
  const [plain] = (await ask('directory::doctor', { code: 'unquoted_colon' })).findings
  assert.deepEqual(Object.keys(plain).filter((key) => ['key', 'excerpt', 'patch', 'digest'].includes(key)), [])
  const [finding] = await details(ask)
  assert.equal(finding.key, 'unquoted_colon:global:a/SKILL.md:3')
  assert.equal(finding.digest, `sha256:${createHash('sha256').update(colon('Use when: always')).digest('hex')}`)
  assert.deepEqual(finding.excerpt.slice(0, 4), [[1, '---'], [2, 'name: x'], [3, 'description: Use when: always'], [4, '---']])
  assert.deepEqual(finding.patch.filter(([mark]) => mark !== ' '), [
    ['-', 'description: Use when: always'],
    ['+', 'description: "Use when: always"'],
  ])
})

test('one patch is applied, the index shows it with the answer, then all others', async (t) => {
  const files = { 'a/SKILL.md': colon('A: one'), 'b/SKILL.md': colon('B: two'), 'c/SKILL.md': colon('C: three') }
  const { ask, root } = await startDirectory(t, { files })
  const found = await details(ask)
  assert.equal(found.length, 3)
  const one = await ask('directory::doctor::apply', { fixes: [chosen(found[1])] })
  assert.deepEqual([one.applied, one.refused], [1, []])
  assert.match(onDisk(root, 'b/SKILL.md'), /description: "B: two"/)
  assert.equal(onDisk(root, 'a/SKILL.md'), files['a/SKILL.md'])
  const { generation, changes } = await ask('directory::changes')
  assert.equal(generation, one.generation)
  assert.deepEqual(changes.filter((c) => c.change === 'changed').map((c) => c.id), ['b'])
  assert.equal((await ask('directory::doctor', { code: 'unquoted_colon' })).matching, 2)
  const rest = await ask('directory::doctor::apply', { all: true })
  assert.deepEqual([rest.applied, rest.files, rest.refused], [2, 2, []])
  assert.equal((await ask('directory::doctor', { code: 'unquoted_colon' })).matching, 0)
  assert.equal((await ask('directory::doctor::apply', { all: true })).applied, 0)
})

test('a file that changed since the patch was shown is refused, the others are written', async (t) => {
  const { ask, root } = await startDirectory(t, { files: { 'a/SKILL.md': colon('A: one'), 'b/SKILL.md': colon('B: two') } })
  const found = await details(ask)
  const edited = colon('A: mine')
  put(root, 'a/SKILL.md', edited)
  const done = await ask('directory::doctor::apply', { fixes: found.map(chosen) })
  assert.equal(done.applied, 1)
  assert.deepEqual(done.refused.map(({ root, path }) => [root, path]), [['global', 'a/SKILL.md']])
  assert.match(done.refused[0].reason, /no longer the one .* Next: call directory::doctor again/)
  assert.equal(onDisk(root, 'a/SKILL.md'), edited)
  assert.match((await failure(ask('directory::doctor::apply', {}))).message, /D121 invalid_input/)
})

test('a patched file of a download counts as ours: verify says intact, an update replaces it', async (t) => {
  const shelf = await startShelf(t, { mail: { version: '1.0.0', skills: { 'SKILL.md': colon('Mail: send') } } })
  const { ask, root } = await startDirectory(t, { config: { registry_url: shelf.url } })
  await ask('directory::skills::download', { worker: 'mail' })
  assert.equal((await ask('directory::doctor::apply', { fixes: (await details(ask)).map(chosen) })).applied, 1)
  assert.match(onDisk(root, 'mail/SKILL.md'), /"Mail: send"/)
  assert.equal((await ask('directory::lock::verify')).ok, true)
  shelf.bundles.mail = { version: '2.0.0', skills: { 'SKILL.md': '# Mail\n\nNewer.\n' } }
  const { namespaces } = await ask('directory::lock::update')
  assert.deepEqual(namespaces[0].result.conflicts, [])
  assert.equal(onDisk(root, 'mail/SKILL.md'), '# Mail\n\nNewer.\n')
})
