// The console of `serve`: who may read and act, for every address; the page and its files; the token.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import http from 'node:http'
import { serveConsole } from './lib/console.mjs'
import { needsOwnEngine } from './lib/engine.mjs'
import { raw, request } from './lib/http.mjs'
import { upgradeStatus } from './lib/raw.mjs'

const own = { skip: needsOwnEngine }

const health = JSON.stringify({ function_id: 'directory::health' })
/** Every address; `status` is that of a request of the page itself. */
const reads = [
  { method: 'GET', path: '/console/boot', status: 200 },
  { method: 'GET', path: '/console/events', status: 200 },
]
const acts = [
  { method: 'POST', path: '/console/call', body: health, status: 200 },
  { method: 'POST', path: '/console/cancel', body: '{"job":"x"}', status: 404 },
  { method: 'POST', path: '/console/session', body: '{"token":"x"}', status: 400 },
  { method: 'DELETE', path: '/console/session', status: 204 },
]
const pages = ['/console', '/console/', '/console/skills/a/b?tab=source'].map((path) => ({ method: 'GET', path, status: 200 }))
const everything = [...pages, ...reads, ...acts]
const label = ({ method, path }) => `${method} ${path}`

/** The status alone: a stream is not waited for. */
function status(base, { method, path, body }, headers) {
  return new Promise((resolve, reject) => {
    const message = http.request(base + path, { method, headers, agent: false }, (response) => {
      resolve({ status: response.statusCode, headers: response.headers })
      message.destroy()
    })
    message.on('error', reject)
    message.end(body)
  })
}

const without = (headers, name) => Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))

test('a page of another origin can neither read nor act, whatever --allow-origin says', own, async (t) => {
  const site = await serveConsole(t, ['--allow-origin', 'https://app.example'])
  for (const origin of ['https://app.example', 'http://evil.example']) {
    const { message } = await site.call('directory::doctor', {}, {}, { origin })
    assert.match(message, /open its own page/)
    assert.doesNotMatch(message, /with --allow-origin/, 'that would not help here')
  }
  const { port } = new URL(site.base)
  for (const address of everything) {
    assert.equal((await status(site.base, address, site.own)).status, address.status, label(address))
    for (const origin of [
      'http://evil.example',
      'null',
      `http://127.0.0.1:${Number(port) + 1}`,
      'https://app.example',
      `https://127.0.0.1:${port}`,
    ]) {
      const answer = await status(site.base, address, { ...site.own, origin })
      assert.equal(answer.status, 403, `${label(address)} from ${origin}`)
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
      const asked = await status(
        site.base,
        { ...address, method: 'OPTIONS', body: undefined },
        { origin, 'access-control-request-method': address.method },
      )
      assert.equal(asked.status, 403, `preflight of ${label(address)} from ${origin}`)
      assert.equal(asked.headers['access-control-allow-methods'], undefined)
    }
    // Without an Origin: an image, a script or a form of another site.
    for (const site_ of ['cross-site', 'same-site']) {
      const headers = { ...without(site.own, 'origin'), 'sec-fetch-site': site_, 'sec-fetch-mode': 'no-cors' }
      assert.equal((await status(site.base, address, headers)).status, 403, `${label(address)} ${site_}`)
    }
  }
})

test('no name but that of this machine is answered (DNS rebinding)', own, async (t) => {
  const site = await serveConsole(t)
  for (const address of everything)
    for (const host of ['evil.example', 'localhost.evil.example', '192.168.0.1'])
      assert.equal(
        (await status(site.base, address, { ...site.own, host, origin: `http://${host}` })).status,
        403,
        `${label(address)} as ${host}`,
      )
  const { port } = new URL(site.base)
  const named = { ...site.own, host: `localhost:${port}`, origin: `http://localhost:${port}` }
  for (const address of everything) assert.equal((await status(site.base, address, named)).status, address.status, label(address))
})

