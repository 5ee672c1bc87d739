// Nobody gets in by accident: tokens and origins (E25).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { RawPeer, upgradeStatus } from './lib/raw.mjs'
import { call, connect, sdks } from './lib/sdks.mjs'

const own = { skip: needsOwnEngine }
const bearer = (token) => ({ authorization: `Bearer ${token}` })

async function channelPath(url, headers) {
  const peer = await RawPeer.open(url, { headers })
  const { result } = await peer.call('engine::channels::create', {})
  await peer.end()
  return `/ws/channels/${result.reader.channel_id}?key=${result.reader.access_key}&dir=read`
}

for (const [how, options] of [
  ['--token', { args: ['--token', 'open sesame please'] }],
  ['III_TOKEN', { env: { III_TOKEN: 'open sesame please' } }],
])
  test(`a token from ${how} is needed on every path`, own, async (t) => {
    const engine = await startEngine(options)
    t.after(() => engine.stop())
    const paths = ['/', '/otel', await channelPath(engine.url, bearer('open sesame please')), '/nowhere']
    for (const path of paths) {
      const at = engine.url + path
      assert.equal(await upgradeStatus(at), 401, `${path} without a token`)
      assert.equal(await upgradeStatus(at, bearer('open sesame pleas')), 401, `${path} with a shorter token`)
      assert.equal(await upgradeStatus(at, bearer('open sesame please!')), 401, `${path} with a longer token`)
      assert.equal(await upgradeStatus(at, { authorization: 'open sesame please' }), 401, `${path} without the word Bearer`)
      assert.equal(await upgradeStatus(at, bearer('open sesame please')), path === '/nowhere' ? 404 : 101, `${path} with the token`)
    }
    assert.equal(await upgradeStatus(`${engine.url}/?token=open%20sesame%20please`), 401, 'a token in the address does not count')
  })

test('a published SDK gets in with the token in its headers', own, async (t) => {
  const engine = await startEngine({ args: ['--token', 'sixteen-letters!'] })
  t.after(() => engine.stop())
  for (const version of ['0.22.1', '0.11.6']) {
    const worker = connect(t, sdks[version], engine.url, { headers: bearer('sixteen-letters!') })
    assert.ok(Array.isArray((await call(worker, 'engine::workers::list', {})).workers))
  }
})

test('the trigger command takes the token from III_TOKEN', own, async (t) => {
  const engine = await startEngine({ args: ['--token', 'sixteen-letters!'] })
  t.after(() => engine.stop())
  const args = ['trigger', 'directory::health', '--port', String(engine.port), '--timeout-ms', '20000']
  const inside = await run(directoryBin, args, { env: { III_TOKEN: 'sixteen-letters!' } })
  assert.equal(inside.code, 0, inside.stderr)
  assert.equal(JSON.parse(inside.stdout).status, 'ok')
  const outside = await run(directoryBin, args, { env: { III_TOKEN: '' } })
  assert.equal(outside.code, 1)
  assert.match(outside.stderr, /401|token/i)
})

test('the token is in no log and no process title', own, async (t) => {
  const engine = await startEngine({ env: { III_TOKEN: 'very-secret-word' } })
  t.after(() => engine.stop())
  await upgradeStatus(engine.url, bearer('very-wrong-word'))
  await upgradeStatus(engine.url, bearer('very-secret-word'))
  assert.doesNotMatch(engine.out.stderr + engine.out.stdout, /very-secret-word|very-wrong-word/)
})

test('a web page does not get in: an upgrade with an Origin is refused', own, async (t) => {
  const engine = await startEngine()
  t.after(() => engine.stop())
  const path = await channelPath(engine.url)
  for (const at of ['/', '/otel', path])
    for (const origin of ['http://evil.example', 'http://localhost', 'null', engine.url.replace('ws', 'http')])
      assert.equal(await upgradeStatus(engine.url + at, { origin }), 403, `${at} from ${origin}`)
  assert.equal(await upgradeStatus(engine.url), 101, 'without an Origin it is not a web page')
})

test('a configured origin gets in, and only that one', own, async (t) => {
  const engine = await startEngine({ args: ['--allow-origin', 'http://console.example:8080'] })
  t.after(() => engine.stop())
  assert.equal(await upgradeStatus(engine.url, { origin: 'http://console.example:8080' }), 101)
  for (const origin of ['http://console.example', 'https://console.example:8080', 'http://console.example:8080.evil.example'])
    assert.equal(await upgradeStatus(engine.url, { origin }), 403, origin)
})
