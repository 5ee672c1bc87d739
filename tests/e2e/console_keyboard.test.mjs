// Once through the console without a pointer: search and read, mend a finding, install, call a function.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openConsole, statuses } from './lib/browser.mjs'
import { skillFiles } from './lib/console_files.mjs'
import { needsOwnEngine } from './lib/engine.mjs'
import { startShelf } from './lib/shelf.mjs'
import { eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const focused = (page) =>
  page.evaluate(() => document.activeElement?.id || document.activeElement?.className || document.activeElement?.tagName)

/** Tab until the element with this accessible name (or text) has the focus. */
async function tabTo(page, name) {
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab')
    const here = await page.evaluate(
      () => `${document.activeElement?.getAttribute('aria-label') ?? ''} ${document.activeElement?.textContent ?? ''}`,
    )
    if (here.includes(name)) return
  }
  assert.fail(`Tab never reached ${name}`)
}

/** Two keys are a chord when the second comes soon; on a machine that is busy it may not. */
const chordsLast = (page) => page.clock.setFixedTime(Date.now())

test('search, move, read, tabs, back to the list', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  await chordsLast(page)
  await page.visit()
  await page.locator('.say').waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'skip')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main')
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.locator('.win .row').first().waitFor()
  await page.keyboard.press('/')
  // Rows from before the search may look the same: its own answer is waited for.
  const answered = page.waitForResponse((response) => response.request().postData()?.includes('"q":"database"'))
  await page.keyboard.type('database')
  await (await answered).finished()
  await page.locator('#room-skills .aside', { hasText: /^\d+ of/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await page.locator('.rd-id').waitFor()
  const chosen = await page.locator('.win .row.cur .id').textContent()
  await page.keyboard.press('Enter')
  await eventually('the reader has the focus', async () => (await focused(page)) === 'detail')
  // A row that the keys only passed may have been opened before.
  await page.locator('.rd-id', { hasText: new RegExp(`^${chosen}`) }).waitFor()
  await page.keyboard.press('e')
  await page.locator('.src').waitFor()
  await tabTo(page, 'Source')
  await page.keyboard.press('ArrowRight')
  await eventually(
    'the next tab is chosen',
    async () => (await page.locator('[role=tab][aria-selected=true]').textContent()) === 'As agents get it',
  )
  await page.keyboard.press('Escape')
  await eventually('the list has the focus again', async () => (await focused(page)) === 'win')
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
  await page.keyboard.press('y')
  await eventually('the id is on the clipboard', async () =>
    (await page.evaluate(() => navigator.clipboard.readText())).startsWith('database'),
  )
})

test('mend a finding', own, async (t) => {
  const { page, server } = await openConsole(t, { files: skillFiles })
  await chordsLast(page)
  await page.visit()
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.locator('.item').first().waitFor()
  await page.keyboard.press('j')
  for (let i = 0; i < 12 && !(await page.locator('.item[aria-current=true]').textContent()).includes('notes/write.md'); i++)
    await page.keyboard.press('j')
  await page.locator('.apply').waitFor()
  await page.keyboard.press('a')
  await eventually('the file is mended', () => readFileSync(join(server.root, 'notes/write.md'), 'utf8').includes('"Use when: several'))
})

test('install from the registry', own, async (t) => {
  const registry = await startShelf(t, {
    tools: { version: '1.0.0', skills: { 'SKILL.md': '---\nname: tools\ndescription: Tools.\n---\n# Tools\n' } },
  })
  const { page } = await openConsole(t, { config: { registry_url: registry.url } })
  await page.visit('sources')
  await page.getByText('Nothing is downloaded').waitFor()
  await page.keyboard.press('i')
  await page.locator('.reg button').first().waitFor()
  await tabTo(page, 'tools worker')
  await page.keyboard.press('Enter')
  // The list was drawn anew; the button below it is reached in order.
  await tabTo(page, 'Cancel')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('dialog', { hasText: /tools: 1\s+skill/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('tr[data-ns=tools]').waitFor()
})

/** Holds back the answers to searches until the function that it returns is called. */
async function holdSearches(page) {
  let release
  const released = new Promise((resolve) => (release = resolve))
  await page.route('**/console/call', async (route) => {
    if (route.request().postData().includes('skills::browse')) await released
    await route.continue()
  })
  return release
}

test('keys that come before the rows of a search are about those rows', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  await page.visit('skills')
  await page.locator('.win .row').nth(2).waitFor()
  const first = await page.locator('.win .row .id').first().textContent()
  const release = await holdSearches(page)
  await page.keyboard.press('/')
  await page.keyboard.type('notes')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  assert.equal(await page.locator('.rd-id').count(), 0, 'a row of the list before was opened')
  release()
  await page.locator('.rd-id').waitFor()
  const rows = await page.locator('.win .row .id').allTextContents()
  assert.notEqual(rows[0], first)
  assert.match(await page.locator('.rd-id').textContent(), new RegExp(`^${rows[1]}`))
})

test('Enter in the palette waits for the answer to what was typed', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  await page.visit()
  await page.locator('.say').waitFor()
  const release = await holdSearches(page)
  await page.keyboard.press('Control+k')
  await page.locator('#palette .opt').first().waitFor()
  await page.keyboard.type('database/query')
  await page.keyboard.press('Enter')
  assert.ok(await page.locator('#palette input').isVisible(), 'an entry of the list before was chosen')
  release()
  await page.locator('.rd-id', { hasText: 'database/query' }).waitFor()
})

test('find a function in the palette and call it', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  await page.visit()
  await page.locator('.say').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('directory health')
  await page.locator('#palette .opt', { hasText: 'directory::health' }).waitFor()
  // Only the answer to all that was typed has this one; it begins at its first entry.
  await page.locator('#palette .opt', { hasText: 'Why is “directory health” missing?' }).waitFor()
  while (!(await page.locator('#palette .opt[aria-selected=true]').textContent()).includes('directory::health'))
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('h2', { hasText: 'directory::health' }).waitFor()
  await tabTo(page, 'Call')
  await page.keyboard.press('Enter')
  await page.locator('.answer pre', { hasText: '"status"' }).waitFor()
})

test('single keys can be switched off; the sheet gives the focus back', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  await page.visit('skills')
  await page.locator('.win .row').first().waitFor()
  await page.keyboard.press('?')
  await page.getByRole('checkbox', { name: /Keys without Ctrl/ }).uncheck()
  await page.keyboard.press('Escape')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.keyboard.press('w')
  assert.equal(await page.locator('#title').textContent(), 'Skills')
  assert.equal(await page.locator('dialog[open]').count(), 0)
  assert.deepEqual(await page.evaluate(() => Object.entries(localStorage)), [['keys', 'off']])
  await page.locator('#find').focus()
  await page.keyboard.press('Enter')
  await page.locator('#palette input').waitFor()
  await page.keyboard.press('Escape')
  await eventually('the focus is where it was', async () => (await focused(page)) === 'find')
})

test('where the focus is can be seen', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles, allow: [statuses(422)] })
  await page.visit('skills/database/query')
  await page.locator('.doc .h1').waitFor()
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab')
    const seen = await page.evaluate(() => {
      const el = document.activeElement
      if (!el || el === document.body) return true
      const style = getComputedStyle(el)
      const around = getComputedStyle(el.closest('.field, .q') ?? el)
      return style.outlineStyle !== 'none' || around.boxShadow !== 'none' || el.classList.contains('win')
    })
    assert.ok(seen, `${await focused(page)} shows the focus`)
  }
})