test('only a script of the page itself acts: Origin, X-Console, JSON', own, async (t) => {
  const site = await serveConsole(t)
  for (const address of acts) {
    const refused = async (headers, expected, why) =>
      assert.equal((await status(site.base, address, headers)).status, expected, `${label(address)}: ${why}`)
    await refused(without(site.own, 'origin'), 403, 'no Origin')
    await refused(without(site.own, 'x-console'), 403, 'no X-Console')
    await refused({ ...site.own, 'sec-fetch-site': 'none' }, 403, 'Sec-Fetch-Site: none')
    await refused(without(site.own, 'sec-fetch-site'), address.status, 'an older browser')
    if (address.method === 'DELETE') continue
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      await refused({ ...site.own, 'content-type': type }, 415, type)
    await refused(without(site.own, 'content-type'), 415, 'no type')
  }
  // No GET does what a POST does.
  for (const path of ['/console/call', '/console/cancel', '/console/session'])
    assert.equal((await site.get(path, site.own)).status, 405, path)
})

test('another site may link to the page, and show or load it in no other way', own, async (t) => {
  const site = await serveConsole(t)
  const from = (mode, dest) => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest })
  assert.equal((await site.get('/console/skills', from('navigate', 'document'))).status, 200)
  for (const [mode, dest] of [
    ['navigate', 'iframe'],
    ['no-cors', 'script'],
    ['no-cors', 'image'],
    ['cors', 'empty'],
  ])
    assert.equal((await site.get('/console/skills', from(mode, dest))).status, 403, `${mode} ${dest}`)
})

test('the security headers are on every answer', own, async (t) => {
  const site = await serveConsole(t)
  const answers = [
    ...(await Promise.all(everything.map((address) => status(site.base, address, site.own)))),
    await status(site.base, everything[0], { origin: 'http://evil.example' }),
    await status(site.base, { method: 'PUT', path: '/console/call' }, site.own),
    await status(site.base, { method: 'GET', path: '/console/assets/none/app.js' }, {}),
    await status(site.base, { method: 'POST', path: '/console/call', body: 'x' }, { ...site.own, 'content-length': '5000000' }).catch(
      () => undefined,
    ),
  ].filter(Boolean)
  for (const { headers, status: code } of answers) {
    assert.match(headers['content-security-policy'], /default-src 'none'; script-src 'self'/, String(code))
    assert.match(headers['content-security-policy'], /require-trusted-types-for 'script'/)
    assert.match(headers['content-security-policy'], /frame-ancestors 'none'/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.match(headers['permissions-policy'], /camera=\(\)/)
  }
})

test('the page has its data; its files are immutable, compressed and named by their digest', own, async (t) => {
  const site = await serveConsole(t)
  const page = await site.get('/console/')
  const boot = JSON.parse(page.body.match(/id="boot">(.*?)<\/script>/s)[1])
  assert.equal(boot.mode, 'serve')
  assert.equal(boot.address, new URL(site.base).host)
  assert.equal(boot.ws, site.engine.url)
  assert.equal(boot.token_required, false)
  assert.ok(boot.counts.functions > 10)
  assert.deepEqual(
    boot.roots.map(({ root }) => root),
    ['local', 'global', 'builtin'],
  )
  assert.ok(!page.body.includes(site.home), 'no path of this machine')
  const { uptime_s, ...same } = boot
  const { uptime_s: later, ...again } = JSON.parse((await site.get('/console/boot')).body)
  assert.deepEqual(again, same)

  const paths = [...page.body.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path)
  assert.ok(paths.length >= 3)
  for (const path of paths) {
    const plain = await site.get(path)
    assert.equal(plain.status, 200, path)
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(plain.headers['content-encoding'], undefined)
    const packed = await new Promise((resolve) =>
      http.get(site.base + path, { headers: { 'accept-encoding': 'gzip' } }, async (response) => {
        const pieces = []
        for await (const piece of response) pieces.push(piece)
        resolve({ headers: response.headers, bytes: Buffer.concat(pieces) })
      }),
    )
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(packed.bytes).toString(), plain.body, path)
    const known = { 'accept-encoding': 'gzip', 'if-none-match': packed.headers.etag }
    assert.equal((await site.get(path, known)).status, 304)
    assert.equal((await site.get(path.replace(/assets\/[0-9a-f]+/, 'assets/0000000000000000'))).status, 404)
  }
  assert.equal((await site.get(paths[0].replace(/[^/]+$/, 'index.html'))).status, 404)
})

