// What is installed: listed with its state, updated, restored, removed; downloads that report their steps and can be stopped.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { configFile, put, putAtomically, startDirectory } from './lib/directory.mjs'
import { tempDir } from './lib/engine.mjs'
import { makeRepository, startGitServer } from './lib/git_server.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { failure } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'
import { deferred, eventually, Inbox, within } from './lib/wait.mjs'

const repos = tempDir()
let server
before(async () => {
  server = await startGitServer(repos)
})
after(() => server.close())

const bundle = (version, text = version) => ({ version, skills: { 'SKILL.md': `# Mail\n\nSends ${text}.\n`, 'old.md': '# Old\n\nText.\n' } })
const onDisk = (root, name) => readFileSync(join(root, name), 'utf8')
const settings = (shelf) => ({ registry_url: shelf.url, ca_file: server.caFile, git_private_hosts: ['localhost', '127.0.0.1'] })
const listed = async (ask, input) => Object.fromEntries((await ask('directory::lock::list', input)).namespaces.map((row) => [row.namespace, row]))
const stagesOf = (root) => (existsSync(join(root, '.iii-directory/staging')) ? readdirSync(join(root, '.iii-directory/staging')) : [])

test('lock::list tells from where, which version, and in which state, and asks the sources only when told to', async (t) => {
  const repo = makeRepository(repos, 'listed', { files: { 'skills/pdf/SKILL.md': '# PDF\n\nOne.\n' } })
  const shelf = await startShelf(t, { mail: bundle('1.0.0'), chat: bundle('1.0.0') })
  const { ask, root } = await startDirectory(t, { config: settings(shelf) })
  assert.deepEqual(await ask('directory::lock::list'), { namespaces: [] })
  await ask('directory::skills::download', { worker: 'mail' })
  await ask('directory::skills::download', { worker: 'chat', version: '1.0.0' })
  await ask('directory::skills::download', { repo: server.url('listed.git'), skill: 'pdf' })
  let rows = await listed(ask)
  assert.deepEqual(Object.keys(rows), ['chat', 'mail', 'pdf'])
  assert.deepEqual([rows.mail.state, rows.mail.current, rows.mail.latest, rows.mail.intact], ['current', '1.0.0', '1.0.0', 2])
  assert.deepEqual([rows.chat.state, rows.chat.pinned], ['pinned', true])
  assert.deepEqual([rows.pdf.state, rows.pdf.current, rows.pdf.source.kind], ['current', repo.commit, 'repo'])
  for (const row of Object.values(rows)) {
    for (const time of [row.at, row.checked_at]) assert.ok(Math.abs(Date.now() - Date.parse(time)) < 600_000, time)
  }

  shelf.bundles.mail = bundle('2.0.0')
  repo.put({ 'skills/pdf/SKILL.md': '# PDF\n\nTwo.\n' })
  const newer = repo.push()
  const before = shelf.requests.length
  assert.equal((await listed(ask)).mail.state, 'current')
  assert.equal(shelf.requests.length, before, 'nobody is asked')
  rows = await listed(ask, { check: true })
  assert.deepEqual([rows.mail.state, rows.mail.latest, rows.pdf.state, rows.pdf.latest], ['outdated', '2.0.0', 'outdated', newer])
  assert.equal((await listed(ask)).mail.state, 'outdated', 'remembered')

  put(root, 'pdf/SKILL.md', '# PDF\n\nMine.\n')
  put(root, 'pdf/notes.md', '# Notes\n\nMine.\n')
  rmSync(join(root, 'mail/old.md'))
  rows = await listed(ask)
  assert.deepEqual([rows.pdf.state, rows.pdf.files], ['edited', [['edited', 'SKILL.md'], ['extra', 'notes.md']]])
  assert.deepEqual([rows.mail.state, rows.mail.files, rows.mail.latest], ['missing', [['missing', 'old.md']], '2.0.0'])
})

test('lock::list says why a source did not answer', async (t) => {
  const shelf = await startShelf(t, { mail: bundle('1.0.0') })
  const { ask } = await startDirectory(t, { config: settings(shelf) })
  await ask('directory::skills::download', { worker: 'mail' })
  shelf.bundles.mail = { ...bundle('1.0.0'), status: 500 }
  const { mail } = await listed(ask, { check: true })
  assert.deepEqual([mail.state, mail.latest], ['unknown', null])
  assert.match(mail.error, /^D320 /)
})

