// axe-core over every room, light and dark, at 400 and 1280 pixels; reduced motion; forced colours.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { openTab, startConsole } from './lib/browser.mjs'
import { localFiles, skillFiles, views } from './lib/console_files.mjs'
import { needsOwnEngine } from './lib/engine.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const serious = (violations) =>
  violations
    .filter((v) => ['serious', 'critical'].includes(v.impact))
    .flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.target.join(' ')} ${node.failureSummary}`))

async function check(page, where) {
  const { violations } = await page.evaluate(() =>
    window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }),
  )
  assert.deepEqual(serious(violations), [], where)
}

for (const width of [400, 1280]) {
  for (const scheme of ['light', 'dark']) {
    test(`no serious finding in any room: ${scheme}, ${width} px`, { skip: needsOwnEngine }, async (t) => {
      const server = await startConsole(t, { files: skillFiles, local: localFiles })
      const page = await openTab(t, server.http, { width, scheme })
      // Injected by the tool, not by the page: the policy does not apply to it.
      await page.addInitScript(axe)
      for (const [place, there] of views) {
        await page.visit(place)
        await page.locator(there).first().waitFor({ state: 'attached' })
        await check(page, place)
        assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, `one title in ${place || 'overview'}`)
      }
    })
  }
}

/** The browser closes a dialog a moment after the key. */
async function closed(page) {
  await page.keyboard.press('Escape')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement?.tagName !== 'INPUT')
}

test('what floats has no serious finding, either', { skip: needsOwnEngine }, async (t) => {
  const server = await startConsole(t, { files: skillFiles })
  const page = await openTab(t, server.http)
  await page.addInitScript(axe)
  await page.visit()
  await page.locator('.ledger').waitFor()
  await page.keyboard.press('Control+k')
  await page.locator('#palette input').fill('data')
  await page.locator('#palette .opt', { hasText: 'database' }).first().waitFor()
  await check(page, 'palette')
  await closed(page)
  await page.keyboard.press('w')
  await page.getByLabel('Id of a skill').fill('database/query')
  await page.locator('.verdict').waitFor()
  await check(page, 'why')
  await closed(page)
  await page.keyboard.press('?')
  await page.locator('.keys').waitFor()
  await check(page, 'keys')
})

test('windowed rows tell their true number and place', { skip: needsOwnEngine }, async (t) => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`many/doc-${String(i).padStart(3, '0')}.md`, `# Document ${i}\n\nText ${i}.\n`]),
  )
  const server = await startConsole(t, { files })
  const page = await openTab(t, server.http)
  await page.visit('skills')
  await page.locator('.win .row').first().waitFor()
  await page.locator('.win').focus()
  await page.keyboard.press('End')
  const last = page.locator('#row-299:not(.wait)')
  await last.waitFor()
  assert.equal(await last.getAttribute('aria-posinset'), '300')
  assert.equal(await last.getAttribute('aria-setsize'), '300')
  assert.equal(await page.locator('.win').getAttribute('aria-activedescendant'), 'row-299')
  assert.ok((await page.locator('.win .row').count()) < 60)
  assert.match(await last.textContent(), /many\/doc-299/)
})

test('reduced motion and forced colours are followed', { skip: needsOwnEngine }, async (t) => {
  const server = await startConsole(t, { files: skillFiles })
  const page = await openTab(t, server.http, { context: { reducedMotion: 'reduce', forcedColors: 'active' } })
  await page.visit('skills/database/query')
  await page.locator('.doc .h1').waitFor()
  const row = page.locator('.win .row[aria-selected=true]')
  assert.equal(await row.evaluate((el) => getComputedStyle(el).outlineStyle), 'solid')
  const line = (selected) =>
    page
      .locator(`.tabs [aria-selected=${selected}]`)
      .first()
      .evaluate((el) => getComputedStyle(el).borderBottomColor)
  assert.notEqual(await line(true), await line(false), 'the chosen tab can be told from the others')
  assert.equal(
    await page
      .locator('.btn')
      .first()
      .evaluate((el) => getComputedStyle(el).transitionProperty),
    'none',
  )
})
