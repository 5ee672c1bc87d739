// The server goes away and comes back: what was read stays, a countdown runs, one attempt resumes what was missed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTab, refusedConnections, startConsole, statuses } from './lib/browser.mjs'
import { skillFiles } from './lib/console_files.mjs'
import { put, putAtomically } from './lib/directory.mjs'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
import { request } from './lib/http.mjs'
import { eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const allow = [refusedConnections, statuses(503, 422)]

async function begin(t) {
  const server = await startConsole(t, { files: skillFiles })
  const page = await openTab(t, server.http, { allow })
  const again = async () => {
    const next = await startEngine({
      port: server.port,
      data: server.data,
      args: ['--config', server.file, '--http-port', new URL(server.http).port],
      env: { HOME: server.home },
    })
    t.after(() => next.stop())
    return next
  }
  return { server, page, again }
}

const link = (page) => page.locator('#link-text')
/** What has been published, and so told. */
const generation = async (server) => JSON.parse((await request(`${server.http}/console/boot`)).body).generation

test('read on while it is away; it comes back by itself, as another process', own, async (t) => {
  const { server, page, again } = await begin(t)
  await page.clock.install()
  await page.visit('skills/database/query')
  await page.locator('.doc .h1').waitFor()
  await server.stop()
  await link(page)
    .filter({ hasText: /Server away\. This is generation \d+\. Next try in \d+ s\./ })
    .waitFor()
  assert.equal(await page.locator('.doc .h1').textContent(), 'Query a database')
  const tries = new Set()
  page.on('request', (each) => each.url().endsWith('/console/events') && tries.add(each))
  page.on('requestfailed', (each) => tries.delete(each))
  // What needs the server says so, where it was asked for.
  await page.locator('#rooms a', { hasText: 'Doctor' }).click()
  await page.getByText('The server is away').waitFor()
  await page.goBack()
  await page.locator('.win .row').first().waitFor()
  put(server.root, 'mail/meanwhile.md', '# Meanwhile\n\nWritten while it was away.\n')
  // The countdown stands still, so that the page does not find the server before the click.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000)
  await page.getByRole('button', { name: 'Try now' }).waitFor()
  await eventually('no try is under way', () => tries.size === 0)
  await again()
  await page.getByRole('button', { name: 'Try now' }).click()
  await page.clock.resume()
  await link(page)
    .filter({ hasText: new URL(server.http).host })
    .waitFor()
  await page.getByLabel('Search skills').fill('meanwhile')
  await eventually(
    'what was written meanwhile is there',
    async () => (await page.locator('.win .row .id').first().textContent()) === 'mail/meanwhile',
  )
  assert.equal(await page.locator('.win .row').count(), 1)
})

test('the countdown gets longer, and reaches the server without a hand', own, async (t) => {
  const { server, page, again } = await begin(t)
  await page.visit('changes')
  await page.locator('.scrub .legend').waitFor()
  await server.stop()
  const seconds = async () => Number(/in (\d+) s/.exec(await link(page).textContent())?.[1])
  await eventually('the first wait', async () => (await seconds()) >= 1)
  await eventually('a longer one', async () => (await seconds()) >= 3)
  // Without a limit of its own: what is waited for below comes first.
  const reread = page.waitForResponse((response) => response.request().postData()?.includes('directory::changes'), { timeout: 0 })
  await again()
  await link(page)
    .filter({ hasText: new URL(server.http).host })
    .waitFor()
  assert.equal(await page.locator('body').getAttribute('data-link'), 'live')
  // The room reads everything again; what it reads must not have the change that is told as well.
  await reread
  await page.locator('.feed:not([aria-busy])').waitFor()
  putAtomically(server.root, 'mail/later.md', '# Later\n\nText.\n')
  await page.locator('.gen .mono', { hasText: 'mail/later' }).waitFor()
  assert.equal(await page.locator('.gen .mono', { hasText: 'mail/later' }).count(), 1)
})

test('a stream that breaks resumes from the change log; nothing is lost or doubled', own, async (t) => {
  const { server, page } = await begin(t)
  // The browser loses its network; the server stays.
  await page.visit('changes')
  await page.locator('.scrub .legend').waitFor()
  await page.context().setOffline(true)
  await page.evaluate(() => fetch('/console/boot').catch(() => {}))
  await page.locator('#rooms a', { hasText: 'Prompts' }).click()
  await link(page).filter({ hasText: 'Server away' }).waitFor()
  const before = await generation(server)
  putAtomically(server.root, 'mail/unseen.md', '# Unseen\n\nText.\n')
  await eventually('it happens while nobody listens', async () => (await generation(server)) === before + 1)
  await page.context().setOffline(false)
  await link(page)
    .filter({ hasText: new URL(server.http).host })
    .waitFor()
  // It has been told, too, before the room reads it.
  await page.locator('#gen', { hasText: new RegExp(`^generation ${before + 1}$`) }).waitFor()
  await page.locator('#rooms a', { hasText: 'Changes' }).click()
  await page.locator('.gen .mono', { hasText: 'mail/unseen' }).waitFor()
  assert.equal(await page.locator('.gen .mono', { hasText: 'mail/unseen' }).count(), 1)
})

test('many tabs: four listen, the others say so, and all of them can ask', own, async (t) => {
  const server = await startConsole(t, { files: skillFiles })
  const options = { allow: [...allow, statuses(429)] }
  const first = await openTab(t, server.http, options)
  await first.visit('skills')
  const tabs = [first]
  for (let i = 0; i < 7; i++) {
    // Of the same profile: they share the six connections that the browser opens to one host.
    const tab = await first.context().newPage()
    await tab.goto(`${server.http}/console/skills`)
    tabs.push(tab)
  }
  for (const tab of tabs) await tab.locator('.win .row:not(.wait)').first().waitFor()
  await eventually('four have a stream', async () => {
    const states = await Promise.all(tabs.map((tab) => tab.locator('body').getAttribute('data-link')))
    return states.filter((state) => state === 'live').length === 4 && !states.includes('connecting')
  })
  await tabs
    .at(-1)
    .locator('#link-text', { hasText: /^Too many consoles are open/ })
    .waitFor()
  await tabs.at(-1).getByLabel('Search skills').fill('resize')
  await tabs.at(-1).locator('.win .row .id', { hasText: 'images/resize' }).waitFor()
})

test('a tab in the background takes no place; it listens once somebody looks', own, async (t) => {
  const server = await startConsole(t, { files: skillFiles })
  const page = await openTab(t, server.http, { allow })
  const streams = []
  page.on('request', (request) => request.url().endsWith('/console/events') && streams.push(request))
  await page.addInitScript(() => {
    window.away = true
    Object.defineProperty(document, 'hidden', { get: () => window.away })
  })
  await page.goto(`${server.http}/console/skills`)
  await page.locator('.win .row:not(.wait)').first().waitFor()
  assert.equal(streams.length, 0)
  await page.evaluate(() => {
    window.away = false
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await link(page)
    .filter({ hasText: new URL(server.http).host })
    .waitFor()
  assert.equal(streams.length, 1)
})

test('a question that waits for long says so, and ends with a next step', own, async (t) => {
  const server = await startConsole(t, { files: skillFiles })
  const page = await openTab(t, server.http, { allow })
  await page.clock.install()
  await page.visit('skills')
  await page.locator('.win .row:not(.wait)').first().waitFor()
  // Never answered, as when no connection is free.
  await page.route('**/console/call', () => {})
  await page.locator('#rooms a', { hasText: 'Doctor' }).click()
  await page.clock.runFor(6_000)
  await page.locator('#said', { hasText: 'has not answered yet' }).waitFor()
  await page.clock.runFor(60_000)
  await page.locator('#room-doctor', { hasText: 'close other tabs' }).waitFor()
})
