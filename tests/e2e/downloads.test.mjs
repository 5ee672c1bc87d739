// Downloads, directory.lock and the verbs: through the bus with the published SDK, and from the command line.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import http from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFile, put, startDirectory, tree } from './lib/directory.mjs'
import { needsOwnEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { call, callable, connect, failure, sdks } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'
import { deferred, eventually } from './lib/wait.mjs'

const first = {
  version: '1.0.0',
  skills: { 'SKILL.md': '# Mail\n\nSends mail.\n', 'skills/send.md': '# Send\n\nHow to send.\n', 'old.md': '# Old\n\nGoes away.\n' },
  prompts: [{ name: 'compose', description: 'Write a mail.', content: 'Write to {{to}}.' }],
}
const second = {
  version: '2.0.0',
  skills: { 'SKILL.md': '# Mail\n\nSends mail, faster.\n', 'skills/send.md': '# Send\n\nHow to send.\n' },
}
const registryDownload = 'directory::skills::download_from_registry'

const onDisk = (root, name) => readFileSync(join(root, name), 'utf8')

test('a download is served at once and recorded in directory.lock', async (t) => {
  const shelf = await startShelf(t, { mail: first })
  const { ask, root } = await startDirectory(t, { config: { registry_url: shelf.url } })
  const done = await ask(registryDownload, { worker: 'mail' })
  assert.deepEqual(done.skills_written, ['SKILL.md', 'send.md', 'old.md'])
  assert.deepEqual(done.prompts_written, ['compose'])
  assert.deepEqual(done.source, { kind: 'registry', worker: 'mail', tag: 'latest' })
  assert.equal(done.resolved, '1.0.0')
  assert.match(done.digest, /^sha256:[0-9a-f]{64}$/)
  const { skills } = await ask('directory::skills::list')
  assert.deepEqual(skills.map((s) => s.id), ['mail', 'mail/old', 'mail/send'])
  assert.equal((await ask('directory::prompts::get', { name: 'compose' })).body, 'Write to {{to}}.\n')
  const lock = onDisk(root, 'directory.lock')
  assert.match(lock, /^version: 1$/m)
  assert.match(lock, /resolved: 1\.0\.0/)
  assert.doesNotMatch(lock, /127\.0\.0\.1/)
})

test('W9, W10, W11: the same again touches nothing; dropped files go, edited and added ones stay', async (t) => {
  const shelf = await startShelf(t, { mail: first })
  const { ask, root } = await startDirectory(t, { config: { registry_url: shelf.url } })
  await ask(registryDownload, { worker: 'mail' })
  const before = statSync(join(root, 'mail/send.md')).mtimeNs
  const again = await ask(registryDownload, { worker: 'mail' })
  assert.deepEqual(again.skills_written, [])
  assert.deepEqual([...again.unchanged].sort(), ['SKILL.md', 'old.md', 'prompts/compose.md', 'send.md'])
  assert.equal(statSync(join(root, 'mail/send.md')).mtimeNs, before)

  put(root, 'mail/mine.md', '# Mine\n\nAdded by hand.\n')
  put(root, 'mail/SKILL.md', '# Mail\n\nMy own words.\n')
  shelf.bundles.mail = second
  const newer = await ask(registryDownload, { worker: 'mail' })
  assert.deepEqual([...newer.pruned].sort(), ['old.md', 'prompts/compose.md'])
  assert.deepEqual(newer.conflicts, ['SKILL.md'])
  assert.equal(existsSync(join(root, 'mail/old.md')), false)
  assert.equal(onDisk(root, 'mail/mine.md'), '# Mine\n\nAdded by hand.\n')
  assert.equal(onDisk(root, 'mail/SKILL.md'), '# Mail\n\nMy own words.\n')

  const forced = await ask(registryDownload, { worker: 'mail', force: true })
  assert.deepEqual(forced.skills_written, ['SKILL.md'])
  assert.equal(onDisk(root, 'mail/SKILL.md'), second.skills['SKILL.md'])
})

test('W10: the first download into a folder made by hand keeps what differs, and says so', async (t) => {
  const shelf = await startShelf(t, { mail: first })
  const { ask, root } = await startDirectory(t, { files: { 'mail/SKILL.md': '# Mine\n\nBy hand.\n' }, config: { registry_url: shelf.url } })
  const done = await ask(registryDownload, { worker: 'mail' })
  assert.deepEqual([done.conflicts, done.overwritten], [['SKILL.md'], []])
  assert.match(onDisk(root, 'mail/SKILL.md'), /By hand/)
  const config = configFile({ skills_folder: root, registry_url: shelf.url })
  const verb = (...words) => run(directoryBin, [...words, '--config', config], { env: { HOME: tempDir() } })
  assert.match((await verb('install', 'mail')).stdout, /kept +SKILL\.md .*--force/)
  const outdated = await verb('outdated')
  assert.equal(outdated.code, 1)
  assert.match(outdated.stdout, /kept +SKILL\.md/)
  assert.match((await verb('install', 'mail', '--force')).stdout, /replaced SKILL\.md/)
  assert.equal(onDisk(root, 'mail/SKILL.md'), first.skills['SKILL.md'])
  assert.equal((await verb('outdated')).code, 0)
})

test('what `doctor --fix` mended is not an edit: update replaces it, and outdated tells the truth', async (t) => {
  const broken = (text) => `---\ntitle: a: b\n---\n# Mail\n\n${text}\n`
  const shelf = await startShelf(t, { mail: { version: '1.0.0', skills: { 'SKILL.md': broken('One.') } } })
  const config = configFile({ skills_folder: tree({}), local_skills_folder: tree({}), registry_url: shelf.url })
  const verb = (...words) => run(directoryBin, [...words, '--config', config], { env: { HOME: tempDir() } })
  assert.equal((await verb('install', 'mail')).code, 0)
  assert.match((await verb('doctor', '--fix')).stderr, /1 file fixed/)
  assert.equal((await verb('verify')).code, 0)
  shelf.bundles.mail = { version: '2.0.0', skills: { 'SKILL.md': broken('Two.') } }
  const updated = JSON.parse((await verb('update', '--json')).stdout).namespaces[0].result
  assert.deepEqual([updated.conflicts, updated.skills_written], [[], ['SKILL.md']])
  assert.equal((await verb('outdated')).code, 0)
})

test('a pin that the registry does not honour, and a lock that is not there, are errors', async (t) => {
  const shelf = await startShelf(t, { mail: first })
  const root = tree({})
  const config = configFile({ skills_folder: root, registry_url: shelf.url })
  const verb = (...words) => run(directoryBin, [...words, '--config', config], { env: { HOME: tempDir() } })
  for (const words of [['install', '--frozen'], ['install']]) {
    const end = await verb(...words)
    assert.equal(end.code, 1)
    assert.match(end.stderr, /no directory\.lock.*Next: /)
  }
  shelf.anyVersion = true // it answers with what it has, whatever was asked for
  const pinned = await verb('install', 'mail@9.9.9')
  assert.equal(pinned.code, 1)
  assert.match(pinned.stderr, /D314 .*9\.9\.9.*1\.0\.0/)
  assert.equal(existsSync(join(root, 'mail')), false)
})

test('a lock with a source that a request may not name is refused, and no program is started', async (t) => {
  const { ask, root } = await startDirectory(t)
  const canary = join(root, 'canary')
  const sha = 'a'.repeat(64)
  for (const repo of [`ssh://-oProxyCommand=touch ${canary}/x`, 'https://me:s3cret@localhost/x', `ext::touch ${canary}`]) {
    const files = `files:\n      SKILL.md: {sha256: ${sha}, size: 1}\n`
    const digest = createHash('sha256').update(`SKILL.md\0${sha}\n`).digest('hex')
    writeFileSync(
      join(root, 'directory.lock'),
      `version: 1\nnamespaces:\n  s:\n    source: repo\n    repo: '${repo}'\n    skill: s\n    digest: sha256:${digest}\n    ${files}`,
    )
    for (const id of ['update', 'restore', 'outdated']) {
      const { message } = await failure(ask(`directory::lock::${id}`))
      assert.match(message, /D333 .*`s`: /)
      assert.doesNotMatch(message, /s3cret/)
    }
  }
  assert.equal(existsSync(canary), false)
  assert.match((await ask('directory::doctor')).findings.map((f) => f.code).join(), /lock_unreadable/)
})

test('a namespace of the lock without its folder is told by the doctor', async (t) => {
  const shelf = await startShelf(t, { mail: first })
  const { ask, root, file } = await startDirectory(t, { config: { registry_url: shelf.url } })
  await ask(registryDownload, { worker: 'mail' })
  rmSync(join(root, 'mail'), { recursive: true })
  const finding = (await ask('directory::doctor')).findings.find((f) => f.code === 'namespace_missing')
  assert.deepEqual([finding.root, finding.path], ['global', 'mail'])
  const end = await run(directoryBin, ['doctor', '--config', file], { env: { HOME: tempDir() } })
  assert.match(end.stdout, /\/mail .*namespace_missing/)
})

test('one caller\'s slow downloads keep nobody waiting, and are dropped when it leaves', { skip: needsOwnEngine }, async (t) => {
  const held = []
  const later = []
  let slow = true
  const server = http.createServer((request, response) => {
    if (slow) return void held.push({ url: request.url, response })
    later.push(request.url)
    response.writeHead(404).end('{}')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { ask, url } = await startDirectory(t, { config: { registry_url: `http://127.0.0.1:${server.address().port}`, registry_retries: 0 } })
  const greedy = connect(t, sdks['0.22.1'], url, { workerName: 'greedy' })
  await callable(greedy, 'directory::health')
  let refused = 0
  const calls = [...Array(60).keys()].map((n) =>
    call(greedy, registryDownload, { worker: `w${n}` }).catch((error) => void (refused += /D334 /.test(error.message))),
  )
  await eventually('the bound', () => refused === 60 - 16 - 2)
  // The refusals may be faster than the requests of those that were admitted.
  await eventually('the downloads under way', () => held.length >= 2)
  assert.equal(held.length, 2)
  // Neither local work nor another caller's download waits.
  assert.equal((await ask('directory::lock::verify')).ok, true)
  const other = ask(registryDownload, { worker: 'other' }).catch(() => {})
  await eventually('the download of another caller', () => held.some((h) => h.url.includes('/other/')))
  await greedy.shutdown()
  // Whoever waits is dropped when its turn comes and the engine no longer knows the caller.
  await eventually('the caller is gone', async () => (await ask('engine::workers::list')).workers.every((row) => row.name !== 'greedy'))
  slow = false
  for (const { response } of held) response.writeHead(404).end('{}')
  await other
  for (let round = 0; round < 20; round++) await failure(ask(registryDownload, { worker: 'next' }))
  assert.deepEqual(later.filter((target) => /^\/w\/w\d/.test(target)), [], 'nobody waits for these')
  await Promise.allSettled(calls)
})

test('a bundle that is refused leaves everything as it was', async (t) => {
  const shelf = await startShelf(t, { mail: first })
  const { ask, root } = await startDirectory(t, { config: { registry_url: shelf.url } })
  await ask(registryDownload, { worker: 'mail' })
  const lock = onDisk(root, 'directory.lock')
  for (const path of ['../evil.md', '/etc/evil.md', 'a\0b.md', '.iii-skill-complete', '.git/config', 'skill.MD', 'send.md/x.md']) {
    shelf.bundles.mail = { version: '3.0.0', skills: { ...second.skills, [path]: '# Evil\n' } }
    const error = await failure(ask(registryDownload, { worker: 'mail' }))
    assert.match(error.message, /D312 invalid_bundle/, path)
    assert.equal(onDisk(root, 'mail/SKILL.md'), first.skills['SKILL.md'])
    assert.equal(onDisk(root, 'directory.lock'), lock)
  }
  shelf.bundles.mail = { version: '3.0.0', skills: Object.fromEntries([...Array(1001).keys()].map((n) => [`f${n}.md`, '# x\n'])) }
  assert.match((await failure(ask(registryDownload, { worker: 'mail' }))).message, /D312 invalid_bundle/)
  assert.equal((await ask('directory::lock::verify')).ok, true)
})

test('errors teach, and name neither host nor folder', async (t) => {
  const shelf = await startShelf(t, { broken: { status: 500 } })
  const { ask, root } = await startDirectory(t, { config: { registry_url: shelf.url, registry_retries: 0 } })
  const texts = []
  for (const [id, input, code] of [
    [registryDownload, { worker: 'nobody' }, 'D310'],
    [registryDownload, { worker: 'broken' }, 'D320'],
    [registryDownload, { worker: 'Bad Name' }, 'D311'],
    ['directory::skills::download', {}, 'D311'],
    ['directory::skills::download_from_repo', { repo: 'https://user:secret@127.0.0.1:1/x', skill: 's' }, 'D311'],
    ['directory::skills::download_from_repo', { repo: 'https://127.0.0.1:1/x', skill: 's' }, 'D313'],
    ['directory::lock::update', { namespace: 'nobody' }, 'D310'],
  ]) {
    const { message } = await failure(ask(id, input))
    assert.match(message, new RegExp(`${code} `), message)
    assert.match(message, / Next: /, message)
    texts.push(message)
  }
  for (const text of texts) {
    assert.doesNotMatch(text, /127\.0\.0\.1|secret/)
    assert.equal(text.includes(root), false)
  }
})

test('verify, outdated, update and restore do what the lock says', async (t) => {
  const shelf = await startShelf(t, { mail: first, pinned: { version: '1.0.0', skills: { 'SKILL.md': '# P\n\nP.\n' } } })
  const { ask, root } = await startDirectory(t, { config: { registry_url: shelf.url, registry_cache_ttl_ms: 0 } })
  await ask(registryDownload, { worker: 'mail' })
  await ask(registryDownload, { worker: 'pinned', version: '1.0.0' })
  put(root, 'mail/send.md', 'edited\n')
  rmSync(join(root, 'mail/old.md'))
  put(root, 'mail/extra.md', '# Extra\n')
  const verified = await ask('directory::lock::verify', { namespace: 'mail' })
  assert.equal(verified.ok, false)
  assert.deepEqual(verified.namespaces[0].files, [
    { path: 'extra.md', state: 'extra' },
    { path: 'old.md', state: 'missing' },
    { path: 'send.md', state: 'edited' },
  ])

  const restored = await ask('directory::lock::restore', { namespace: 'mail', force: true })
  assert.equal(restored.ok, true)
  assert.equal(onDisk(root, 'mail/send.md'), first.skills['skills/send.md'])
  assert.equal(onDisk(root, 'mail/old.md'), first.skills['old.md'])
  assert.equal((await ask('directory::lock::verify')).ok, true)

  shelf.bundles.mail = second
  const rows = (await ask('directory::lock::outdated')).namespaces
  assert.deepEqual(
    rows.map((r) => [r.namespace, r.current, r.latest, r.outdated, r.pinned]),
    [['mail', '1.0.0', '2.0.0', true, false], ['pinned', '1.0.0', '1.0.0', false, true]],
  )
  const updated = await ask('directory::lock::update')
  assert.deepEqual(updated.namespaces.map((n) => [n.namespace, n.before, n.result.resolved]), [['mail', '1.0.0', '2.0.0']])
  assert.equal(onDisk(root, 'mail/SKILL.md'), second.skills['SKILL.md'])
})

test('restore gives exactly what the lock says, or fails and writes nothing', async (t) => {
  const shelf = await startShelf(t, { mail: first })
  const { ask, root } = await startDirectory(t, { config: { registry_url: shelf.url } })
  await ask(registryDownload, { worker: 'mail' })
  rmSync(join(root, 'mail/send.md'))
  shelf.bundles.mail = { ...second, version: '1.0.0' } // published anew under the same number
  const outcome = await ask('directory::lock::restore')
  assert.equal(outcome.ok, false)
  assert.match(outcome.namespaces[0].error, /D332 /)
  assert.equal(existsSync(join(root, 'mail/send.md')), false)
  assert.equal(onDisk(root, 'mail/SKILL.md'), first.skills['SKILL.md'])
})

test('the verbs work on the folder alone, and a running directory shows what they did', async (t) => {
  const shelf = await startShelf(t, { mail: first })
  const { ask, root } = await startDirectory(t, { config: { registry_url: shelf.url } })
  const config = configFile({ skills_folder: root, registry_url: shelf.url })
  const verb = (...words) => run(directoryBin, [...words, '--config', config], { env: { HOME: tempDir() } })
  const installed = await verb('install', 'mail')
  assert.equal(installed.code, 0, installed.stderr)
  assert.match(installed.stdout, /^mail 1\.0\.0: 3 skills, 1 prompt and/)
  assert.deepEqual((await ask('directory::skills::list')).skills.map((s) => s.id), ['mail', 'mail/old', 'mail/send'])
  assert.equal((await verb('verify')).code, 0)
  put(root, 'mail/send.md', 'edited\n')
  const verified = await verb('verify', 'mail', '--json')
  assert.equal(verified.code, 1)
  assert.deepEqual(JSON.parse(verified.stdout).namespaces[0].files, [{ path: 'send.md', state: 'edited' }])
  assert.equal((await verb('install', '--frozen')).code, 1)
  assert.equal(onDisk(root, 'mail/send.md'), 'edited\n')
  assert.equal((await verb('install', '--frozen', '--force')).code, 0)
  assert.equal((await verb('outdated')).code, 0)
  shelf.bundles.mail = second
  assert.equal((await verb('outdated')).code, 1)
  const updated = await verb('update', '--json')
  assert.equal(updated.code, 0)
  assert.equal(JSON.parse(updated.stdout).namespaces[0].result.resolved, '2.0.0')
  assert.equal((await verb('install', 'mail', '--frozen')).code, 2)
  const unknown = await verb('verify', 'mial')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /Did you mean: mail/)
})

test('nothing of a registry drives the terminal', async (t) => {
  const hostile = 'a\u001b]52;c;eA==\u0007\u009b31m\u202e\u007fz'
  const harmful = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/
  const shelf = await startShelf(t, { mail: { ...first, version: `1.0.0${hostile}` }, paths: { ...first, skills: { ...first.skills, [`${hostile}.txt`]: 'x' } } })
  const config = configFile({ skills_folder: tempDir(), registry_url: shelf.url })
  for (const words of [['install', 'mail'], ['install', 'paths'], ['verify'], ['outdated'], ['update'], ['install', 'mail', '--json']]) {
    const end = await run(directoryBin, [...words, '--config', config], { env: { HOME: tempDir() } })
    assert.doesNotMatch(end.stdout + end.stderr, harmful, words.join(' '))
  }
})

test('a misspelt verb is named, with what may be meant', async () => {
  const end = await run(directoryBin, ['instal'])
  assert.equal(end.code, 2)
  assert.match(end.stderr, /no verb 'instal'.*Did you mean install\?/)
})

test('it ends in order while a download hangs', async (t) => {
  const asked = deferred()
  const server = http.createServer(() => asked.resolve()) // and never an answer
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { ask, proc, root } = await startDirectory(t, { config: { registry_url: `http://127.0.0.1:${server.address().port}` } })
  ask(registryDownload, { worker: 'mail' }).catch(() => {})
  await asked.promise
  assert.equal((await proc.kill('SIGTERM')).code, 0)
  assert.equal(existsSync(join(root, 'mail')), false)
})

test('two processes that download one namespace at once never mix versions', async (t) => {
  const many = (version) => ({ version, skills: Object.fromEntries([...Array(60).keys()].map((n) => [`s${n}.md`, `# ${version}\n\nText.\n`])) })
  const shelf = await startShelf(t, { one: many('1.0.0') })
  const other = await startShelf(t, { one: many('2.0.0') })
  const root = tree({})
  const configs = [shelf, other].map((s) => configFile({ skills_folder: root, registry_url: s.url }))
  for (let round = 0; round < 5; round++) {
    const ends = await Promise.all(configs.map((c) => run(directoryBin, ['install', 'one', '--force', '--config', c], { env: { HOME: tempDir() } })))
    for (const end of ends) assert.equal(end.code, 0, end.stderr)
    const seen = new Set([...Array(60).keys()].map((n) => onDisk(root, `one/s${n}.md`)))
    assert.equal(seen.size, 1)
    const verified = await run(directoryBin, ['verify', '--config', configs[0]], { env: { HOME: tempDir() } })
    assert.equal(verified.code, 0, verified.stdout)
  }
})

test('W1: a namespace folder that is a link out of the skills folder is refused', async (t) => {
  const shelf = await startShelf(t, { mail: first })
  const outside = tree({ 'keep.md': '# Keep\n' })
  const { ask, root } = await startDirectory(t, { config: { registry_url: shelf.url } })
  const { symlinkSync, readdirSync } = await import('node:fs')
  symlinkSync(outside, join(root, 'mail'))
  const { message } = await failure(ask(registryDownload, { worker: 'mail' }))
  assert.match(message, /D3\d\d /)
  assert.deepEqual(readdirSync(outside), ['keep.md'])
})

test('a damaged lock is never overwritten', async (t) => {
  const shelf = await startShelf(t, { mail: first })
  const { ask, root } = await startDirectory(t, { config: { registry_url: shelf.url } })
  writeFileSync(join(root, 'directory.lock'), 'version: 1\nnamespaces: [oops\n')
  const { message } = await failure(ask(registryDownload, { worker: 'mail' }))
  assert.match(message, /D333 .*Next: /)
  assert.equal(onDisk(root, 'directory.lock'), 'version: 1\nnamespaces: [oops\n')
  assert.equal(existsSync(join(root, 'mail')), false)
})
