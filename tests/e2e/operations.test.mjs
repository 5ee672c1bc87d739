// What an operator measures and changes while the server runs: health, metrics, statistics, the log level.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { request } from './lib/http.mjs'
import { directoryBin, run, start } from './lib/process.mjs'
import { pythonWithPackages } from './lib/python.mjs'
import { RawPeer } from './lib/raw.mjs'
import { callable, connect, sdks, unique } from './lib/sdks.mjs'
import { eventually, within } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const sdk = sdks['0.22.1']
const script = fileURLToPath(new URL('../drivers/parse_metrics.py', import.meta.url))
const dashboardFile = fileURLToPath(new URL('../../packaging/grafana-dashboard.json', import.meta.url))

async function serveWith(t, args = [], options = {}) {
  const engine = await startEngine({ args, ...options })
  t.after(() => engine.stop())
  return engine
}

async function call(peer, id, payload = {}) {
  const { result, error } = await peer.call(id, payload)
  assert.equal(error, undefined, JSON.stringify(error))
  return result
}

/** The families of a scrape, as a parser of Prometheus reads them. */
async function scrape(engine, headers = {}) {
  const answer = await request(`${engine.http}/metrics`, { headers })
  assert.equal(answer.status, 200, answer.body)
  assert.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  const python = await pythonWithPackages()
  const parser = start(python, [script], { input: answer.body })
  const { code, stdout, stderr } = await within(parser.exit, 'the parser', 60_000)
  assert.equal(code, 0, stderr)
  const families = JSON.parse(stdout)
  families.value = (name, labels = {}) => {
    const family = families[name.replace(/_(total|bucket|sum|count)$/, '')] ?? families[name]
    assert.ok(family, `no family ${name}`)
    const fits = (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value)
    return family.samples.find(fits)?.value
  }
  return families
}

test('live, ready, and not ready when nothing is stored any more; without a token', own, async (t) => {
  const engine = await serveWith(t, ['--token', 'sixteen-letters!'])
  for (const path of ['/healthz', '/healthz/live', '/healthz/ready']) {
    const answer = await request(engine.http + path)
    assert.equal(answer.status, 200, path)
    assert.deepEqual(JSON.parse(answer.body), { status: 'ok' })
  }
  const peer = await RawPeer.open(engine.url, { headers: { authorization: 'Bearer sixteen-letters!' } })
  // The index of skills may be written there meanwhile.
  rmSync(engine.data, { recursive: true, maxRetries: 5 })
  const { error } = await peer.call('state::set', { scope: 's', key: 'k', value: 1 })
  assert.ok(error)
  const answer = await request(`${engine.http}/healthz/ready`)
  assert.equal(answer.status, 503)
  assert.equal(JSON.parse(answer.body).status, 'degraded')
  assert.match(JSON.parse(answer.body).reason, /not stored/)
  assert.equal((await request(`${engine.http}/healthz/live`)).status, 200)
  await peer.end()
})

test('ready again by itself when the data folder is back', own, async (t) => {
  const engine = await serveWith(t, ['--engine-only'])
  const peer = await RawPeer.open(engine.url)
  const away = `${engine.data}-away`
  renameSync(engine.data, away)
  const { error } = await peer.call('state::set', { scope: 's', key: 'k', value: 1 })
  assert.match(error.message, /Next: put the folder back\./)
  assert.equal((await request(`${engine.http}/healthz/ready`)).status, 503)
  renameSync(away, engine.data)
  await eventually('ready without another write', async () => (await request(`${engine.http}/healthz/ready`)).status === 200)
  await peer.end()
})

test('not ready while a folder of skills is gone, ready again when it is back', own, async (t) => {
  const root = join(tempDir(), 'skills')
  const engine = await serveWith(t, ['--skills', root], { env: { HOME: tempDir() } })
  const ready = () => request(`${engine.http}/healthz/ready`)
  assert.equal((await ready()).status, 200, 'a folder that nobody has made yet')
  mkdirSync(root)
  assert.equal((await ready()).status, 200)
  renameSync(root, `${root}-away`)
  const answer = await ready()
  assert.equal(answer.status, 503)
  assert.deepEqual(JSON.parse(answer.body), { status: 'degraded', reason: 'the global folder does not exist any more' })
  const peer = await RawPeer.open(engine.url)
  const health = await call(peer, 'directory::health')
  assert.equal(health.status, 'degraded')
  assert.equal(health.problem, 'the global folder does not exist any more')
  renameSync(`${root}-away`, root)
  assert.equal((await ready()).status, 200)
  assert.equal((await call(peer, 'directory::health')).status, 'ok')
  await peer.end()
})

test('the unit reloads the server with nothing but a shell', own, async (t) => {
  const unit = readFileSync(new URL('../../packaging/iii-directory.service', import.meta.url), 'utf8')
  const [, program, script] = unit.match(/^ExecReload=(\S+) -c '(.*)'$/m)
  assert.equal(program, '/bin/sh', 'what every system has')
  const engine = await serveWith(t, [], { env: { HOME: tempDir() } })
  const end = await run(program, ['-c', script], { env: { MAINPID: String(engine.child.pid), PATH: '/nonexistent' } })
  assert.equal(end.code, 0, end.stderr)
  await engine.printed('stderr', /configuration read again/)
})

test('an engine alone is ready and measured, too', own, async (t) => {
  const engine = await serveWith(t, ['--engine-only'])
  assert.equal((await request(`${engine.http}/healthz/ready`)).status, 200)
  const families = await scrape(engine)
  assert.equal(families.value('iii_build_info', { mode: 'engine' }), 1)
  assert.equal(families.iii_directory_skills, undefined)
})

