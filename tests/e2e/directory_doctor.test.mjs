// `iii-directory doctor` on folders as people really have them: nothing is dropped without a word.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempDir } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'

const data = fileURLToPath(new URL('../data/directory-0.8.0', import.meta.url))

function tree(files) {
  const root = join(tempDir(), 'skills')
  mkdirSync(root)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return root
}

/** The report on one folder, with the sum checked that must always be right. */
async function doctor(root, { args = [], env = {} } = {}) {
  const home = tempDir()
  const { stdout, stderr, code } = await run(directoryBin, ['doctor', '--json', '--skills', root, ...args], { cwd: home, env: { HOME: home, ...env } })
  const report = JSON.parse(stdout)
  assert.equal(report.files, report.skills + report.prompts + report.supporting + report.skipped, 'every file is accounted for')
  assert.equal(stdout.includes(root), false, 'no path of this machine')
  return { ...report, stderr, code }
}
const fix = (root) => doctor(root, { args: ['--fix'] })

// [what it is, path, text, finding, served as (absent: not served), mended by --fix]
const kinds = [
  ['an unquoted colon', 'a.md', '---\ndescription: Use when: always\n---\n# A\n\nText.\n', 'unquoted_colon', 'a', true],
  ['a byte order mark', 'a.md', '\ufeff---\ntitle: A\n---\nText.\n', 'bom', 'a', true],
  ['a blank line before the fence', 'a.md', '\n---\ntitle: A\n---\nText.\n', 'blank_before_fence', 'a', true],
  ['blanks after the fence', 'a.md', '---  \ntitle: A\n--- \nText.\n', 'fence_blanks', 'a', true],
  ['a fence that is never closed', 'a.md', '---\ntitle: A\n\n# A\n\nText.\n', 'frontmatter_unclosed', 'a', true],
  ['a code fence that is never closed', 'a.md', '```sh\nrun\n\n# A\n\nText.\n', 'open_fence', 'a'],
  ['a list where a text belongs', 'a.md', '---\ntitle: [a, b]\n---\nText.\n', 'list_value', 'a'],
  ['a mapping where a text belongs', 'a.md', '---\ndescription:\n  a: b\n---\nText.\n', 'map_value', 'a'],
  ['a key twice', 'a.md', '---\ntitle: A\ntitle: B\n---\nText.\n', 'duplicate_key', 'a'],
  ['a tab before a key', 'a.md', '---\ntitle: A\n\ttype: x\n---\nText.\n', 'tab_indent', 'a', true],
  ['Skill.md', 'ns/Skill.md', '# A\n\nText.\n', 'skill_case', 'ns'],
  ['a name with capitals and blanks', 'My Skill.md', '# A\n\nText.\n', 'id_normalised', 'my-skill'],
  ['a name that is not ASCII', 'Übung/größe.md', '# A\n\nText.\n', 'id_normalised', 'ubung/grosse'],
  ['a name that is too long', `${'x'.repeat(80)}.md`, '# A\n\nText.\n', 'id_normalised', /^x+-[0-9a-z]+$/],
  ['a body of 290 KB', 'a.md', `# A\n\n${'word '.repeat(58_000)}\n`, 'too_large', 'a'],
  ['nothing but frontmatter', 'a.md', '---\ntitle: A\n---\n', 'empty_body', 'a'],
  ['bytes that are no text', 'a.md', Buffer.from([0x23, 0x20, 0xff, 0xfe]), 'not_utf8', 'a'],
  ['tools that cannot be read', 'a.md', '---\nallowed-tools: {a: b}\n---\nText.\n', 'permission_unreadable', 'a'],
  ['a prompt without description', 'ns/prompts/p.md', '---\nname: p\n---\nDo it.\n', 'prompt_no_description', 'p', true],
  ['a prompt without frontmatter', 'ns/prompts/p.md', 'Do it.\n', 'prompt_no_frontmatter', 'p'],
  ['a prompt of 1.1 MB', 'ns/prompts/p.md', `---\ndescription: P.\n---\n${'word '.repeat(220_000)}\n`, 'prompt_too_large', undefined],
  ['a prompt without any text', 'ns/prompts/p.md', '\n', 'prompt_undescribed', undefined],
  ['a block indicator in the description', 'a.md', '---\ndescription: "| Use when it breaks"\n---\nText.\n', 'description_stub', 'a', true],
  ['a block indicator instead of a description', 'a.md', '---\ndescription: "|"\n---\nText.\n', 'description_stub', 'a'],
  ['a hash in the description', 'a.md', '---\ndescription: For C # and more\n---\nText.\n', 'description_cut', 'a', true],
  ['a comment before the frontmatter', 'a.md', '<!-- mine -->\n---\ntitle: A\n---\nText.\n', 'comment_before_fence', 'a', true],
  ['a paragraph of 5 KB', 'a.md', `${'word '.repeat(1_000)}\n`, 'teaser_cut', 'a'],
]

