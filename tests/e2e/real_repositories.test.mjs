// Repositories as people have them, through the bus: odd names, links between files, large and empty bodies, files of a skill, kinds,
// the doctor in pages, and calls that do not wait while somebody reads everything.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { put, startDirectory, tree } from './lib/directory.mjs'
import { tempDir } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'

const skill = (name, text = 'Text.\n') => `---\nname: ${name}\ndescription: About ${name}.\n---\n# ${name}\n\n${text}`
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
const ids = ({ skills }) => skills.map((s) => s.id)
const text = (promise) => assert.rejects(promise).then(() => promise.catch((e) => e.message))

const repository = {
  'repo/README.md': '# Repo\n\nRead me.\n',
  'repo/skills/pdf/SKILL.md': skill('pdf', 'See [forms](references/Form Guide.md#fill) and [other](../docx/SKILL.md).\n'),
  'repo/skills/pdf/references/Form Guide.md': '# Forms\n\nHow to fill them. Back to [pdf](../SKILL.md), see [the code](scripts/fill.py).\n',
  'repo/skills/pdf/scripts/fill.py': 'print("ä")\n',
  'repo/skills/pdf/assets/logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]),
  'repo/skills/pdf/nested/SKILL.md': skill('nested'),
  'repo/skills/pdf/nested/run.sh': 'true\n',
  'repo/skills/docx/SKILL.md': skill('docx'),
}
const oddNames = ['v1.2/Notes (draft).md', 'Größe/über uns.md', 'UPPER/Case.md', `${'long-'.repeat(30)}/deep file.md`, 'a b/c d/e f.md']

test('every path of a file is an address of its document', async (t) => {
  const files = Object.fromEntries(oddNames.map((name) => [name, `# ${name}\n\nText of ${name}.\n`]))
  const { ask } = await startDirectory(t, { files })
  const listed = await ask('directory::skills::list')
  assert.equal(listed.skills.length, oddNames.length)
  for (const name of oddNames) {
    for (const id of [name, name.replace(/\.md$/, ''), `./${name}`]) {
      const found = await ask('directory::skills::get', { id })
      assert.match(found.body, new RegExp(`^# ${name.replace(/[()]/g, '\\$&')}\n`), id)
      assert.ok(ids(listed).includes(found.id))
    }
  }
  const row = listed.skills.find((s) => s.title.includes('über'))
  assert.equal(row.path, 'Größe/über uns.md')
  assert.deepEqual(ids(await ask('directory::skills::list', { search: 'ÜBER UNS' })), [row.id])
  assert.match(await text(ask('directory::skills::get', { id: 'no such file.md' })), /D111/)
})

