// The registry through the bus: lists, details and downloads against a registry that is played over real sockets, with its
// faults. The published SDK is the caller.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDirectory } from './lib/directory.mjs'
import { needsOwnEngine, tempDir } from './lib/engine.mjs'
import { startRegistry } from './lib/registry.mjs'
import { eventually } from './lib/wait.mjs'

const listId = 'directory::registry::workers::list'
const infoId = 'directory::registry::workers::info'
const downloadId = 'directory::skills::download'

/** The directory as a worker, with a registry of its own. */
async function directory(t, { registry: options, ...config } = {}) {
  const registry = await startRegistry(options)
  t.after(() => registry.close())
  const settings = { skills_folder: join(tempDir(), 'skills'), builtin_docs: undefined, registry_url: `${registry.url}/`, registry_cache_ttl_ms: 0, registry_retries: 1 }
  const { root, ask } = await startDirectory(t, { config: { ...settings, ...config }, env: { no_proxy: '*' } })
  return { root, registry, ask }
}

/** The text of the error that a call ends with; it never says where the registry is or what it said. */
async function refusal(promise, registry) {
  const error = await promise.then((answer) => assert.fail(`answered: ${JSON.stringify(answer).slice(0, 200)}`), (e) => e)
  for (const secret of ['127.0.0.1', new URL(registry.url).port, 'not for callers', 'http:', '10.255', '169.254']) {
    assert.ok(!error.message.includes(secret), `${secret} in: ${error.message}`)
  }
  return error.message
}

function certificate() {
  const dir = tempDir()
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...curve, '-subj', '/CN=registry', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert], { stdio: 'pipe' })
  return { file: cert, tls: { key: readFileSync(key), cert: readFileSync(cert) } }
}

const files = (root, name) => readdirSync(join(root, name), { recursive: true, withFileTypes: true }).filter((e) => e.isFile() && !e.name.startsWith('.')).length

test('lists are forwarded with the given keys only, and paged', async (t) => {
  const { registry, ask } = await directory(t)
  const page = await ask(listId)
  assert.deepEqual(page.workers.map((w) => w.name), ['resend', 'shell'])
  assert.deepEqual(page.pagination, { next_cursor: 'next-page', has_more: true, page_size: 20 })
  const last = await ask(listId, { search: ' a b ', cursor: page.pagination.next_cursor })
  assert.equal(last.pagination.has_more, false)
  assert.deepEqual(registry.requests, ['GET /w', 'GET /w?search=a+b&cursor=next-page'])
  assert.match(registry.headers[0]['user-agent'], /^iii-directory\/\d/)
})

test('W17, W18: details of a worker without a bundle, and rows with odd fields', async (t) => {
  const { registry, ask } = await directory(t)
  const info = await ask(infoId, { name: 'resend' })
  assert.deepEqual(info.skills_tree.skills, [{ path: 'index.md' }, { path: 'skills/emails/send-email.md' }])
  assert.equal(info.api_reference.functions[0].name, 'resend::send')
  assert.deepEqual(registry.requests.toSorted(), ['GET /w/resend/skills?version=latest', 'GET /w/resend?version=latest'])
  assert.deepEqual((await ask(infoId, { name: 'nobundle' })).skills_tree, { skills: [], prompts: [] })
  const { workers } = await ask(listId, { search: 'odd' })
  assert.deepEqual(workers.map((w) => [w.name, w.total_downloads, w.version]), [['odd', 0, null]])
})

test('older registries are understood', async (t) => {
  const { registry, ask } = await directory(t, { registry: { older: true } })
  const { workers } = await ask(listId, { search: 'mail' })
  assert.deepEqual(workers.map((w) => [w.name, w.version, w.author.verified]), [['resend', '1.2.3', true], ['shell', '1.2.3', true]])
  assert.deepEqual(registry.requests, ['GET /w?search=mail', 'GET /search?q=mail'])
  const info = await ask(infoId, { name: 'resend' })
  assert.equal(info.worker.version, '1.2.3')
  assert.equal(info.api_reference.triggers.length, 1)
})

test('W19: the cache spares requests, and an old answer stands in when the registry is away', async (t) => {
  const { registry, ask } = await directory(t, { registry_cache_ttl_ms: 4_000, registry_retries: 0 })
  // Long enough that the last of these is answered before the first answer is old.
  await Promise.all(Array.from({ length: 10 }, () => ask(listId)))
  assert.equal(registry.requests.length, 1)
  registry.down = true
  const answer = await eventually('an old answer', async () => {
    const now = await ask(listId)
    return now.stale && now
  })
  assert.deepEqual(answer.workers.map((w) => w.name), ['resend', 'shell'])
  assert.match(await refusal(ask(infoId, { name: 'resend' }), registry), /D320 registry_error:.*503.*Next:/s)
})

test('W16: a refusal that passes is asked again, Retry-After kept', async (t) => {
  const { registry, ask } = await directory(t)
  assert.deepEqual((await ask(downloadId, { worker: 'once429' })).skills_written, ['SKILL.md'])
  assert.deepEqual((await ask(downloadId, { worker: 'once500' })).skills_written, ['SKILL.md'])
  assert.equal(registry.requests.length, 4)
})

