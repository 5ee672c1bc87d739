// Repositories of every layout: each SKILL.md can be installed, namespaces belong to their source, and what changed is said.
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { configFile, startDirectory } from './lib/directory.mjs'
import { tempDir } from './lib/engine.mjs'
import { makeRepository, startGitServer } from './lib/git_server.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { failure } from './lib/sdks.mjs'

const repos = tempDir()
let server
before(async () => {
  server = await startGitServer(repos)
})
after(() => server.close())

const skill = (name, text = 'Text.') => `---\nname: ${name}\ndescription: What ${name} is for.\n---\n# ${name}\n\n${text}\n`

/** One skill in every layout that real repositories have: path of the folder → name of its main file. */
const layouts = {
  'skills/usual': 'SKILL.md',
  'skills/lower': 'skill.md',
  'skills/long': 'SKILL.markdown',
  'skills/.curated/curated': 'SKILL.md',
  'skills/category/deep/nested': 'SKILL.md',
  'plugins/mail/skills/send': 'SKILL.md',
  'plugins/chat/skills/send': 'SKILL.md',
  top: 'SKILL.md',
  'group/member': 'SKILL.md',
  '.claude/skills/claude-only': 'SKILL.md',
  '.agents/skills/agents-only': 'SKILL.md',
  '.github/skills/github-only': 'SKILL.md',
  '.codex/skills/codex-only': 'SKILL.md',
  'plugins/mail/.claude/skills/plugin-only': 'SKILL.md',
  'versions/0.1.0/skills': 'SKILL.md',
  'older/0.1.3/skills': 'SKILL.md',
  upper: 'SKILL.MD',
  'with blank/Über Skill': 'SKILL.md',
  '数据/报告': 'SKILL.md',
}
const files = Object.fromEntries(Object.entries(layouts).map(([path, main]) => [`${path}/${main}`, skill(`name-of-${path.replaceAll(/[^a-z]/g, '-')}`)]))

const layoutRepository = (name) => makeRepository(repos, name, { files: { ...files, 'SKILL.md': skill('whole'), 'docs/more.md': '# More\n\nText.\n' } })

/** The program with the settings that the server needs, on a skills folder of its own. */
function installation(config = {}) {
  const root = tempDir()
  const file = configFile({ skills_folder: root, ca_file: server.caFile, git_private_hosts: ['localhost'], registry_url: 'http://127.0.0.1:1', ...config })
  const cli = (...words) => run(directoryBin, [...words, '--config', file], { env: { HOME: tempDir() } })
  const ok = async (...words) => {
    const end = await cli(...words)
    assert.equal(end.code, 0, `${words.join(' ')}: ${end.stderr}`)
    return end.stdout
  }
  const json = async (...words) => JSON.parse(await ok(...words, '--json'))
  return { root, cli, ok, json, read: (path) => readFileSync(join(root, path), 'utf8') }
}
const visible = (root) => readdirSync(root).filter((name) => !name.startsWith('.') && name !== 'directory.lock').sort()

test('--list shows every SKILL.md, and each is installed by its path', async () => {
  layoutRepository('layouts')
  const { json, read } = installation()
  const url = server.url('layouts.git')
  const { skills } = await json('install', url, '--list')
  assert.deepEqual(skills.map((s) => s.path).sort(), ['.', ...Object.keys(layouts)].sort())
  assert.ok(skills.every((s) => s.name && s.description.startsWith('What ')))
  for (const [path, main] of Object.entries(layouts)) {
    const done = await json('install', url, '--path', path, '--as', 'x', '--force')
    assert.ok(done.skills_written.includes(main) || done.assets_written.includes(main) || done.unchanged.includes(main), path)
    assert.equal(read(`x/${main}`), files[`${path}/${main}`])
  }
})

test('by folder name and by frontmatter name; a name that fits two is refused with both', async () => {
  layoutRepository('names')
  const { json, cli } = installation()
  const url = server.url('names.git')
  for (const name of ['usual', 'lower', 'curated', 'nested', 'top', 'member', 'claude-only', 'github-only', 'Über Skill', '报告'])
    assert.equal((await json('add', url, '--skill', name)).namespace, name)
  assert.equal((await json('install', url, '--skill', 'name-of-group-member')).namespace, 'name-of-group-member')
  assert.equal((await json('install', `${url}@whole`)).namespace, 'whole')
  const twice = await cli('install', url, '--skill', 'send')
  assert.equal(twice.code, 1)
  assert.match(twice.stderr, /plugins\/chat\/skills\/send, plugins\/mail\/skills\/send/)
  assert.equal((await json('install', url, '--path', 'plugins/mail/skills/send')).namespace, 'send')
  const none = await cli('install', url)
  assert.match(none.stderr, /D310 .*20 skills.*--all/)
})

