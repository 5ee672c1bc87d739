// Nothing a file says can act. Hostile documents are opened one after the other; a probe that they try to set stays unset, nothing is
// loaded from anywhere, and what is hidden is marked.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openConsole, statuses } from './lib/browser.mjs'
import { needsOwnEngine, tempDir } from './lib/engine.mjs'
import { call, connect, sdks } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const MOST_ELEMENTS = 45_000 // of a document: 20 000 nodes, some in elements of their own
const act = 'window.acted=1'

const documents = {
  'script.md': `# Script\n\n<script>${act}</script>\n\nText <script>${act}</script> in a line.\n`,
  'handlers.md': `# Handlers\n\n<img src=x onerror="${act}">\n<details open ontoggle="${act}">x</details>\n<iframe srcdoc="<script>parent.acted=1</script>"></iframe>\n`,
  'svg.md': `# SVG\n\n<svg onload="${act}"><script>${act}</script></svg>\n\n![x](data:image/svg+xml;base64,PHN2Zy8+)\n`,
  'links.md': [
    '# Links',
    `[one](javascript:${act})`,
    `[two](JaVaScRiPt:${act})`,
    `[three](<\tjavascript:${act}>)`,
    `[four](vbscript:${act})`,
    '[five](data:text/html,<script>parent.acted=1</script>)',
    `[six](&#106;avascript:${act})`,
    '[seven](file:///etc/passwd)',
    '[eight [nested](https://example.com)](https://example.org)',
  ].join('\n\n'),
  'comment.md': `# Comment\n\n<!-- <script>${act}</script> -->\n\n<style>body{display:none}</style>\n\n<base href="https://example.com/">\n\n<meta http-equiv="refresh" content="0;url=https://example.com">\n`,
  'pictures.md': '# Pictures\n\n![tracker](https://example.com/pixel.gif)\n\n<img src="https://example.com/other.gif">\n',
  'bidi.md':
    '---\ntitle: "A \u202Etitle\u202C"\ndescription: "hidden \u200Bwords \u{E0041}\u{E0042}"\n---\n# Text\n\nuser \u202Etxt.exe\u202C and \u200Bzero \u{E0049}\u{E0047} tags\n',
  'escape.md': '# Escapes\n\n\u001b[31mred\u001b[0m \u0007 \u001b]8;;https://example.com\u0007link\u001b]8;;\u0007\n',
  'table.md': `# Table\n\n|${'a|'.repeat(10_000)}\n|${'-|'.repeat(10_000)}\n|${'b|'.repeat(10_000)}\n`,
  'list.md': `# List\n\n${Array.from({ length: 5_000 }, (_, i) => `${' '.repeat(i % 200)}- x`).join('\n')}\n`,
  'nested.md': `# Nested\n\n${'> '.repeat(5_000)}deep\n`,
  'line.md': `# Line\n\n${'word '.repeat(40_000)}\n`,
  'html.md': `# HTML\n\n${'<div>'.repeat(2_000)}\n`,
}
const ids = Object.keys(documents).map((name) => `evil/${name.slice(0, -3)}`)

function hostileTree() {
  const root = tempDir()
  mkdirSync(join(root, 'evil'), { recursive: true })
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(root, 'evil', name), text)
  // Names that are properties of every object, or look like markup or paths.
  for (const name of ['__proto__', 'constructor', '<img src=x onerror=acted=1>', 'a\u202Eb', '%2e%2e', '..x', '\'quote"', 'a b#c?d'])
    writeFileSync(join(root, 'evil', `${name}.md`), `# ${name}\n\nText.\n`)
  mkdirSync(join(root, '__proto__'))
  writeFileSync(join(root, '__proto__', 'SKILL.md'), '---\nname: __proto__\ndescription: A name.\n---\n# Name\n')
  return root
}

const open = async (t, options = {}) =>
  openConsole(t, { config: { skills_folder: hostileTree() }, allow: [statuses(404, 422, 400)], ...options })
const untouched = async (page) => assert.equal(await page.evaluate(() => window.acted), undefined)

test('every hostile document is shown as text and does nothing', own, async (t) => {
  const { page } = await open(t)
  for (const id of ids) {
    for (const tab of ['read', 'source', 'agent', 'from']) {
      await page.visit(`skills/${id}?tab=${tab}`)
      await page.locator('.rd-id').waitFor()
      await untouched(page)
      const found = await page
        .locator('.detail')
        .evaluate((el) => el.querySelectorAll('script, iframe, object, embed, img, style, base, meta, [onerror], [onload]').length)
      assert.equal(found, 0, `${id} ${tab}`)
      assert.ok((await page.locator('.detail *').count()) < MOST_ELEMENTS, `${id} ${tab} is bounded`)
    }
  }
})

// How long it takes is for scripts/bench console; here, that it is cut, says so, and leaves the page usable.
test('what is too large is cut, says so, and the page goes on', own, async (t) => {
  const { page } = await open(t)
  for (const id of ['nested', 'list']) {
    await page.visit(`skills/evil/${id}`)
    await page.locator('.doc .doc-more', { hasText: 'The document goes on' }).waitFor()
    await page.getByRole('tab', { name: 'Source' }).click()
    await page.locator('.src').waitFor()
  }
  await page.locator('.rd-body', { hasText: /Only the first 3\s000 lines are shown/ }).waitFor()
  // What was left out can be asked for.
  await page.getByRole('button', { name: /^Show 2\s002 more$/ }).click()
  assert.equal(await page.locator('.src .ln-t').count(), 5_002)
  assert.equal(await page.locator('.src .ln-n').last().textContent(), '5002')
  await page.visit('skills/evil/line?tab=source')
  await page.locator('.src').getByRole('button', { name: /more characters/ }).click()
  assert.equal(await page.locator('.src .ln-t').nth(2).textContent(), 'word '.repeat(40_000))
  // Somebody goes on from there: other rooms, the search, another document.
  await page.locator('#rooms a', { hasText: 'Doctor' }).click()
  await page.locator('#rooms a', { hasText: 'Skills' }).click()
  await page.getByLabel('Search skills').fill('script')
  // A row of the list before would be another one by the time of the click.
  await page.locator('#room-skills .aside', { hasText: /^\d+ of/ }).waitFor()
  await page.locator('.win .row', { hasText: 'evil/script' }).click()
  await page.locator('.rd-id', { hasText: 'evil/script' }).waitFor()
})

