// Doctor in the browser: the line, the patch, applying it, and the refusal when the file is another by now.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openConsole } from './lib/browser.mjs'
import { localFiles, skillFiles } from './lib/console_files.mjs'
import { putAtomically } from './lib/directory.mjs'
import { needsOwnEngine } from './lib/engine.mjs'
import { eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const read = (server, path) => readFileSync(join(server.root, path), 'utf8')
const open = async (t) => {
  const it = await openConsole(t, { files: skillFiles })
  await it.page.visit('doctor')
  await it.page.locator('.item').first().waitFor()
  return it
}
const item = (page, path) => page.locator('.item', { hasText: path })

test('a finding shows its line and its patch; applying it changes only that', own, async (t) => {
  const { page, server } = await open(t)
  await item(page, 'notes/write.md').click()
  assert.match(await page.locator('.excerpt .at').textContent(), /3description: Use when: several workers/)
  assert.match(await page.locator('.diff .add').textContent(), /description: "Use when: several workers share notes\."/)
  const before = await page.locator('.item').count()
  await page.locator('.apply').click()
  // First of all: the status bar forgets it after a few seconds.
  await page.locator('#said', { hasText: /1\s+patch applied/ }).waitFor()
  await eventually('the file is mended', () =>
    read(server, 'notes/write.md').includes('description: "Use when: several workers share notes."'),
  )
  assert.equal(read(server, 'notes/write.md').replace(/"Use when: (.*)"/, 'Use when: $1'), skillFiles['notes/write.md'])
  await item(page, 'notes/write.md').first().waitFor({ state: 'detached' })
  assert.ok((await page.locator('.item').count()) < before)
})

test('a patch for a file that changed meanwhile is refused', own, async (t) => {
  const { page, server } = await open(t)
  await item(page, 'notes/write.md').click()
  // The page must not hear of the edit before the button is pressed: the request is held back, not the edit.
  let release
  const edited = new Promise((resolve) => (release = resolve))
  await page.route('**/console/call', async (route) => {
    if (route.request().postDataJSON().function_id === 'directory::doctor::apply') await edited
    await route.continue()
  })
  await page.locator('.apply').click()
  const mine = skillFiles['notes/write.md'].replace('Short ones.', 'Long ones.')
  putAtomically(server.root, 'notes/write.md', mine)
  release()
  await page.locator('.detail [role=alert]').waitFor()
  assert.equal(read(server, 'notes/write.md'), mine)
})

test('apply all names every file first', own, async (t) => {
  const { page, server } = await open(t)
  await page.getByRole('button', { name: /patches$/ }).click()
  const sheet = page.locator('dialog.sheet')
  assert.match(await sheet.textContent(), /notes\/write\.md:3/)
  assert.match(await sheet.textContent(), /notes\/read\.md:3/)
  await sheet.getByRole('button', { name: 'Apply all' }).click()
  await eventually('both are mended', () =>
    ['notes/write.md', 'notes/read.md'].every((path) => read(server, path).includes('description: "Use when')),
  )
  await page.getByRole('button', { name: 'No patches' }).waitFor()
})

test('severity and deep links; a finding leads from the document and back', own, async (t) => {
  const { page } = await open(t)
  await page
    .getByRole('group', { name: 'Severity' })
    .getByRole('button', { name: /Warnings/ })
    .click()
  await eventually('only warnings', async () => (await page.locator('.detail .st').first().textContent()).includes('warning'))
  assert.match(page.url(), /severity=warning/)
  await page.locator('.meta-line a').first().click()
  await page.locator('.detail .note').getByRole('link', { name: 'Show' }).click()
  await page.locator('.excerpt .at').waitFor()
})

test('every room counts the same: files that lists keep but nobody can read are not served', own, async (t) => {
  // There from the beginning: a page that begins while findings are still being found counts them twice for a while.
  const bad = Buffer.from('# Bad \xff\n', 'latin1')
  const files = { ...skillFiles, 'mail/one.md': bad, 'mail/two.md': bad }
  const { page } = await openConsole(t, { files, local: localFiles, config: { builtin_docs: true } })
  const number = (text) => Number(text.replace(/\D/g, ''))
  await page.visit()
  const sentence = page.locator('.say', { hasText: /4\s+files are not served/ })
  await sentence.waitFor()
  assert.match(await page.locator('.over .why').textContent(), /2 are hidden by another file, 2 cannot be read/)
  const [, , all, skills, prompts, supporting, skipped] = await page.locator('.ledger .sum td').allTextContents()
  assert.equal(Number(skipped), 4)
  await sentence.locator('a').last().click()
  await page.locator('#room-skills .aside', { hasText: /^4 of/ }).waitFor()
  const facet = async (name) => number(await page.locator('.facet', { hasText: name }).locator('.n').textContent())
  assert.equal((await facet('Not served')) + (await facet('Hidden')), 4)

  await page.locator('#rooms a', { hasText: 'Doctor' }).click()
  await page.locator('.equation b').first().waitFor()
  assert.deepEqual(await page.locator('.equation b').allTextContents(), [all, skills, prompts, supporting, skipped])
  assert.match(await page.locator('.equation').textContent(), /\d+ compiled in or registered$/)
  const every = page.getByRole('group', { name: 'Severity' }).getByRole('button', { name: /^All/ })
  assert.equal(number(await every.textContent()), number(await page.locator('#n-findings').textContent()))
  await item(page, 'mail/one.md').click()
  assert.match(await page.locator('.detail .meta-line').textContent(), /not served, listed as mail\/one/)

  // The same numbers stand beside the rooms wherever one begins.
  const findings = await page.locator('#n-findings').textContent()
  await page.visit('connect')
  await eventually('both are there', async () =>
    (await page.locator('#n-findings').textContent()) === findings && (await page.locator('#n-sources').textContent()) === '0')
  await page.visit('bus?view=workers')
  const connected = number(await page.locator('#n-workers').textContent())
  await page.locator('.wide-pad', { hasText: new RegExp(`^${connected}\\s+workers? (is|are) connected; \\d+\\s+parts of the engine`) }).waitFor()
})