test('--all installs every skill, each into a namespace of its own', async () => {
  layoutRepository('all')
  const { json, ok, root } = installation()
  const done = await json('install', server.url('all.git'), '--all')
  assert.equal(done.ok, true)
  assert.equal(done.namespaces.length, Object.keys(layouts).length + 1)
  const installed = visible(root).flatMap((name) => readdirSync(join(root, name), { recursive: true }).filter((f) => /^(.*\/)?skill\.(md|markdown)$/i.test(f)))
  assert.equal(installed.length, Object.keys(layouts).length + 1)
  assert.ok(visible(root).includes('send') && visible(root).includes('mail-send'))
  await ok('verify')
  await ok('outdated')
  await ok('update')
})

test('pages of a folder, refs and local folders', async () => {
  const repo = layoutRepository('pages')
  repo.git('checkout', '-q', '-b', 'feature/x')
  repo.put({ 'top/SKILL.md': skill('top', 'From the branch.') })
  repo.push()
  const { json, read, root, cli } = installation()
  // A page's URL has the repository's without `.git`, which our server does not know.
  await json('install', `${server.url('pages.git')}/tree/feature/x/top`)
  assert.match(read('top/SKILL.md'), /From the branch/)
  await json('install', `${server.url('pages.git')}#feature/x`, '--skill', 'top')
  const local = await json('install', repo.work, '--skill', 'usual')
  assert.deepEqual(local.source, { kind: 'folder', skill: 'usual' })
  assert.match(read('directory.lock'), /source: folder/)
  assert.equal((await cli('verify')).code, 0)
  assert.equal((await cli('outdated', 'usual')).code, 0)
  writeFileSync(join(root, 'usual/SKILL.md'), skill('usual', 'My own words.'))
  assert.equal((await cli('outdated', 'usual')).code, 0, 'an edit here is nothing newer there')
  writeFileSync(join(root, 'usual/SKILL.md'), readFileSync(join(repo.work, 'skills/usual/SKILL.md')))
  writeFileSync(join(repo.work, 'skills/usual/SKILL.md'), skill('usual', 'Edited.'))
  assert.equal((await cli('outdated', 'usual')).code, 1)
  await json('update', 'usual')
  assert.match(read('usual/SKILL.md'), /Edited/)
  assert.deepEqual(visible(root), ['top', 'usual'])
})

test('a namespace belongs to its source', async () => {
  for (const name of ['owner', 'other']) makeRepository(repos, name, { files: { 'skills/creator/SKILL.md': skill('creator', name), [`skills/creator/${name}.md`]: '# x\n\nText.\n' } })
  const { json, cli, read, root } = installation()
  await json('install', '--repo', server.url('owner.git'), '--skill', 'creator')
  const refused = await cli('install', '--repo', server.url('other.git'), '--skill', 'creator')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /D335 namespace_taken: .*owner\.git.*other\.git.*Next: .*--as NAME.*--force/)
  assert.deepEqual(readdirSync(join(root, 'creator')).sort(), ['SKILL.md', 'owner.md'])
  assert.equal((await json('install', '--repo', server.url('other.git'), '--skill', 'creator', '--as', 'creator2')).namespace, 'creator2')
  await json('install', '--repo', server.url('other.git'), '--skill', 'creator', '--force')
  assert.match(read('creator/SKILL.md'), /other/)
  assert.deepEqual(readdirSync(join(root, 'creator')).sort(), ['SKILL.md', 'other.md'])
})

test('whole or not at all: large documents come, a main file that cannot is a failure', async () => {
  makeRepository(repos, 'large', { files: { 'skills/big/SKILL.md': skill('big', 'word '.repeat(60_000)) }, links: { 'skills/gone/SKILL.md': '/etc/passwd' } })
  const { json, cli, root, read } = installation()
  const big = await json('install', '--repo', server.url('large.git'), '--skill', 'big')
  assert.deepEqual(big.skills_written, ['SKILL.md'])
  assert.ok(read('big/SKILL.md').length > 290_000)
  const gone = await cli('install', '--repo', server.url('large.git'), '--skill', 'gone')
  assert.equal(gone.code, 1)
  assert.match(gone.stderr, /D312 .*SKILL\.md/)
  assert.deepEqual(visible(root), ['big'])
  const tight = installation({ max_bundle_file_bytes: 1000 })
  assert.match((await tight.cli('install', '--repo', server.url('large.git'), '--skill', 'big')).stderr, /`max_bundle_file_bytes`/)
})

