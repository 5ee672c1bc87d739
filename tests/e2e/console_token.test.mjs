// The token in a browser: asked for once, a cookie afterwards, nothing kept by the page; and pages of other origins, which can neither
// read nor act.
import assert from 'node:assert/strict'
import http from 'node:http'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { launch, openTab, startConsole, statuses } from './lib/browser.mjs'
import { skillFiles } from './lib/console_files.mjs'
import { needsOwnEngine } from './lib/engine.mjs'
import { deadlineMs } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const token = 'correct-horse-battery'

test('wrong, then right; the cookie is out of reach of scripts, and nothing else is kept', own, async (t) => {
  const server = await startConsole(t, { files: skillFiles, args: ['--token', token] })
  const page = await openTab(t, server.http, { allow: [statuses(401)] })
  await page.goto(`${server.http}/console/skills/database/query`)
  const sheet = page.locator('dialog.sheet')
  await sheet.getByText("Sign in with the server's token").waitFor()
  assert.doesNotMatch(await page.content(), /database\/types/)
  assert.equal(await page.locator('#link-text').textContent(), 'Not signed in')
  const dot = () => page.locator('#link i').evaluate((el) => getComputedStyle(el).backgroundColor)
  const before = await dot()
  await sheet.getByLabel('Token', { exact: true }).fill('wrong')
  await sheet.getByRole('button', { name: 'Sign in' }).click()
  await sheet.getByRole('alert').waitFor()
  await sheet.getByLabel('Token', { exact: true }).fill(token)
  await page.keyboard.press('Enter')
  await page.locator('.doc .h1', { hasText: 'Query a database' }).waitFor()
  await page.locator('body[data-link=live]').waitFor({ state: 'attached' })
  assert.notEqual(await dot(), before, 'the dot is green once one is let in')
  const [cookie] = await page.context().cookies()
  assert.equal(cookie.name, 'iii_console')
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Strict', '/console'])
  assert.ok(!cookie.value.includes(token))
  assert.equal(await page.evaluate(() => document.cookie), '')
  assert.deepEqual(await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)]), [[], []])
  assert.ok(!page.url().includes(token))
  // Snippets name the variable, never the token.
  await page.visit('connect/cursor')
  await page.locator('.steps pre', { hasText: 'III_TOKEN' }).waitFor()
  assert.doesNotMatch(await page.content(), new RegExp(token))
  // A reload needs no token, another profile does.
  await page.reload()
  await page.locator('.steps').waitFor()
  const other = await openTab(t, server.http, { allow: [statuses(401)] })
  await other.goto(`${server.http}/console/`)
  await other.getByText("Sign in with the server's token").waitFor()
})

test('wrong ones keep nobody out who has the right one', own, async (t) => {
  const server = await startConsole(t, { files: skillFiles, args: ['--token', token] })
  const page = await openTab(t, server.http, { allow: [statuses(401)] })
  await page.goto(`${server.http}/console/`)
  const sheet = page.locator('dialog.sheet')
  for (let i = 0; i < 6; i++) {
    await sheet.getByLabel('Token', { exact: true }).fill(`wrong ${i}`)
    const answered = page.waitForResponse('**/console/session')
    await sheet.getByRole('button', { name: 'Sign in' }).click()
    const status = (await answered).status()
    assert.equal(status, 401)
    // By then the page has emptied the field, which it would otherwise do to the next token.
    await sheet.getByRole('button', { name: 'Sign in', disabled: false }).waitFor()
  }
  await sheet.getByLabel('Token', { exact: true }).fill(token)
  await sheet.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('body[data-link=live]').waitFor({ state: 'attached' })
})

