// The git source against real servers: `git http-backend` over https, and sshd.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { tempDir } from './lib/engine.mjs'
import { makeRepository, startGitServer, startSshServer } from './lib/git_server.mjs'
import { built, run, start } from './lib/process.mjs'
import { eventually } from './lib/wait.mjs'

const driver = built('tests', 'drivers', 'git_source_driver')
const repos = tempDir()
const scratch = tempDir()
let server, other, good

before(async () => {
  other = await startGitServer(join(tempDir(), 'other'))
  server = await startGitServer(repos, { elsewhere: other.origin })
  good = makeRepository(repos, 'good', {
    files: {
      'skills/alpha/SKILL.md': '# alpha\n',
      'skills/alpha/sub/leaf.md': '# leaf\n',
      'skills/alpha/.dot.md': 'hidden',
      'SKILL.md': '# root\n',
    },
    links: { 'skills/escape': '/etc', 'skills/alpha/link.md': '/etc/passwd' },
  })
  good.git('tag', '-a', '-m', 'x', 'v1')
  good.git('checkout', '-q', '-b', 'dev')
  good.put({ 'skills/alpha/SKILL.md': '# dev\n' })
  good.dev = good.push()
})
after(async () => {
  await server.close()
  await other.close()
  assert.deepEqual(readdirSync(scratch), [], 'nothing stays on the disk')
})

async function fetch(url, skill, options = {}, env = {}) {
  const words = Object.entries({ ca_file: server.caFile, scratch, private_host: '*', ...options }).map(([k, v]) => `${k}=${v}`)
  const end = await run(driver, [url, skill, ...words], { env })
  assert.equal(end.code, 0, end.stderr)
  return JSON.parse(end.stdout)
}
const texts = (bundle) => Object.fromEntries((bundle.files ?? assert.fail(bundle.message)).map((f) => [f.path, f.text]))
const alpha = { 'SKILL.md': '# alpha\n', 'sub/leaf.md': '# leaf\n' }

function refused(answer, code, pattern) {
  assert.equal(answer.error, code, JSON.stringify(answer))
  assert.match(answer.message, pattern)
  assert.match(answer.message, /Next: /)
  assert.doesNotMatch(answer.message, /localhost|127\.0\.0\.1|https?:|ssh:|\/tmp|iii-git/)
}

test('https: a skill with its commit, branch, folder and what was skipped', async () => {
  const bundle = await fetch(server.url('good.git'), 'alpha')
  assert.deepEqual(texts(bundle), alpha)
  assert.equal(bundle.resolved, good.commit)
  assert.equal(bundle.branch, 'main')
  assert.equal(bundle.folder, 'skills/alpha')
  assert.equal(bundle.skipped.length, 2)
})

test('https: branch, annotated tag and commit', async () => {
  assert.equal((await fetch(server.url('good.git'), 'alpha', { ref: 'dev' })).resolved, good.dev)
  assert.equal((await fetch(server.url('good.git'), 'alpha', { ref: 'v1' })).resolved, good.commit)
  assert.deepEqual(texts(await fetch(server.url('good.git'), 'alpha', { ref: good.commit })), alpha)
})

test('https: a server that gives answers in small pieces', async () => {
  assert.deepEqual(texts(await fetch(server.url('good.git', 'slow'), 'alpha')), alpha)
})

test('https: servers without filters, and with the oldest protocol', async () => {
  assert.deepEqual(texts(await fetch(server.url('good.git', 'nofilter'), 'alpha')), alpha)
  assert.deepEqual(texts(await fetch(server.url('good.git', 'old'), 'alpha')), alpha)
})

test('https: a large repository costs no more than the skill', async () => {
  makeRepository(repos, 'large', { files: { 'skills/a/SKILL.md': 'x', 'big.bin': randomBytes(30_000_000) } })
  const before = server.sent()
  assert.deepEqual(texts(await fetch(server.url('large.git'), 'a')), { 'SKILL.md': 'x' })
  assert.ok(server.sent() - before < 100_000, `${server.sent() - before} bytes`)
  const whole = await fetch(server.url('large.git', 'nofilter'), 'a', { max_clone_bytes: 1_000_000 })
  refused(whole, 'D312', /max_clone_bytes/)
})

test('W1: links that lead out of the repository are refused', async () => {
  refused(await fetch(server.url('good.git'), 'escape'), 'D312', /symbolic link/)
})

test('W2: a server that hangs is a time-out, and says so', async () => {
  for (const mode of ['hang', 'stall']) {
    const answer = await fetch(server.url('good.git', mode), 'alpha', { timeout_ms: 1500 })
    refused(answer, 'D321', /^D321 git_error: git timed out after 1500 ms/)
  }
})