test('executable bits and links inside the repository', async () => {
  const repo = makeRepository(repos, 'bits', {
    files: { 'skills/a/SKILL.md': skill('a'), 'skills/a/run.sh': '#!/bin/sh\n', 'shared/text.md': '# Shared\n\nText.\n', 'shared/sub/deep.md': '# Deep\n\nText.\n' },
    links: { 'skills/a/text.md': '../../shared/text.md', 'skills/a/sub': '../../shared/sub', 'skills/a/out.md': '/etc/passwd', 'skills/b': 'a' },
  })
  chmodSync(join(repo.work, 'skills/a/run.sh'), 0o755)
  repo.push()
  const { json, cli, root, read } = installation()
  const done = await json('install', '--repo', server.url('bits.git'), '--skill', 'a')
  assert.deepEqual(done.executable, ['run.sh'])
  assert.ok(statSync(join(root, 'a/run.sh')).mode & 0o100)
  assert.match(read('directory.lock'), /mode: x/)
  assert.equal(read('a/text.md'), '# Shared\n\nText.\n')
  assert.equal(read('a/sub/deep.md'), '# Deep\n\nText.\n')
  assert.deepEqual(done.skipped.map((s) => s.path), ['out.md'])
  assert.equal((await json('install', '--repo', server.url('bits.git'), '--skill', 'b')).namespace, 'b')
  chmodSync(join(root, 'a/run.sh'), 0o644)
  const verified = await cli('verify', 'a')
  assert.equal(verified.code, 1)
  assert.match(verified.stdout, /mode +run\.sh/)
  assert.equal((await cli('install', '--frozen')).code, 0)
  assert.ok(statSync(join(root, 'a/run.sh')).mode & 0o100)
  const plain = installation({ keep_executable_bits: false })
  assert.deepEqual((await plain.json('install', '--repo', server.url('bits.git'), '--skill', 'a')).executable_dropped, ['run.sh'])
  assert.equal(statSync(join(plain.root, 'a/run.sh')).mode & 0o111, 0)
})

test('outdated looks at the folder, update says what changed, diff shows it', async () => {
  const repo = makeRepository(repos, 'moves', { files: { 'skills/a/SKILL.md': skill('a', 'One.'), 'skills/a/old.md': '# Old\n\nText.\n', 'other.md': 'x' } })
  const { json, cli, ok } = installation()
  await json('install', '--repo', server.url('moves.git'), '--skill', 'a')
  repo.put({ 'other.md': 'y' })
  const unrelated = repo.push()
  const same = await json('outdated')
  assert.deepEqual([same.namespaces[0].latest, same.namespaces[0].outdated], [unrelated, false])
  repo.put({ 'skills/a/SKILL.md': skill('a', 'Two.'), 'skills/a/new.md': '# New\n\nText.\n' })
  repo.git('rm', '-q', 'skills/a/old.md')
  repo.push()
  assert.equal((await cli('outdated')).code, 1)
  const diff = await cli('diff', 'a')
  assert.equal(diff.code, 1)
  assert.match(diff.stdout, /--- here\/SKILL\.md\n\+\+\+ source\/SKILL\.md\n@@ .*\n(.*\n)*-One\.\n\+Two\.\n/)
  assert.match(diff.stdout, /--- \/dev\/null\n\+\+\+ source\/new\.md/)
  assert.match(diff.stdout, /--- here\/old\.md\n\+\+\+ \/dev\/null/)
  const update = await ok('update')
  assert.match(update, /added +new\.md\n/)
  assert.match(update, /changed SKILL\.md\n/)
  assert.match(update, /removed old\.md/)
  assert.match(await ok('diff', 'a'), /no differences/)
})

test('the functions do the same', async (t) => {
  const repo = layoutRepository('bus')
  const { ask, root } = await startDirectory(t, { config: { ca_file: server.caFile, git_private_hosts: ['localhost'] } })
  const url = server.url('bus.git')
  const { skills, commit } = await ask('directory::repo::skills', { repo: url })
  assert.equal(commit, repo.commit)
  assert.equal(skills.length, Object.keys(layouts).length + 1)
  for (const path of ['group/member', '.claude/skills/claude-only', '数据/报告'])
    assert.deepEqual((await ask('directory::skills::download', { repo: url, path })).source.path, path)
  assert.equal((await ask('directory::skills::download_from_repo', { repo: url, skill: 'skills/category/deep/nested' })).namespace, 'nested')
  assert.equal((await ask('directory::skills::download_from_repo', { repo: url, skill: 'member', as: 'mine' })).namespace, 'mine')
  assert.ok(visible(root).includes('mine'))
  layoutRepository('bus2')
  assert.match((await failure(ask('directory::skills::download_from_repo', { repo: server.url('bus2.git'), skill: 'member' }))).message, /D335 .*bus\.git.*bus2\.git/)
  repo.put({ 'group/member/SKILL.md': skill('member', 'New text.') })
  repo.push()
  const diff = await ask('directory::lock::diff', { namespace: 'mine' })
  assert.deepEqual(diff.files.map((f) => [f.path, f.change]), [['SKILL.md', 'changed']])
  assert.match(diff.files[0].diff, /^\+New text\.$/m)
  const { namespaces } = await ask('directory::lock::outdated')
  assert.deepEqual(namespaces.filter((n) => n.outdated).map((n) => n.namespace), ['member', 'mine'])
  const updated = await ask('directory::lock::update', { namespace: 'mine' })
  assert.deepEqual(updated.namespaces[0].result.changed, ['SKILL.md'])
  // A folder of the host is never a source for callers on the bus.
  for (const repo of [dirname(root), `file://${dirname(root)}`, './x'])
    assert.match((await failure(ask('directory::repo::skills', { repo }))).message, /D311/)
})