test('links are followed from the document that has them', async (t) => {
  const { ask } = await startDirectory(t, { files: repository })
  const get = (id, from) => ask('directory::skills::get', { id, from })
  const pdf = 'repo/skills/pdf'
  assert.equal((await get('references/Form Guide.md#fill', pdf)).title, 'Forms')
  assert.equal((await get('./references/Form%20Guide.md', pdf)).title, 'Forms')
  assert.match((await get('../docx/SKILL.md', pdf)).body, /^# docx/)
  const guide = `${pdf}/references/Form Guide.md`
  assert.equal((await get('../SKILL.md', guide)).id, pdf)
  assert.equal((await get('../nested', guide)).id, `${pdf}/nested`)
  assert.equal((await get('repo/skills/docx', pdf)).id, 'repo/skills/docx', 'an id stays an id')
  const missing = await text(get('./gone.md', pdf))
  assert.match(missing, /D110 not_found: the link "\.\/gone\.md" in "repo\/skills\/pdf" leads to "repo\/skills\/pdf\/gone\.md"/)
  assert.match(missing, /Next: .*directory::skills::file/)
  assert.match(await text(get('../../../../../etc/passwd', pdf)), /D110 .*out of the skills folder/)
  assert.match(await text(get('a.md', 'no/such')), /D110 .*no\/such/)
})

test('an empty body is an answer, and a body of any size is read in parts', async (t) => {
  const line = 'Zeile mit ä und €.\n'
  const body = line.repeat(120_000)
  const { ask } = await startDirectory(t, { files: { 'empty.md': '---\ntitle: E\n---\n', 'large.md': `---\ntitle: L\n---\n${body}`, 'small.md': '# S\n\näöü\n' } })
  assert.equal((await ask('directory::skills::get', { id: 'empty' })).body, '')
  let part = await ask('directory::skills::get', { id: 'large' })
  assert.equal(part.bytes_total, Buffer.byteLength(body))
  assert.match(part.more, new RegExp(`directory::skills::get with id=large and offset=${part.next_offset}`))
  let whole = part.body
  for (let count = 0; part.next_offset !== undefined; ++count) {
    assert.ok(count < 100)
    part = await ask('directory::skills::get', { id: 'large', offset: part.next_offset, limit: 1_000_000_000 })
    assert.ok(Buffer.byteLength(part.body) <= 1024 * 1024)
    whole += part.body
  }
  assert.equal(sha256(whole), sha256(body))
  const cut = await ask('directory::skills::get', { id: 'small', offset: 6, limit: 4 })
  assert.deepEqual([cut.body, cut.offset, cut.next_offset], ['äö', 5, 9], 'cut between characters')
  assert.equal('bytes_total' in (await ask('directory::skills::get', { id: 'small' })), false)
})

test('the files of a skill are listed with their digests and can be read', async (t) => {
  const { ask, root } = await startDirectory(t, { files: repository })
  const id = 'repo/skills/pdf'
  const { files } = await ask('directory::skills::get', { id })
  assert.deepEqual(files.map((f) => `${f.kind} ${f.path} ${f.size}`), [
    'asset assets/logo.png 6',
    `document references/Form Guide.md ${Buffer.byteLength(repository['repo/skills/pdf/references/Form Guide.md'])}`,
    'script scripts/fill.py 12',
  ])
  for (const file of files) assert.equal(file.sha256, sha256(repository[`${id}/${file.path}`]))
  const script = await ask('directory::skills::file', { id, path: 'scripts/fill.py' })
  assert.deepEqual(script, { id, path: 'scripts/fill.py', kind: 'script', bytes_total: 12, encoding: 'utf-8', content: 'print("ä")\n', offset: 0, sha256: sha256('print("ä")\n') })
  const logo = await ask('directory::skills::file', { id, path: './assets/logo.png' })
  assert.equal(logo.encoding, 'base64')
  assert.deepEqual(Buffer.from(logo.content, 'base64'), repository['repo/skills/pdf/assets/logo.png'])
  const part = await ask('directory::skills::file', { id, path: 'scripts/fill.py', limit: 8 })
  assert.deepEqual([part.content, part.next_offset, part.sha256], ['print("', 7, undefined])
  put(root, `${id}/scripts/fill.py`, 'print(2)\n')
  assert.equal((await ask('directory::skills::get', { id })).files[2].sha256, sha256('print(2)\n'), 'an edit is seen')
})

test('a file outside the folder of its skill is not read, and errors teach', async (t) => {
  const { ask, root } = await startDirectory(t, { files: { ...repository, 'repo/skills/pdf/.git/config': 'secret' } })
  const secret = tree({ 'secret.txt': 'secret' })
  symlinkSync(join(secret, 'secret.txt'), join(root, 'repo/skills/pdf/link.txt'))
  symlinkSync(secret, join(root, 'repo/skills/pdf/linked'))
  const file = (path) => text(ask('directory::skills::file', { id: 'repo/skills/pdf', path }))
  for (const path of ['../docx/SKILL.md', '/etc/passwd', '..', '']) assert.match(await file(path), /^D115 |D115 invalid_input/, path)
  for (const path of ['link.txt', 'linked/secret.txt']) {
    const told = await file(path)
    assert.match(told, /D11[46] /, path)
    assert.equal(told.includes(secret), false)
  }
  assert.match(await file('.git/config'), /D114 not_found/)
  assert.match(await file('scripts/fil.py'), /D114 not_found: .*Did you mean: scripts\/fill\.py\..*Next: .*directory::skills::get/)
  assert.match(await file('nested/run.sh'), /D115 .*belongs to the skill "repo\/skills\/pdf\/nested"/)
  assert.equal((await ask('directory::skills::get', { id: 'repo/skills/pdf' })).files.some((f) => /link|git|nested/.test(f.path)), false)
})

test('rows have a kind, and lists and the index filter by it', async (t) => {
  const { ask } = await startDirectory(t, { files: { ...repository, 'p/prompts/ask.md': '---\ndescription: D\n---\nAsk.\n' } })
  const all = await ask('directory::skills::list')
  for (const row of all.skills) assert.match(row.kind, /^(skill|reference|readme)$/)
  const overviews = ids(all).filter((id) => /^repo\/skills\/(pdf|docx|pdf\/nested)$/.test(id))
  for (const id of overviews) assert.ok(ids(await ask('directory::skills::list', { kind: 'skill' })).includes(id))
  assert.deepEqual(ids(await ask('directory::skills::list', { kind: ['skill', 'reference', 'readme'] })), ids(all))
  assert.match(await text(ask('directory::skills::list', { kind: 'skil' })), /D121 .*`skill`, `reference` or `readme`/)
  assert.equal((await ask('directory::skills::get', { id: overviews[0] })).kind, 'skill')
  assert.equal((await ask('directory::prompts::list')).prompts[0].kind, 'prompt')
  assert.equal((await ask('directory::prompts::get', { name: 'ask' })).kind, 'prompt')
  const index = await ask('directory::skills::index')
  assert.equal(index.workers_count, 3, 'a repository has no overview of its own: the skills below are shown')
  assert.match(index.body, /"id": "repo\/skills\/docx"/)
  assert.equal((await ask('directory::skills::index', { prefix: 'repo/skills/pdf' })).workers_count, 2)
})

test('the doctor counts by kind, filters and gives pages', async (t) => {
  const files = { 'bad.md': Buffer.from([0x23, 0xff]) }
  for (let i = 0; i < 130; ++i) files[`ns${i % 2}/d${String(i).padStart(3, '0')}.md`] = '---\ndescription: a: b\n---\nText.\n'
  const { ask, root } = await startDirectory(t, { files })
  const first = await ask('directory::doctor')
  assert.equal(first.findings.length, 100)
  assert.equal(first.truncated, true)
  assert.deepEqual(first.summary.map((k) => `${k.severity} ${k.code} ${k.count}`), ['error not_utf8 1', 'warning unquoted_colon 130'])
  assert.equal(first.summary[0].example, 'global:bad.md')
  const second = await ask('directory::doctor', { cursor: first.next_cursor })
  assert.equal(second.findings.length, 31)
  assert.equal(second.next_cursor, undefined)
  assert.equal(new Set([...first.findings, ...second.findings].map((f) => f.path)).size, 131)
  const errors = await ask('directory::doctor', { severity: 'error' })
  assert.deepEqual([errors.matching, errors.findings.length, errors.summary.length], [1, 1, 2])
  assert.equal((await ask('directory::doctor', { code: 'unquoted_colon', prefix: 'ns1/', limit: 10 })).matching, 65)
  assert.match(await text(ask('directory::doctor', { severity: 'bad' })), /D121 /)
  assert.match(await text(ask('directory::doctor', { cursor: 'x' })), /D121 /)
  const home = tempDir()
  const verb = (...args) => run(directoryBin, ['doctor', '--skills', root, ...args], { cwd: home, env: { HOME: home } })
  const summary = await verb()
  assert.match(summary.stdout, /^error {2}not_utf8: 1 finding, for example \S*\/bad\.md\nwarning {2}unquoted_colon: 130 findings, 130 fixable, /)
  assert.equal(/\[unquoted_colon\]/.test(summary.stdout), false, 'many findings are not shown unasked')
  assert.equal(summary.code, 1)
  assert.equal((await verb('--all')).stdout.match(/\[unquoted_colon\]/g).length, 130)
  assert.equal((await verb('--code', 'not_utf8')).stdout.match(/\[not_utf8\]/g).length, 1)
  assert.equal((await verb('--severity', 'worse')).code, 2)
})

test('findings that are not errors leave the exit code at 0', async () => {
  const home = tempDir()
  const root = tree({ 'a.md': '---\ndescription: a: b\n---\nText.\n' })
  const { code, stdout } = await run(directoryBin, ['doctor', '--skills', root], { cwd: home, env: { HOME: home } })
  assert.equal(code, 0)
  assert.match(stdout, /1 file: 1 skill, 0 prompts, 0 supporting files, 0 skipped/)
})

test('calls go on while somebody reads everything', async (t) => {
  const files = {}
  for (let i = 0; i < 3_000; ++i) files[`n${i % 100}/d${i}.md`] = `---\ndescription: ${'word '.repeat(300)}\n---\nText ${i}.\n`
  const { ask } = await startDirectory(t, { files })
  // Asked for later, answered earlier: lists are made in steps, and others are served in between. Several lists, because on a busy machine
  // one may be done before the other call has reached the directory.
  const order = []
  const everything = Array.from({ length: 8 }, () => ask('directory::skills::list').finally(() => order.push('everything')))
  const one = ask('directory::skills::get', { id: 'n7/d7' }).finally(() => order.push('one'))
  assert.equal((await one).body, 'Text 7.\n')
  for (const { skills } of await Promise.all(everything)) assert.equal(skills.length, 3_000)
  assert.equal(order.length, 9)
  assert.notEqual(order.at(-1), 'one')
})