test('long words wrap, and text from right to left starts at the right', own, async (t) => {
  const long = 'x'.repeat(5_000)
  const hebrew = '\u05E9\u05DC\u05D5\u05DD \u05E2\u05D5\u05DC\u05DD'
  const root = tempDir()
  writeFileSync(join(root, 'wide.md'), `# ${long}\n\n${long}\n\n[${long}](https://example.com/${long})\n\n- ${long}\n\n> ${long}\n`)
  writeFileSync(join(root, 'right.md'), `# ${hebrew}\n\n${hebrew}\n\n- ${hebrew}\n\n| a | ${hebrew} |\n|---|---|\n| b | c |\n\n\`\`\`\ncode\n\`\`\`\n\n<b>!=</b>\n`)
  const { page } = await openConsole(t, { config: { skills_folder: root } })
  await page.visit('skills/wide')
  await page.locator('.doc .h1').waitFor()
  const [inner, outer] = await page.locator('.detail').evaluate((el) => [el.scrollWidth, el.clientWidth])
  assert.ok(inner <= outer, `the pane is ${inner} px wide, ${outer} px are seen`)
  await page.visit('skills/right')
  await page.locator('.doc .h1').waitFor()
  const directions = await page.locator('.doc').evaluate((doc) => {
    const of = (selector) => getComputedStyle(doc.querySelector(selector)).direction
    return ['.h1', 'p', 'li', 'th + th', 'td', '.codebox'].map(of)
  })
  assert.deepEqual(directions, ['rtl', 'rtl', 'rtl', 'rtl', 'ltr', 'ltr'])
  assert.equal(await page.locator('.rawhtml').first().evaluate((el) => getComputedStyle(el).fontVariantLigatures), 'none')
})

test('links of other schemes are shown and not followed', own, async (t) => {
  const { page } = await open(t)
  await page.visit('skills/evil/links')
  await page.locator('.doc .h1').waitFor()
  const targets = await page.locator('.doc a').evaluateAll((links) => links.map((a) => a.href))
  for (const target of targets) assert.match(target, /^https?:\/\//)
  assert.ok((await page.locator('.doc .dead').count()) >= 4)
  for (const dead of await page.locator('.doc .dead').all()) await dead.click()
  await untouched(page)
  assert.match(page.url(), /\/console\/skills\/evil\/links$/)
})

test('raw HTML is text; pictures are named, not loaded', own, async (t) => {
  const { page } = await open(t)
  await page.visit('skills/evil/script')
  await page.locator('.doc', { hasText: `<script>${act}</script>` }).waitFor()
  await page.visit('skills/evil/pictures')
  await page.locator('.doc .pic', { hasText: 'https://example.com/pixel.gif' }).waitFor()
})

test('characters nobody sees are shown by number, in text, title, list and source', own, async (t) => {
  const { page } = await open(t)
  await page.visit('skills/evil/bidi?q=bidi')
  await page.locator('.doc .cp', { hasText: 'U+202E' }).waitFor()
  await page.locator('.doc .cp', { hasText: 'U+E0049' }).waitFor()
  assert.match(await page.locator('.win .row[aria-selected=true]').textContent(), /<U\+200B>/)
  await page.locator('.note', { hasText: 'to look at before following it' }).waitFor()
  await page.getByRole('tab', { name: 'Source' }).click()
  await page.locator('.src .cp', { hasText: 'U+200B' }).first().waitFor()
  await page.visit('skills/evil/escape')
  await page.locator('.doc .cp', { hasText: 'U+001B' }).first().waitFor()
})

test('every listed name can be opened, whatever it is called', own, async (t) => {
  const { page, server } = await open(t)
  const node = connect(t, sdks['0.22.1'], server.url)
  const { rows } = await call(node, 'directory::skills::browse', { limit: 256 })
  await page.visit('skills')
  await page.locator('.win .row').first().waitFor()
  for (let i = 0; i < rows.length; i++) {
    await page.evaluate((n) => document.querySelector('.win').scrollTo(0, n * 46), i)
    await page.locator(`#row-${i}`).click()
    await eventually(
      `${rows[i].id} is open`,
      async () => (await page.locator('.detail[aria-busy]').count()) === 0 && (await page.locator('.detail .rd-id').count()) === 1,
    )
    // The address alone leads to the same document.
    const shown = await page.locator('.rd-id').textContent()
    await page.reload()
    await page.locator('.rd-id').waitFor()
    assert.equal(await page.locator('.rd-id').textContent(), shown)
    await page.locator('.win .row').first().waitFor()
  }
  await untouched(page)
})

test('the policy refuses HTML from text even where a script would ask for it', own, async (t) => {
  const { page } = await open(t, { allow: [/TrustedHTML|Trusted Type|require-trusted-types-for|script-src|inline/i] })
  await page.visit('skills')
  const outcome = await page.evaluate(() => {
    try {
      document.body.innerHTML = '<b>x</b>'
      return 'allowed'
    } catch (error) {
      return error.name
    }
  })
  assert.equal(outcome, 'TypeError')
})