test('update takes all at once, keeps what was edited and what is pinned; restore and remove', async (t) => {
  const repo = makeRepository(repos, 'updated', { files: { 'skills/a/SKILL.md': '# A\n\nOne.\n', 'skills/b/SKILL.md': '# B\n\nOne.\n' } })
  const shelf = await startShelf(t, { mail: bundle('1.0.0'), chat: bundle('1.0.0') })
  const { ask, root } = await startDirectory(t, { config: settings(shelf) })
  for (const skill of ['a', 'b']) await ask('directory::skills::download', { repo: server.url('updated.git'), skill })
  await ask('directory::skills::download', { worker: 'mail' })
  await ask('directory::skills::download', { worker: 'chat', version: '1.0.0' })
  put(root, 'mail/SKILL.md', '# Mail\n\nMine.\n')
  shelf.bundles.mail = bundle('2.0.0')
  shelf.bundles.chat = bundle('2.0.0')
  repo.put({ 'skills/a/SKILL.md': '# A\n\nTwo.\n', 'skills/b/SKILL.md': '# B\n\nTwo.\n' })
  repo.push()
  const start = (await ask('directory::changes')).generation
  const { ok, namespaces } = await ask('directory::lock::update')
  assert.equal(ok, true)
  assert.deepEqual(namespaces.map((row) => row.namespace), ['a', 'b', 'mail'])
  assert.deepEqual(namespaces.map((row) => row.result.conflicts), [[], [], ['SKILL.md']])
  assert.equal(onDisk(root, 'mail/SKILL.md'), '# Mail\n\nMine.\n')
  assert.equal(onDisk(root, 'a/SKILL.md'), '# A\n\nTwo.\n')
  assert.equal((await listed(ask)).chat.current, '1.0.0')
  const { changes } = await ask('directory::changes', { since: start })
  assert.deepEqual(changes.map(({ op, source, id }) => [op, source, id]), [['download', 'repo', 'a'], ['download', 'repo', 'b']])
  assert.equal(changes[0].generation, changes[1].generation, 'one generation')

  await ask('directory::lock::restore', { namespace: 'mail', force: true })
  assert.equal(onDisk(root, 'mail/SKILL.md'), bundle('2.0.0').skills['SKILL.md'])
  put(root, 'b/mine.md', '# Mine\n\nText.\n')
  const removed = await ask('directory::skills::remove', { namespace: 'b' })
  assert.deepEqual(removed, { namespace: 'b', removed: ['SKILL.md'], kept: ['mine.md'] })
  assert.equal(existsSync(join(root, 'b/SKILL.md')), false)
  const ids = (await ask('directory::skills::list')).skills.map((row) => row.id)
  assert.deepEqual(ids.filter((id) => id.startsWith('b')), ['b/mine'], 'the index shows it with the answer')
  assert.deepEqual(Object.keys(await listed(ask)), ['a', 'chat', 'mail'])
  assert.match((await failure(ask('directory::skills::remove', { namespace: 'b' }))).message, /D310 not_found/)
})

test('changes have times and causes; newest gives the last ones', async (t) => {
  const shelf = await startShelf(t, { mail: bundle('1.0.0') })
  const { ask, root } = await startDirectory(t, { config: settings(shelf) })
  await ask('directory::skills::download', { worker: 'mail' })
  putAtomically(root, 'mine.md', '# Mine\n\nText.\n')
  await eventually('the edit', async () => (await ask('directory::skills::list')).skills.some((row) => row.id === 'mine'))
  const all = await ask('directory::changes')
  assert.deepEqual(all.changes.map(({ op, source, change, kind, id }) => [op, source, change, kind, id]), [
    ['download', 'registry', 'added', 'skill', 'mail'],
    ['download', 'registry', 'added', 'skill', 'mail/old'],
    ['external', 'disk', 'added', 'skill', 'mine'],
  ])
  for (const { at } of all.changes) assert.ok(Math.abs(Date.now() - Date.parse(at)) < 600_000, at)
  const last = await ask('directory::changes', { newest: true, limit: 1 })
  assert.deepEqual([last.changes.map((row) => row.id), last.more], [['mine'], true])
  const since = await ask('directory::changes', { since: all.changes[0].generation })
  assert.deepEqual([since.changes.length, since.more, since.truncated], [1, false, false])
})

const stateless = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }

