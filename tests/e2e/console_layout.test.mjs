// The page keeps to its width, from a telephone to a wide screen and enlarged to 200 %; nothing moves after it was painted; a room has
// a bounded number of elements.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTab, startConsole } from './lib/browser.mjs'
import { localFiles, skillFiles, views } from './lib/console_files.mjs'
import { needsOwnEngine } from './lib/engine.mjs'

const own = { skip: needsOwnEngine }
const MOST_ELEMENTS = 1_500
const MOST_SHIFT = 0.001

// A browser that enlarges a window of 1280 × 800 to 200 % lays out half as many pixels, each twice as large.
const screens = {
  '320 px': { width: 320, height: 640 },
  '400 px': { width: 400, height: 800 },
  '1600 px': { width: 1600, height: 1000 },
  '200 % of 1280 px': { width: 640, height: 400, context: { deviceScaleFactor: 2 } },
}

// What may scroll sideways in itself: code, strips of tabs and buttons.
const SIDEWAYS = 'pre, .code, .src, .rail nav, .tabs, .tools, .conn .side'

/** What reaches beyond the window and is in nothing that scrolls, and places that scroll sideways although they hold no code or table. */
function tooWide(sideways) {
  const scrolls = (el) => /auto|scroll/.test(getComputedStyle(el).overflowX)
  const name = (el) => `${el.tagName.toLowerCase()}.${[...el.classList].join('.')}`
  const faults = []
  for (const el of document.querySelectorAll('body *')) {
    if (!el.checkVisibility({ visibilityProperty: true }) || el.closest('.vh, .skip, svg')) continue
    if (scrolls(el) && el.scrollWidth > el.clientWidth + 1 && !el.matches(sideways)) {
      faults.push(`${name(el)} scrolls sideways: ${el.scrollWidth} in ${el.clientWidth}`)
    }
    const box = el.getBoundingClientRect()
    if (box.width === 0 || (box.right <= innerWidth + 1 && box.left >= -1)) continue
    let holder = el.parentElement
    while (holder && !scrolls(holder)) holder = holder.parentElement
    if (!holder) faults.push(`${name(el)} is at ${Math.round(box.left)} to ${Math.round(box.right)} of ${innerWidth}`)
  }
  if (document.scrollingElement.scrollWidth > innerWidth) faults.push(`the page has ${document.scrollingElement.scrollWidth} pixels`)
  return faults
}

for (const [screen, options] of Object.entries(screens)) {
  test(`nothing is wider than the page: ${screen}`, own, async (t) => {
    const server = await startConsole(t, { files: skillFiles, local: localFiles })
    const page = await openTab(t, server.http, options)
    for (const [place, there] of views) {
      await page.visit(place)
      await page.locator(there).first().waitFor({ state: 'attached' })
      assert.deepEqual(await page.evaluate(tooWide, SIDEWAYS), [], `${place || 'overview'}, ${screen}`)
    }
  })
}

test('what one applies with is whole on the smallest screen', own, async (t) => {
  const server = await startConsole(t, { files: skillFiles })
  const page = await openTab(t, server.http, screens['320 px'])
  await page.visit('doctor')
  const apply = page.getByRole('banner').getByRole('button', { name: /2\s+patches/ })
  await apply.waitFor()
  // In the middle and at both ends it is what a finger meets.
  const met = await apply.evaluate((el) => {
    const { left, right, top, height } = el.getBoundingClientRect()
    return [left + 3, (left + right) / 2, right - 3].map((x) => el.contains(document.elementFromPoint(x, top + height / 2)))
  })
  assert.deepEqual(met, [true, true, true])
})

test('rooms are small, and nothing moves by itself', own, async (t) => {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`many/doc-${i}.md`, `# Document ${i}\n\nText ${i}.\n`]))
  const server = await startConsole(t, { files: { ...skillFiles, ...many }, local: localFiles })
  const page = await openTab(t, server.http)
  await page.addInitScript(() => {
    window.shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  for (const [place, there] of views) {
    await page.visit(place)
    await page.locator(there).first().waitFor({ state: 'attached' })
    // Two frames: what came last has been painted, and its shift reported.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    const [shift, elements] = await page.evaluate(() => [window.shift, document.querySelectorAll('*').length])
    assert.ok(shift <= MOST_SHIFT, `${place || 'overview'} moved by ${shift}`)
    assert.ok(elements <= MOST_ELEMENTS, `${place || 'overview'} has ${elements} elements`)
  }
})

test('a chosen theme is there before the first paint', own, async (t) => {
  const server = await startConsole(t, { files: skillFiles })
  const page = await openTab(t, server.http, { scheme: 'light' })
  await page.visit()
  await page.locator('#theme').click()
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
  // The script of the rooms comes late; what is painted without it is dark already.
  let release
  const held = new Promise((resolve) => (release = resolve))
  await page.route('**/js/main.js', async (route) => {
    await held
    await route.continue()
  })
  await page.reload({ waitUntil: 'commit' })
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
  assert.equal(await page.locator('#title').textContent(), '')
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(19, 20, 23)')
  release()
  await page.locator('.ledger').waitFor()
})