for (const [what, path, text, code, servedAs, mends] of kinds) {
  test(`${what}: ${servedAs === undefined ? 'left out' : 'served'} and said`, async () => {
    const root = tree({ [path]: text })
    const report = await doctor(root)
    assert.equal(report.files, 1)
    assert.equal(report.skipped, servedAs === undefined ? 1 : 0)
    const finding = report.findings.find((f) => f.code === code)
    assert.ok(finding, JSON.stringify(report.findings))
    assert.equal(finding.path, path)
    assert.equal(finding.root, 'global')
    if (servedAs instanceof RegExp) assert.match(finding.served_as, servedAs)
    else assert.equal(finding.served_as, servedAs)
    assert.equal(Boolean(finding.fix), Boolean(mends), 'a ready patch only where it is safe')
    const after = await fix(root)
    assert.equal(after.findings.some((f) => f.code === code), !mends)
    if (!mends) assert.deepEqual(readFileSync(join(root, path)), Buffer.from(text), 'left as it was')
  })
}

test('line ends and integers are read without a finding, a lower-case skill.md with a hint', async () => {
  const report = await doctor(tree({
    'crlf.md': '---\r\ntitle: A\r\ntype: x\r\n---\r\nText.\r\n',
    'number.md': '---\nname: 7\ntitle: 1.50\n---\nText.\n',
    'ns/prompts/seven.md': '---\nname: 7\ndescription: Seven.\n---\nText.\n',
    'ns/skill.md': '# A\n\nText.\n',
  }))
  assert.deepEqual(report.findings.map((f) => `${f.severity} ${f.path} ${f.code} ${f.served_as}`), ['info ns/skill.md skill_case ns'])
  assert.deepEqual([report.skills, report.prompts], [3, 1])
})

test('linked folders are followed inside the root and explained outside', async () => {
  const root = tree({ 'real/a.md': '# A\n\nText.\n' })
  const elsewhere = tree({ 'secret.md': '# Secret\n\nText.\n' })
  symlinkSync('real', join(root, 'linked'))
  symlinkSync(elsewhere, join(root, 'outside'))
  symlinkSync('nowhere.md', join(root, 'gone.md'))
  symlinkSync('..', join(root, 'real', 'up'))
  const report = await doctor(root)
  assert.equal(report.skills, 2)
  assert.deepEqual(report.findings.map((f) => `${f.path} ${f.code}`).sort(), ['gone.md dangling_link', 'linked/up link_cycle', 'outside outside_root', 'real/up link_cycle'])
})

test('scripts and pictures beside a skill are counted as supporting', async () => {
  const skill = '---\nname: ns\ndescription: A skill.\n---\nText.\n'
  const report = await doctor(tree({ 'ns/SKILL.md': skill, 'ns/run.sh': 'true\n', 'ns/README.MD': 'x', 'ns/a.md.bak': 'x' }))
  assert.deepEqual([report.files, report.skills, report.supporting, report.findings.length], [4, 1, 3, 0])
})

test('a skill that MCP leaves out is named with the reason', async () => {
  const report = await doctor(tree({ 'ns/SKILL.md': '# A\n\nText.\n' }))
  const [finding, ...more] = report.findings
  assert.deepEqual([finding.severity, finding.path, finding.code, finding.served_as, more.length], ['info', 'ns/SKILL.md', 'mcp_left_out', 'ns', 0])
  assert.match(finding.message, /does not begin with frontmatter/)
})

test('two files for one id: the loser is named with the winner', async () => {
  const report = await doctor(tree({ 'ns/SKILL.md': '# A\n\nText.\n', 'ns/index.md': '# B\n\nText.\n' }))
  assert.deepEqual([report.skills, report.skipped], [1, 1])
  assert.equal(report.findings[0].code, 'duplicate_id')
  assert.match(report.findings[0].message, /ns\/SKILL\.md/)
})