test('/metrics is what Prometheus reads, and needs the token', own, async (t) => {
  const engine = await serveWith(t, ['--token', 'sixteen-letters!'])
  assert.equal((await request(`${engine.http}/metrics`)).status, 401)
  const headers = { authorization: 'Bearer sixteen-letters!' }
  const peer = await RawPeer.open(engine.url, { headers })
  for (let i = 0; i < 5; i++) await call(peer, 'state::set', { scope: 's', key: `k${i}`, value: i })
  await peer.call('state::set', { scope: 5 })
  await peer.call('there::is-none "\\\n', {})
  const families = await scrape(engine, headers)
  const f = { function: 'state::set', namespace: 'default' }
  assert.equal(families.value('iii_function_calls_total', f), 6)
  assert.equal(families.value('iii_function_errors_total', f), 1)
  assert.equal(families.value('iii_function_duration_seconds_count', f), 6)
  assert.equal(families.value('iii_function_duration_seconds_bucket', { ...f, le: '+Inf' }), 6)
  assert.ok(families.value('iii_function_duration_seconds_sum', f) > 0)
  assert.equal(families.value('iii_call_errors_total', { code: 'function_not_found' }), 1)
  assert.equal(families.value('iii_call_errors_total', { code: 'deserialization_error' }), 1)
  assert.equal(families.value('iii_connections'), 2)
  assert.equal(families.value('iii_store_ok'), 1)
  assert.ok(families.value('iii_calls_total') >= 7)
  assert.ok(families.value('iii_directory_skills') >= 2)
  assert.ok(families.value('process_resident_memory_bytes') > 1e6)
  assert.ok(families.value('process_open_fds') > 5)
  assert.ok(Math.abs(families.value('process_start_time_seconds') - Date.now() / 1000) < 120)
  await peer.end()
})

test('every metric of the dashboard is exported', own, async (t) => {
  const engine = await serveWith(t)
  const families = await scrape(engine)
  const exported = new Set(Object.values(families).flatMap((family) => (family.samples ?? []).map((sample) => sample.name)))
  for (const [name, { type }] of Object.entries(families)) if (type === 'counter') exported.add(`${name}_total`)
  const dashboard = JSON.parse(readFileSync(dashboardFile, 'utf8'))
  const expressions = dashboard.panels.flatMap((panel) => (panel.targets ?? []).map((target) => target.expr))
  assert.ok(expressions.length > 10)
  const used = new Set(expressions.flatMap((text) => text.match(/\b(iii|process)_\w+/g) ?? []))
  assert.ok(used.size > 10)
  for (const name of used) assert.ok(exported.has(name), `${name} is not exported`)
  for (const panel of dashboard.panels) for (const target of panel.targets ?? []) assert.equal(target.datasource?.uid ?? panel.datasource.uid, '${datasource}')
})

test('engine::stats and directory::stats follow calls', own, async (t) => {
  const engine = await serveWith(t)
  const id = unique('f')
  const worker = connect(t, sdk, engine.url, { workerName: 'counted' })
  sdk.registerFunction(worker, id, async ({ bad }) => {
    if (bad) throw new Error('bad')
    return 1
  })
  await callable(worker, id)
  const peer = await RawPeer.open(engine.url)
  const before = (await call(peer, 'engine::stats', { functions: id })).functions[0]?.calls ?? 0
  for (let i = 0; i < 10; i++) await call(peer, id, {})
  await peer.call(id, { bad: true })
  const seen = await eventually('the second of the calls is over', async () => {
    const stats = await call(peer, 'engine::stats', { functions: id, window: 300 })
    const calls = stats.samples.reduce((sum, sample) => sum + sample.calls, 0)
    return calls >= 11 + before && stats.functions[0].points.some((point) => point > 0) && stats
  })
  const [row] = seen.functions
  assert.equal(row.calls, before + 11)
  assert.equal(row.errors, 1)
  assert.equal(row.points.length, 40)
  assert.ok(row.rate > 0 && row.p50_ms > 0 && row.p99_ms >= row.p50_ms)
  assert.ok(seen.samples.every(({ at }, i) => i === 0 || at > seen.samples[i - 1].at))
  assert.ok(Math.abs(seen.at - Date.now()) < 60_000)
  const stats = await call(peer, 'directory::stats', {})
  assert.equal(stats.mode, 'serve')
  assert.ok(stats.bus.calls >= 11 && stats.bus.connections >= 3)
  assert.equal(stats.mcp.sessions, 0)
  assert.ok(stats.rss_bytes > 1e6)
  assert.deepEqual(stats.downloads, { running: 0, waiting: 0, done: 0, failed: 0 })
  await peer.end()
})

test('the log level is changed by a function, and by the configuration', own, async (t) => {
  const folder = tempDir()
  const file = join(folder, 'iii-directory.yaml')
  writeFileSync(file, 'log_level: warn\n')
  const engine = await serveWith(t, ['--config', file])
  const peer = await RawPeer.open(engine.url)
  assert.deepEqual(await call(peer, 'directory::log-level'), { level: 'warn' })
  assert.deepEqual(await call(peer, 'directory::log-level', { level: 'debug' }), { level: 'debug', before: 'warn' })
  await peer.call('there::is-none', {})
  await engine.printed('stderr', /debug a call of there::is-none by worker .* is refused: function_not_found/)
  const { error } = await peer.call('directory::log-level', { level: 'loud' })
  assert.equal(error.code, 'invalid_level')
  assert.equal((await run(directoryBin, ['config', 'set', 'log_level', 'error', '--config', file])).code, 0)
  engine.child.kill('SIGHUP')
  await eventually('the new level', async () => (await call(peer, 'directory::log-level')).level === 'error')
  assert.equal((await run(directoryBin, ['config', 'set', 'log_level', 'loud', '--config', file])).code, 2)
  await peer.end()
})