test('a session that ended asks again, and goes on where it was', own, async (t) => {
  const server = await startConsole(t, { files: skillFiles, args: ['--token', token] })
  const page = await openTab(t, server.http, { allow: [statuses(401)] })
  await page.goto(`${server.http}/console/doctor`)
  await page.getByLabel('Token', { exact: true }).fill(token)
  await page.keyboard.press('Enter')
  await page.locator('.item').first().waitFor()
  await page.context().clearCookies()
  // A script clicks: the page may have asked something by itself meanwhile, and then the sheet is already above the link.
  await page.locator('#rooms a', { hasText: 'Prompts' }).evaluate((link) => link.click())
  await page.getByText("Sign in with the server's token").waitFor()
  await page.getByLabel('Token', { exact: true }).fill(token)
  await page.keyboard.press('Enter')
  await page.locator('.msg').waitFor()
  await page.locator('body[data-link=live]').waitFor({ state: 'attached' })
})

/** A page of another origin that tries everything a page can, and writes down what came of it. */
const attack = (target) => `<!doctype html><title>attack</title><script>
(async () => {
  const out = {}
  const t = ${JSON.stringify(target)}
  const attempt = async (name, act) => { try { out[name] = String(await act()) } catch (e) { out[name] = 'refused' } }
  const post = (path, headers, body, more) => fetch(t + path, { method: 'POST', headers, body, credentials: 'include', ...more }).then(async (r) => r.status + ' ' + await r.text())
  const call = JSON.stringify({ function_id: 'directory::skills::remove', payload: { namespace: 'mail' }, confirmed: true })
  await attempt('read page', () => fetch(t + '/console/', { credentials: 'include' }).then((r) => r.text()))
  await attempt('read boot', () => fetch(t + '/console/boot', { credentials: 'include' }).then((r) => r.text()))
  await attempt('read events', () => new Promise((yes, no) => { const e = new EventSource(t + '/console/events', { withCredentials: true }); e.onmessage = e.onopen = () => yes('open'); e.onerror = no }))
  await attempt('call as json', () => post('/console/call', { 'content-type': 'application/json', 'x-console': '1' }, call))
  await attempt('call as text', () => post('/console/call', { 'content-type': 'text/plain' }, call))
  await attempt('call blind', () => post('/console/call', { 'content-type': 'text/plain' }, call, { mode: 'no-cors' }))
  await attempt('script', () => new Promise((yes, no) => { const s = document.createElement('script'); s.src = t + '/console/boot'; s.onload = () => yes('loaded'); s.onerror = no; document.head.append(s) }))
  await attempt('frame', () => new Promise((yes) => { const f = document.createElement('iframe'); f.src = t + '/console/'; f.onload = () => { try { yes(f.contentDocument ? f.contentDocument.title : 'opaque') } catch { yes('opaque') } }; document.body.append(f) }))
  const form = document.createElement('form'); form.method = 'post'; form.action = t + '/console/session'; form.enctype = 'text/plain'; form.target = 'w'; document.body.append(form)
  window.result = out
})()
</script><body></body>`

test('a page of another origin can neither read nor act', own, async (t) => {
  const server = await startConsole(t, { files: skillFiles })
  const evil = http.createServer((request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(attack(server.http)))
  await new Promise((resolve) => evil.listen(0, '127.0.0.1', resolve))
  t.after(() => evil.close() && evil.closeAllConnections())
  const context = await (await launch()).newContext()
  t.after(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(deadlineMs)
  // Another port of the same host is another origin of the same site: the harder case for cookies.
  for (const host of ['127.0.0.1', 'localhost']) {
    await page.goto(`http://${host}:${evil.address().port}/`)
    await page.waitForFunction(() => window.result)
    const got = await page.evaluate(() => window.result)
    for (const name of ['read page', 'read boot', 'read events', 'call as json', 'call as text', 'script'])
      assert.equal(got[name], 'refused', `${name} from ${host}: ${got[name]}`)
    assert.notEqual(got.frame, 'iii-directory')
    assert.ok(existsSync(join(server.root, 'mail', 'SKILL.md')))
  }
})

test('a name that is rebound to this address is not answered', own, async (t) => {
  const server = await startConsole(t, { files: skillFiles })
  const { port } = new URL(server.http)
  const status = await new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: '/console/', headers: { host: `evil.example:${port}` } }, (response) =>
        resolve(response.resume().statusCode),
      )
      .on('error', reject)
  })
  assert.equal(status, 403)
})