test('W11: what did not change is not sent again', async (t) => {
  const { registry, ask } = await directory(t, { registry_cache_ttl_ms: 60_000, registry: { gzip: true } })
  assert.equal((await ask(downloadId, { worker: 'resend' })).resolved, '1.2.3')
  const again = await ask(downloadId, { worker: 'resend' })
  assert.deepEqual(again.skills_written, [])
  assert.equal(again.unchanged.length, 3)
  assert.equal(registry.headers[0]['if-none-match'], undefined)
  assert.match(registry.headers[1]['if-none-match'], /^"/)
})

test('faults of the network are D320, and nothing is written', async (t) => {
  const { root, registry, ask } = await directory(t, { registry_retries: 0, download_timeout_ms: 2_000 })
  for (const worker of ['reset', 'cut', 'nojson', 'hang', 'e500', 'e401', 'loop', 'private', 'metadata', 'toscheme', 'numcontent', 'nullskills']) {
    assert.match(await refusal(ask(downloadId, { worker }), registry), /D320 registry_error:.*Next:/s, worker)
    assert.match(await refusal(ask(infoId, { name: worker === 'numcontent' || worker === 'nullskills' ? 'e502' : worker }), registry), /D320/, worker)
    assert.ok(!existsSync(join(root, worker)), worker)
  }
})

// Not in the test above: its time-out is for those that never answer.
test('an answer under a wrong name, and one that takes its time, are taken', async (t) => {
  const { ask } = await directory(t, { registry_retries: 0 })
  assert.deepEqual((await ask(listId, { search: 'wrongtype' })).workers.map((w) => w.name), ['typed'])
  assert.deepEqual((await ask(downloadId, { worker: 'slow' })).skills_written, ['SKILL.md'])
})

test('W6: endless answers and bombs end at the limit', async (t) => {
  const { root, registry, ask } = await directory(t, { registry_retries: 0 })
  for (const word of ['endless', 'bomb']) {
    assert.match(await refusal(ask(listId, { search: word }), registry), /D320 registry_error:.*larger/s, word)
    assert.match(await refusal(ask(downloadId, { worker: word }), registry), /D320 registry_error:.*larger/s, word)
    assert.ok(!existsSync(join(root, word)))
  }
})

test('W5, W6: a bundle that means harm is refused whole', async (t) => {
  const { root, registry, ask } = await directory(t)
  for (const worker of ['wrongname', 'trav', 'abs', 'nul', 'marker', 'gitconfig', 'casefold', 'unicode', 'folderfile', 'deep', 'toomany', 'bigfile', 'badprompt']) {
    assert.match(await refusal(ask(downloadId, { worker }), registry), /D312 invalid_bundle:/, worker)
    assert.ok(!existsSync(join(root, worker)), worker)
  }
})

test('W7: what would not be served is left out and named; a large document is served in parts', async (t) => {
  const { root, ask } = await directory(t)
  const hidden = await ask(downloadId, { worker: 'hidden' })
  assert.deepEqual(hidden.skills_written, ['ok.md'])
  assert.deepEqual(hidden.skipped.map((s) => s.path), ['.hidden/h.md'])
  assert.equal(files(root, 'hidden'), 1)
  const large = await ask(downloadId, { worker: 'bigdoc' })
  assert.deepEqual(large.skills_written, ['ok.md', 'big.md'])
  assert.deepEqual(large.skipped ?? [], [])
  assert.ok((await ask('directory::skills::get', { id: 'bigdoc/big' })).body.length > 0)
})

test('prompts become files with frontmatter; an index beside an overview is kept', async (t) => {
  const { root, ask } = await directory(t)
  assert.deepEqual((await ask(downloadId, { worker: 'resend' })).prompts_written, ['send-email'])
  assert.equal(
    readFileSync(join(root, 'resend/prompts/send-email.md'), 'utf8'),
    '---\nname: send-email\ndescription: Compose and send.\nargs_schema:\n  properties:\n    to:\n      type: string\n  type: object\n---\nWrite to {{to}}.\n',
  )
  assert.deepEqual((await ask(downloadId, { worker: 'both' })).skills_written, ['index.md', 'SKILL.md'])
  assert.deepEqual((await ask(downloadId, { worker: 'array' })).skills_written, [])
})

test('W20: what is not there is said with the version and a name that may be meant', async (t) => {
  const { registry, ask } = await directory(t)
  await ask(listId)
  const typo = await refusal(ask(infoId, { name: 'resnd' }), registry)
  assert.match(typo, /D310 not_found:.*"resnd@latest".*Did you mean: resend\?.*Next: call directory::registry::workers::list/s)
  const version = await refusal(ask(downloadId, { worker: 'resend', version: '99.99.99' }), registry)
  assert.match(version, /D310 not_found:.*"resend".*99\.99\.99.*Next:/s)
  assert.ok(!version.includes('404'))
})

test('W24: a function of the engine, and one that is not there', { skip: needsOwnEngine }, async (t) => {
  const { registry, ask } = await directory(t)
  const info = await ask('directory::engine::functions::info', { function_id: ' directory::prompts::get ' })
  assert.equal(info.worker_name, 'iii-directory')
  assert.deepEqual(info.request_schema.required, ['name'])
  const message = await refusal(ask('directory::engine::functions::info', { function_id: 'directory::prompts::gett' }), registry)
  assert.match(message, /D340 not_found:.*Did you mean: directory::prompts::get\?.*Next:/s)
})

test('https: the configured CA is trusted, and nothing goes on without encryption', async (t) => {
  const { file, tls } = certificate()
  const { registry, ask } = await directory(t, { registry: { tls }, ca_file: file, registry_retries: 0 })
  assert.equal((await ask(listId)).workers.length, 2)
  assert.match(await refusal(ask(listId, { search: 'tohttp' }), registry), /D320 registry_error:.*redirects/s)
})

test('https: a certificate of somebody else is not trusted, and nothing is sent', async (t) => {
  const { registry, ask } = await directory(t, { registry: { tls: certificate().tls }, registry_retries: 0 })
  assert.match(await refusal(ask(listId), registry), /D320 registry_error:.*certificate is not trusted.*Next:/s)
  assert.equal(registry.requests.length, 0)
})