test('W2: what a killed process left behind is swept by the next one', async () => {
  server.seen.length = 0
  const dying = start(driver, [server.url('good.git', 'hang'), 'alpha', `ca_file=${server.caFile}`, `scratch=${scratch}`, 'private_host=*'])
  await eventually('git asks', () => server.seen.some((request) => request.url.startsWith('/hang/')))
  await dying.kill('SIGKILL')
  assert.equal(readdirSync(scratch).length, 1)
  assert.deepEqual(texts(await fetch(server.url('good.git'), 'alpha')), alpha)
  assert.deepEqual(readdirSync(scratch), [])
})

test('W3: redirects to other hosts are not followed; one to the same name with .git is tried', async () => {
  refused(await fetch(server.url('good.git', 'away'), 'alpha'), 'D321', /another address/)
  assert.equal(other.seen.length, 0)
  assert.deepEqual(texts(await fetch(server.url('good', 'suffix'), 'alpha')), alpha)
})

test('W4: a server that wants a password gets none', async () => {
  refused(await fetch(server.url('good.git', 'e401'), 'alpha'), 'D321', /user name and a password/)
  assert.ok(server.seen.every((request) => request.authorization === undefined))
})

test('W4: a credential helper of the operator is asked, and told nothing', async () => {
  const home = tempDir()
  const file = join(home, 'credentials')
  const line = server.url('good.git').replace('https://', 'https://reader:s3cret@').replace(/(:\d+)\/.*/, '$1')
  writeFileSync(file, `${line}\n`)
  const helper = { credential_helper: `store --file=${file}` }
  refused(await fetch(server.url('good.git', 'login'), 'alpha'), 'D321', /git_credential_helper/)
  assert.deepEqual(texts(await fetch(server.url('good.git', 'login'), 'alpha', helper, { HOME: home })), alpha)
  writeFileSync(file, `${line.replace('s3cret', 'wrong')}\n`)
  refused(await fetch(server.url('good.git', 'login'), 'alpha', helper, { HOME: home }), 'D321', /git_credential_helper/)
  assert.match(readFileSync(file, 'utf8'), /wrong/, 'what the server refused is not erased')
})

test('W25: a repository cannot lead git into the own network, and open ports look like closed ones', async () => {
  const before = server.seen.length
  const none = { private_host: 'git.example' }
  const open = await fetch(server.url('good.git'), 'alpha', none)
  refused(open, 'D313', /git_private_hosts/)
  for (const url of [server.url('good.git').replace('localhost', '127.0.0.1'), 'https://localhost:1/x.git', 'ssh://127.0.0.1:1/x', 'git@localhost:x'])
    assert.deepEqual(await fetch(url, 'alpha', none), open)
  assert.equal(server.seen.length, before)
})

test('W20: what is missing or broken is told apart', async () => {
  refused(await fetch(server.url('nosuch.git'), 'alpha'), 'D310', /no such repository/)
  refused(await fetch(server.url('good.git'), 'alhpa'), 'D310', /Did you mean "alpha"/)
  refused(await fetch(server.url('good.git'), 'alpha', { ref: 'deb' }), 'D310', /Did you mean "dev"/)
  refused(await fetch(server.url('good.git'), 'alpha', { ref: '1'.repeat(40) }), 'D310', /no such commit/)
  refused(await fetch(server.url('good.git', 'e500'), 'alpha'), 'D321', /status 500/)
  refused(await fetch('https://localhost:1/x.git', 'alpha'), 'D321', /cannot be reached/)
})

test('https: a certificate that nobody vouches for is refused', async () => {
  refused(await fetch(server.url('good.git'), 'alpha', { ca_file: '' }, { GIT_SSL_NO_VERIFY: '1' }), 'D321', /certificate/)
})

test('ssh: keys and known hosts of the user count, nothing is asked', async (t) => {
  const ssh = await startSshServer(join(tempDir(), 'ssh'), repos)
  t.after(() => ssh.close())
  const quiet = { SSH_AUTH_SOCK: '', GIT_SSH_COMMAND: 'false' }
  const bundle = await fetch(ssh.url('good.git'), 'alpha', {}, { HOME: ssh.home, ...quiet })
  assert.deepEqual(texts(bundle), alpha)
  assert.equal(bundle.resolved, good.commit)
  refused(await fetch(ssh.url('good.git'), 'alpha', {}, { HOME: ssh.stranger, ...quiet }), 'D321', /does not know this server/)
  refused(await fetch(ssh.url('good.git'), 'alpha', {}, { HOME: ssh.keyless, ...quiet }), 'D321', /none of our ssh keys/)
  refused(await fetch(ssh.url('nosuch.git'), 'alpha', {}, { HOME: ssh.home, ...quiet }), 'D310', /no such repository/)
})
