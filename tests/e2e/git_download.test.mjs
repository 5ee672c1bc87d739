// directory::skills::download_from_repo through the bus, from real git servers.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startDirectory } from './lib/directory.mjs'
import { needsOwnEngine, tempDir } from './lib/engine.mjs'
import { makeRepository, startGitServer, startSshServer } from './lib/git_server.mjs'
import { failure } from './lib/sdks.mjs'

const repoDownload = 'directory::skills::download_from_repo'
const repos = tempDir()
let server
before(async () => {
  server = await startGitServer(repos)
})
after(() => server.close())

const skill = (title) => `---\nname: alpha\ndescription: What ${title} is for.\n---\n# ${title}\n\nText.\n`
const makeAlpha = (name, branch) =>
  makeRepository(repos, name, {
    branch,
    files: {
      'skills/alpha/SKILL.md': skill('one'),
      'skills/alpha/run.sh': '#!/bin/sh\n',
      'skills/alpha/sub/leaf.md': '# leaf\n\nLeaf.\n',
      'skills/alpha/prompts/ask.md': '---\ndescription: Asks.\n---\nBody.\n',
      'skills/alpha/.hidden.md': 'hidden',
    },
    links: { 'skills/alpha/link.md': '/etc/passwd', 'skills/escape': '/etc' },
  })
const directory = (t, { config = {}, env } = {}) => startDirectory(t, { config: { ca_file: server.caFile, git_private_hosts: ['localhost', '127.0.0.1'], ...config }, env })
const onDisk = (root, path) => readFileSync(join(root, path), 'utf8')
const visible = (root) => readdirSync(root).filter((name) => !name.startsWith('.'))

test('W21: a skill arrives sorted and by kind, is served at once and recorded with its commit', async (t) => {
  const alpha = makeAlpha('first')
  const { ask, root } = await directory(t)
  const done = await ask(repoDownload, { repo: server.url('first.git'), skill: 'alpha' })
  assert.equal(done.namespace, 'alpha')
  assert.deepEqual(done.skills_written, ['SKILL.md', 'sub/leaf.md'])
  assert.deepEqual(done.prompts_written, ['ask'])
  assert.deepEqual(done.assets_written, ['run.sh'])
  assert.deepEqual(done.skipped.map((s) => s.path).sort(), ['.hidden.md', 'link.md'])
  assert.deepEqual(done.source, { kind: 'repo', repo: server.url('first.git'), skill: 'alpha', branch: 'main' })
  assert.equal(done.resolved, alpha.commit)
  assert.equal(onDisk(root, 'alpha/SKILL.md'), skill('one'))
  assert.ok(onDisk(root, 'directory.lock').includes(alpha.commit))
  const { skills } = await ask('directory::skills::list')
  assert.deepEqual(skills.map((s) => s.id), ['alpha', 'alpha/sub/leaf'])
})

test('W22: the default branch, a tag and a commit', async (t) => {
  const alpha = makeAlpha('trunk', 'trunk')
  alpha.git('tag', 'v1')
  alpha.put({ 'skills/alpha/SKILL.md': skill('two') })
  const two = alpha.push()
  const { ask, root } = await directory(t)
  const repo = server.url('trunk.git')
  const latest = await ask(repoDownload, { repo, skill: 'alpha' })
  assert.equal(latest.source.branch, 'trunk')
  assert.equal(latest.resolved, two)
  assert.equal((await ask(repoDownload, { repo, skill: 'alpha', branch: 'v1' })).resolved, alpha.commit)
  assert.equal(onDisk(root, 'alpha/SKILL.md'), skill('one'))
  assert.equal((await ask(repoDownload, { repo, skill: 'alpha', ref: two })).resolved, two)
  assert.equal(onDisk(root, 'alpha/SKILL.md'), skill('two'))
})