test('the page is not sent again while nothing has changed', own, async (t) => {
  const site = await serveConsole(t)
  const first = await site.get('/console/skills', { 'accept-encoding': 'gzip' })
  assert.equal(first.headers['content-encoding'], 'gzip')
  assert.equal(first.headers['cache-control'], 'private, no-cache')
  const known = { 'accept-encoding': 'gzip', 'if-none-match': first.headers.etag }
  assert.equal((await site.get('/console/skills', known)).status, 304)
  const stream = await site.listen()
  site.skill('new/SKILL.md', 'Something new.')
  await stream.next('change')
  stream.close()
  assert.equal((await site.get('/console/skills', known)).status, 200)
})

test('a browser that is sent to the server finds the page; --no-console has none', own, async (t) => {
  const site = await serveConsole(t)
  const answer = await site.get('/', { accept: 'text/html,*/*;q=0.8' })
  assert.equal(answer.status, 302)
  assert.equal(answer.headers.location, '/console/')
  assert.equal((await site.get('/', { accept: 'application/json' })).status, 404)
  for (const args of [['--no-console'], ['--engine-only']]) {
    const bare = await serveConsole(t, args)
    for (const path of ['/', '/console', '/console/', '/console/boot'])
      assert.equal((await bare.get(path, { accept: 'text/html' })).status, 404, path)
    assert.equal((await bare.get('/healthz')).status, 200)
  }
})