/** A client of MCP, line by line: it hears of progress, also of the last step, and can cancel. */
function openClient(t, config) {
  const root = tempDir()
  const file = configFile({ local_skills_folder: join(tempDir(), 'none'), builtin_docs: false, auto_download: false, ...config })
  const child = spawn(directoryBin, ['mcp', '--skills', root, '--config', file], { env: { ...process.env, HOME: tempDir(), III_URL: '' }, stdio: ['pipe', 'pipe', 'ignore'] })
  t.after(() => child.kill())
  const open = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, method, params, result, error } = JSON.parse(line)
    if (method === 'notifications/progress') open.get(params.progressToken)?.onprogress(params.message)
    if (id === undefined) return
    if (error || result.isError) open.get(id).reject(new Error(error?.message ?? result.content[0].text))
    else open.get(id).resolve(result)
  })
  let last = 0
  const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
  const call = (fn, input = {}, { onprogress = () => {}, signal } = {}) => {
    const id = ++last
    const answer = deferred()
    open.set(id, { ...answer, onprogress })
    send({ id, method: 'tools/call', params: { name: 'call', arguments: { function: fn, arguments: input }, _meta: { ...stateless, progressToken: id } } })
    signal?.addEventListener('abort', () => {
      send({ method: 'notifications/cancelled', params: { requestId: id, _meta: stateless } })
      answer.reject(new Error('stopped'))
    })
    return within(answer.promise, `the answer of ${fn}`)
  }
  return { root, call }
}

test('a download reports its steps in order', async (t) => {
  const shelf = await startShelf(t, { mail: bundle('1.0.0') })
  makeRepository(repos, 'steps', { files: { 'skills/pdf/SKILL.md': '# PDF\n\nOne.\n' } })
  const { call, root } = openClient(t, settings(shelf))
  const order = ['resolve', 'fetch', 'check', 'stage', 'swap', 'announce']
  const requests = [
    ['directory::skills::download', { worker: 'mail' }],
    ['directory::skills::download', { repo: server.url('steps.git'), skill: 'pdf' }],
    ['directory::lock::restore', { force: true }],
  ]
  for (const [fn, input] of requests) {
    if (fn.endsWith('restore')) rmSync(join(root, 'mail/SKILL.md'))
    const steps = []
    await call(fn, input, { onprogress: (step) => steps.push(step) })
    assert.deepEqual([...new Set(steps)], order, fn)
  }
})

test('a download that is stopped before the swap leaves everything as it was', async (t) => {
  const hold = deferred()
  const shelf = await startShelf(t, { mail: bundle('1.0.0') })
  const { call, root } = openClient(t, settings(shelf))
  await call('directory::skills::download', { worker: 'mail' })
  const lock = onDisk(root, 'directory.lock')
  shelf.bundles.mail = { ...bundle('2.0.0'), hold: hold.promise }
  const requests = [
    ['directory::skills::download', { worker: 'mail' }],
    ['directory::lock::update', {}],
  ]
  for (const [fn, input] of requests) {
    const stop = new AbortController()
    const steps = new Inbox()
    const asked = shelf.requests.length
    const rejected = assert.rejects(call(fn, input, { signal: stop.signal, onprogress: (step) => steps.push(step) }))
    await steps.next('the first step')
    await eventually('the request', () => shelf.requests.length > asked)
    stop.abort()
    await rejected
    await call('directory::health', {}) // the server reads in order: it knows by now
  }
  hold.resolve()
  // A caller has two places, so this one waits until a stopped one has given back its own.
  shelf.bundles.other = bundle('1.0.0')
  await call('directory::skills::download', { worker: 'other' })
  assert.equal(onDisk(root, 'mail/SKILL.md'), bundle('1.0.0').skills['SKILL.md'])
  assert.ok(onDisk(root, 'directory.lock').includes(lock.slice(lock.indexOf('mail:'))), 'the lock has the same about it')
  assert.deepEqual(stagesOf(root), [])
  await call('directory::lock::update', {})
  assert.equal(onDisk(root, 'mail/SKILL.md'), bundle('2.0.0').skills['SKILL.md'])
})

test('add says when a word that means a repository is also the name of a folder here', async () => {
  const home = tempDir()
  put(home, 'pk/x/SKILL.md', '# X\n\nText.\n')
  const file = configFile({ skills_folder: join(home, 'skills'), download_timeout_ms: 2_000 })
  // Nothing listens there: nobody is asked for a repository of that name.
  const env = { HOME: home, III_URL: '', HTTPS_PROXY: 'http://127.0.0.1:1', https_proxy: 'http://127.0.0.1:1' }
  const { code, stderr } = await run(directoryBin, ['add', 'pk/x', '--config', file], { cwd: home, env })
  assert.equal(code, 1)
  assert.match(stderr, /pk\/x is taken as a repository .* Next: `iii-directory add \.\/pk\/x`/)
  const folder = await run(directoryBin, ['add', './pk/x', '--config', file], { cwd: home, env })
  assert.equal(folder.code, 0, folder.stderr)
  assert.doesNotMatch(folder.stderr, /is taken as/)
})