test('--fix keeps every byte that is not at fault, the mode, and leaves nothing behind', async () => {
  const body = '# C\n\nText.  \r\n\ttab\u00a0and no line end'
  const root = tree({ 'colon.md': `---\nname: x\ndescription: a: b\nlicense:   MIT  # kept\n---\n${body}`, 'fine.md': '# F\n\nText.' })
  chmodSync(join(root, 'colon.md'), 0o640)
  const untouched = statSync(join(root, 'fine.md'), { bigint: true }).mtimeNs
  const after = await fix(root)
  assert.match(after.stderr, /1 file fixed/)
  assert.deepEqual(after.findings, [])
  const text = readFileSync(join(root, 'colon.md'), 'utf8')
  assert.match(text, /^---\nname: x\ndescription: (["'])a: b\1\nlicense: {3}MIT {2}# kept\n---\n/)
  assert.ok(text.endsWith(`---\n${body}`))
  assert.equal(statSync(join(root, 'colon.md')).mode & 0o777, 0o640)
  assert.equal(statSync(join(root, 'fine.md'), { bigint: true }).mtimeNs, untouched)
  assert.deepEqual(readdirSync(root).sort(), ['colon.md', 'fine.md'])
})

test('--fix changes what was asked for: all, or what --code selects', async () => {
  const text = '---\ndescription: a: b\n---\nText.\n'
  const root = tree({ 'a/one.md': text, 'b/two.md': text })
  const untouched = () => ['a/one.md', 'b/two.md'].every((name) => readFileSync(join(root, name), 'utf8') === text)
  for (const narrow of [['--prefix', 'a/'], ['--severity', 'error']]) {
    const { code, stderr } = await run(directoryBin, ['doctor', root, '--fix', ...narrow], { env: { HOME: root, III_URL: '' } })
    assert.deepEqual([code, untouched()], [2, true])
    assert.match(stderr, /do not narrow it\. Next:/)
  }
  await run(directoryBin, ['doctor', root, '--fix', '--code', 'another_code'], { env: { HOME: root, III_URL: '' } })
  assert.ok(untouched())
  await run(directoryBin, ['doctor', root, '--fix', '--code', 'unquoted_colon'], { env: { HOME: root, III_URL: '' } })
  assert.ok(!untouched())
})

test('the exit code tells whether something is wrong', async () => {
  assert.equal((await doctor(tree({ 'a.md': '# A\n\nText.\n' }))).code, 0)
  assert.equal((await doctor(tree({ 'a.md': Buffer.from([0xff]) }))).code, 1)
  assert.equal((await run(directoryBin, ['doctor', '--fixx'])).code, 2)
})

test('for people it prints lines and a sum', async () => {
  const root = tree({ 'a.md': '---\ndescription: a: b\n---\nText.\n' })
  const { stdout } = await run(directoryBin, ['doctor', '--skills', root], { cwd: root, env: { HOME: root } })
  assert.match(stdout, /^warning {2}a\.md:2:\d+ {2}.* \[unquoted_colon\] \(served as a\) \(fixable\)$/m)
  assert.match(stdout, /^1 file: 1 skill, 0 prompts, 0 supporting files, 0 skipped$/m)
})

// What 0.8.0 wrote into its log at start, as far as it noticed: the global root alone.
test('without our leniences the files left out are those that 0.8.0 left out, for the same reasons', async () => {
  const dest = join(tempDir(), 'tree')
  execFileSync('python3', [join(data, 'materialize.py'), 'main', dest])
  const recorded = JSON.parse(readFileSync(join(data, 'boot-scan-main.json'), 'utf8'))
  const strict = { III_DIRECTORY_LENIENT: 'false', III_DIRECTORY_NORMALISE_IDS: 'false' }
  const report = await doctor(join(dest, 'global'), { env: strict })
  const classes = {
    invalid_id: 'invalid id', invalid_name: 'invalid name', duplicate_id: 'duplicate', duplicate_name: 'duplicate',
    not_utf8: 'unreadable',
  }
  const classOf = ({ code, message }) =>
    code === 'prompt_undescribed' ? (message.includes('frontmatter') ? 'no frontmatter' : 'no description') : classes[code]
  const leftOut = report.findings.filter((f) => !f.served_as)
  const of = new Map(leftOut.map((f) => [f.path, leftOut.filter((g) => g.path === f.path)]))
  for (const { path, class: reason, winner } of recorded.skipped) {
    const found = of.get(path)
    assert.ok(found, `${path} is left out`)
    if (reason !== 'bad YAML') assert.ok(found.some((f) => classOf(f) === reason), `${path}: ${reason}, not ${found.map((f) => f.code)}`)
    if (winner) assert.ok(found.some((f) => f.message.includes(winner)), `${path}: names ${winner}`)
    of.delete(path)
  }
  // The original drops a name that is no UTF-8 without a word (R8).
  assert.deepEqual([...of.values()].flat().map((f) => f.code), ['name_not_utf8'])
  assert.deepEqual([report.skills, report.prompts, report.skipped], [recorded.summary.skills, recorded.summary.prompts, recorded.summary.skipped + 1])
})