test('with a token: nothing without it, a cookie for it, for this page alone', own, async (t) => {
  const site = await serveConsole(t, ['--token', 'open sesame please'])
  const secured = [...reads, ...acts.slice(0, 2)]
  for (const address of secured) {
    for (const headers of [{}, { cookie: 'iii_console=' }, { cookie: 'iii_console=x' }, { authorization: 'Bearer open' }])
      assert.equal((await status(site.base, address, { ...site.own, ...headers })).status, 401, label(address))
    assert.equal(
      (await status(site.base, address, { ...site.own, authorization: 'Bearer open sesame please' })).status,
      address.status,
      label(address),
    )
  }
  const bootOf = (page) => JSON.parse(page.body.match(/id="boot">(.*?)<\/script>/s)[1])
  const locked = await site.get('/console/')
  assert.deepEqual(Object.keys(bootOf(locked)).sort(), ['session', 'token_required', 'version'])

  const answer = await site.send('POST', '/console/session', { token: 'open sesame please' })
  assert.equal(answer.status, 204)
  const [text] = answer.headers['set-cookie']
  assert.match(text, /^iii_console=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=\/console; Max-Age=43200$/)
  const cookie = text.split(';')[0]
  for (const address of secured)
    assert.equal((await status(site.base, address, { ...site.own, cookie })).status, address.status, label(address))
  const open = await site.get('/console/', { cookie, 'if-none-match': locked.headers.etag })
  assert.equal(bootOf(open).session, true)
  assert.equal((await site.get('/console/boot', { cookie: `a=b; ${cookie}; c=d` })).status, 200)
  // It opens nothing else.
  assert.equal(
    (await request(`${site.base}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json', cookie }, body: '{}' })).status,
    401,
  )
  // A page of another origin that has the browser send the cookie.
  for (const address of secured)
    assert.equal((await status(site.base, address, { ...site.own, cookie, origin: 'http://evil.example' })).status, 403, label(address))

  const stream = await site.listen({ cookie })
  const ended = await site.send('DELETE', '/console/session', undefined, { cookie })
  assert.equal(ended.status, 204)
  assert.match(ended.headers['set-cookie'][0], /^iii_console=; .*Max-Age=0$/)
  assert.equal((await site.get('/console/boot', { cookie })).status, 401)
  await stream.ended.promise
  assert.ok(!site.engine.out.stderr.includes('sesame'), 'the token is not in the log')
})

test('over TLS, which a proxy speaks, the cookie is Secure', own, async (t) => {
  const site = await serveConsole(t, ['--token', 'sixteen-letters!', '--allow-origin', 'https://box.example'])
  const through = { host: 'box.example', origin: 'https://box.example' }
  const answer = await site.send('POST', '/console/session', { token: 'sixteen-letters!' }, through)
  assert.equal(answer.status, 204)
  assert.match(answer.headers['set-cookie'][0], /; Secure$/)
})

test('wrong tokens are answered later and later, the right one at once, from the same address', own, async (t) => {
  const site = await serveConsole(t, ['--token', 'sixteen-letters!'])
  const attempt = (token) => site.send('POST', '/console/session', { token })
  assert.equal((await attempt('sixteen-letters!')).status, 204)
  for (let i = 0; i < 5; ++i) assert.equal((await attempt(`wrong ${i}`)).status, 401)
  // Each of these waits for longer than the one before, on every face of the server.
  const page = { authorization: 'Bearer wrong', accept: 'text/html' }
  const order = []
  const mark = (name, answer) => answer.then((got) => (order.push(name), got.status ?? got))
  const slow = [
    mark('sign-in', attempt('wrong again')),
    mark('call', site.send('POST', '/console/call', {}, { authorization: 'Bearer wrong' })),
    mark('page', site.get('/console/', page)),
    mark('mcp', request(`${site.base}/mcp`, { method: 'POST', headers: { authorization: 'Bearer wrong' }, body: '{}' })),
    mark('bus', upgradeStatus(site.engine.url, { authorization: 'Bearer wrong' })),
  ]
  assert.equal(await mark('right', attempt('sixteen-letters!')), 204)
  assert.deepEqual(await Promise.all(slow), [401, 401, 401, 401, 401])
  assert.notEqual(order.at(-1), 'right')
  assert.equal((await site.get('/console/boot', { authorization: 'Bearer sixteen-letters!' })).status, 200)
  for (const body of ['', '[]', '{}', '{"token":5}', 'x'])
    assert.equal((await site.send('POST', '/console/session', body)).status, 400, body)
})

test('requests below HTTP: no Host, two Origins, a path that climbs', own, async (t) => {
  const site = await serveConsole(t)
  const { port, host } = new URL(site.base)
  const head = (lines) => `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`
  const post = ['POST /console/call HTTP/1.1', `Host: ${host}`, 'X-Console: 1', 'Content-Type: application/json', 'Content-Length: 2']
  assert.match(await raw(port, `${head([...post, `Origin: ${site.base}`, 'Origin: http://evil.example'])}{}`), /^HTTP\/1\.1 403 /)
  assert.match(await raw(port, `${head(post.filter((line) => !line.startsWith('Host')))}{}`), /^HTTP\/1\.1 4/)
  assert.match(await raw(port, head(['GET /console/../etc/passwd HTTP/1.1', `Host: ${host}`])), /^HTTP\/1\.1 200 [^]*id="boot"/)
  assert.match(await raw(port, head(['GET /console%2fboot HTTP/1.1', `Host: ${host}`])), /^HTTP\/1\.1 404 /)
  assert.match(await raw(port, head([`GET http://evil.example/console/boot HTTP/1.1`, `Host: ${host}`])), /^HTTP\/1\.1 40[03] /)
})
