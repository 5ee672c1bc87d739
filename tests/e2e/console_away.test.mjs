// The server goes away and comes back: what was read stays, a countdown runs, one attempt resumes what was missed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTab, refusedConnections, startConsole, statuses } from './lib/browser.mjs'
import { skillFiles } from './lib/console_files.mjs'
import { put } from './lib/directory.mjs'
import { needsOwnEngine, startEngine } from './lib/engine.mjs'
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

test('read on while it is away; it comes back by itself, as another process', own, async (t) => {
  const { server, page, again } = await begin(t)
  await page.visit('skills/database/query')
  await page.locator('.doc h1').waitFor()
  await server.stop()
  await link(page)
    .filter({ hasText: /Server away\. This is generation \d+\. Next try in \d+ s\./ })
    .waitFor()
  assert.equal(await page.locator('.doc h1').textContent(), 'Query a database')
  // What needs the server says so, where it was asked for.
  await page.locator('#rooms a', { hasText: 'Doctor' }).click()
  await page.getByText('The server is away').waitFor()
  await page.goBack()
  await page.locator('.win .row').first().waitFor()
  put(server.root, 'mail/meanwhile.md', '# Meanwhile\n\nWritten while it was away.\n')
  await again()
  await page.getByRole('button', { name: 'Try now' }).click()
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
  await again()
  await link(page)
    .filter({ hasText: new URL(server.http).host })
    .waitFor()
  assert.equal(await page.locator('body').getAttribute('data-link'), 'live')
  put(server.root, 'mail/later.md', '# Later\n\nText.\n')
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
  put(server.root, 'mail/unseen.md', '# Unseen\n\nText.\n')
  await page.context().setOffline(false)
  await link(page)
    .filter({ hasText: new URL(server.http).host })
    .waitFor()
  await page.locator('#rooms a', { hasText: 'Changes' }).click()
  await page.locator('.gen .mono', { hasText: 'mail/unseen' }).waitFor()
  assert.equal(await page.locator('.gen .mono', { hasText: 'mail/unseen' }).count(), 1)
})