test('outdated, update and restore follow the repository', async (t) => {
  const alpha = makeAlpha('moving')
  const { ask, root } = await directory(t)
  await ask(repoDownload, { repo: server.url('moving.git'), skill: 'alpha' })
  alpha.put({ 'skills/alpha/SKILL.md': skill('two') })
  const two = alpha.push()
  // The commit of the lock, although the branch has moved on.
  await ask('directory::lock::restore', { namespace: 'alpha' })
  assert.equal(onDisk(root, 'alpha/SKILL.md'), skill('one'))
  const { namespaces } = await ask('directory::lock::outdated')
  const row = namespaces.find((r) => r.namespace === 'alpha')
  assert.deepEqual([row.current, row.latest, row.outdated], [alpha.commit, two, true])
  await ask('directory::lock::update')
  assert.equal(onDisk(root, 'alpha/SKILL.md'), skill('two'))
})

test('W1, W2, W4: what is refused or fails writes nothing and tells nothing secret', async (t) => {
  makeAlpha('hostile')
  const { ask, root, proc } = await directory(t)
  const refusals = [
    [{ repo: server.url('hostile.git'), skill: 'escape' }, /D312 .*symbolic link/],
    [{ repo: server.url('hostile.git', 'e401'), skill: 'alpha' }, /D321 .*password/],
    [{ repo: server.url('hostile.git'), skill: 'alhpa' }, /D310 .*skills\/alhpa.*Did you mean "alpha"/],
    [{ repo: server.url('hostile.git'), skill: 'alpha', branch: 'nope' }, /D310 .*"nope".*main/],
    [{ repo: server.url('hostile.git'), skill: 'alpha', branch: '--upload-pack=touch x' }, /D311/],
    [{ repo: '--upload-pack=touch x', skill: 'alpha' }, /D311/],
    [{ repo: 'ext::sh -c id', skill: 'alpha' }, /D311/],
    [{ repo: `file://${repos}/hostile.git`, skill: 'alpha' }, /D311/],
    [{ repo: 'ssh://-oProxyCommand=id/x', skill: 'alpha' }, /D311/],
    [{ repo: server.url('hostile.git').replace('https://', 'https://me:s3cret@'), skill: 'alpha' }, /D311 .*credentials/],
  ]
  for (const [input, pattern] of refusals) {
    const { message } = await failure(ask(repoDownload, input))
    assert.match(message, pattern)
    assert.doesNotMatch(message, /s3cret|127\.0\.0\.1|iii-git/)
    if (!/D311/.test(message)) assert.doesNotMatch(message, /localhost|https:/)
  }
  assert.deepEqual(visible(root), [])
  assert.doesNotMatch(proc.out.stderr, /s3cret/)
})

test('W4: a server that hangs is given up', async (t) => {
  makeAlpha('hanging')
  const { ask, root } = await directory(t, { config: { download_timeout_ms: 500 } })
  const { message } = await failure(ask(repoDownload, { repo: server.url('hanging.git', 'hang'), skill: 'alpha' }))
  assert.match(message, /D321 git_error: git timed out after 500 ms/)
  assert.doesNotMatch(message, /127\.0\.0\.1|iii-git|localhost|https:/)
  assert.deepEqual(visible(root), [])
})

test('W25: only the operator lets git into private networks', async (t) => {
  makeAlpha('inside')
  const { ask } = await directory(t, { config: { git_private_hosts: [] } })
  const before = server.seen.length
  const { message } = await failure(ask(repoDownload, { repo: server.url('inside.git'), skill: 'alpha' }))
  assert.match(message, /D313 host_not_allowed: .*git_private_hosts/)
  const closed = await failure(ask(repoDownload, { repo: 'https://localhost:1/x', skill: 'alpha' }))
  assert.equal(closed.message, message)
  assert.equal(server.seen.length, before)
})

test('ssh: a worker uses the keys of its HOME', { skip: needsOwnEngine }, async (t) => {
  makeAlpha('private')
  const ssh = await startSshServer(join(tempDir(), 'ssh'), repos)
  t.after(() => ssh.close())
  const { ask, root } = await directory(t, { env: { HOME: ssh.home, SSH_AUTH_SOCK: '' } })
  await ask(repoDownload, { repo: ssh.url('private.git'), skill: 'alpha' })
  assert.equal(onDisk(root, 'alpha/SKILL.md'), skill('one'))
})
