// The console measured: bytes, first paint beside a static page of the same size, scrolling and searching 60 000 skills, what twenty
// open consoles cost the server on a busy bus. Prints a table for docs/performance.md.
//   scripts/bench console [--skills 60000] [--rounds 15] [--seconds 10]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { launchChromium } from '../tests/e2e/lib/chromium.mjs'
import { configFile } from '../tests/e2e/lib/directory.mjs'
import { startEngine, tempDir } from '../tests/e2e/lib/engine.mjs'
import { request } from '../tests/e2e/lib/http.mjs'
import { call, callable, sdks } from '../tests/e2e/lib/sdks.mjs'

const { values: options } = parseArgs({
  options: {
    skills: { type: 'string', default: '60000' },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '10' },
  },
})
const SKILLS = Number(options.skills)
const ROUNDS = Number(options.rounds)
const SECONDS = Number(options.seconds)
const CONSOLES = 20
const TOKEN = 'a token of the bench'

const sorted = (list) => [...list].sort((a, b) => a - b)
const at = (list, share) => sorted(list)[Math.min(list.length - 1, Math.floor(list.length * share))]
const median = (list) => at(list, 0.5)
const fixed = (n, digits = 1) => n.toFixed(digits)

const rows = []
const report = (what, figure, budget = '') => rows.push([what, figure, budget])

// ── content ─────────────────────────────────────────────────────────────────────────────────────

const NOUNS = 'orders invoices tickets images backups indexes alerts drafts releases customers queues reports schemas tokens'.split(' ')
const VERBS = 'review create explain archive compare monitor rotate import'.split(' ')

/** As many documents as asked for, in folders of 300. */
function writeSkills() {
  const root = tempDir()
  for (let i = 0; i < SKILLS; i++) {
    const folder = join(root, `space-${String(Math.floor(i / 300)).padStart(3, '0')}`)
    if (i % 300 === 0) mkdirSync(folder)
    const [verb, noun] = [VERBS[i % VERBS.length], NOUNS[Math.floor(i / VERBS.length) % NOUNS.length]]
    writeFileSync(
      join(folder, `${verb}-${noun}-${i}.md`),
      `---\ntitle: ${verb} ${noun}\ndescription: How to ${verb} ${noun} of space ${Math.floor(i / 300)}.\n---\n# ${verb} ${noun}\n\nText.\n`,
    )
  }
  return root
}

async function startServer() {
  const settings = {
    skills_folder: writeSkills(),
    local_skills_folder: join(tempDir(), 'none'),
    filter_unregistered: false,
    registry_url: 'http://127.0.0.1:1',
  }
  return startEngine({ args: ['--config', configFile(settings), '--token', TOKEN, '--log-level', 'warn'], env: { HOME: tempDir() } })
}

async function sessionCookie(server) {
  const headers = { 'content-type': 'application/json', 'x-console': '1', origin: server.http }
  const { headers: answer } = await request(`${server.http}/console/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ token: TOKEN }),
  })
  return answer['set-cookie'][0].split(';')[0]
}

// ── bytes ───────────────────────────────────────────────────────────────────────────────────────

function fetchRaw(url, headers) {
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers: { 'accept-encoding': 'gzip', ...headers } }, (response) => {
        const pieces = []
        response.on('data', (piece) => pieces.push(piece))
        response.on('end', () =>
          resolve({
            body: Buffer.concat(pieces),
            gzip: response.headers['content-encoding'] === 'gzip',
            type: response.headers['content-type'],
          }),
        )
      })
      .on('error', reject)
  })
}

/** The page and everything it names: {path: {body, gzip, type}}. */
async function fetchPage(server, cookie) {
  const page = await fetchRaw(`${server.http}/console/`, { cookie })
  const html = (page.gzip ? gunzipSync(page.body) : page.body).toString()
  const files = { '/console/': page }
  for (const [, path] of html.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g))
    files[path] = await fetchRaw(`${server.http}${path}`, { cookie })
  return files
}

function reportBytes(files) {
  const total = Object.values(files).reduce((sum, file) => sum + file.body.length, 0)
  report('page, style, script and icon, gzipped', `${fixed(total / 1000)} KB in ${Object.keys(files).length} requests`, '80 KB')
}

// ── first paint ─────────────────────────────────────────────────────────────────────────────────

/**
 * The same page from a server that holds it in memory, except that its scripts are comments: the same requests and bytes, nothing to
 * run. Every other path is a page of a few words.
 */
function startStatic(files) {
  const served = {}
  for (const [path, file] of Object.entries(files)) {
    const comment = () => gzipSync(`/*${gunzipSync(file.body).toString().replaceAll('*/', '**')}*/`, { level: 9 })
    served[path] = path.endsWith('.js') ? { ...file, body: comment() } : file
  }
  const server = http.createServer((incoming, response) => {
    const file = served[incoming.url]
    if (!file) return response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Another page')
    response.writeHead(200, {
      'content-type': file.type,
      'content-length': file.body.length,
      ...(file.gzip ? { 'content-encoding': 'gzip' } : {}),
    })
    response.end(file.body)
  })
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve({ url: `http://127.0.0.1:${server.address().port}`, close: () => server.closeAllConnections() || server.close() }),
    ),
  )
}

/**
 * Milliseconds to the first contentful paint, in a profile that has nothing cached. The browser comes from a page of another site
 * (`from`), as a person does, and so takes a new process for either page. From an empty tab it would do so for the console only, because
 * of Cross-Origin-Opener-Policy, and this would measure the start of a process.
 */
async function firstPaint(browser, url, from, cookie) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  if (cookie) await context.addCookies([{ name: cookie.split('=')[0], value: cookie.split('=')[1], url }])
  const page = await context.newPage()
  await page.goto(from)
  await page.goto(url)
  const paint = await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime)
  const value = await paint.jsonValue()
  await context.close()
  return value
}

async function measurePaint(browser, server, cookie, files) {
  const plain = await startStatic(files)
  const [ours, theirs] = [[], []]
  for (let i = 0; i < ROUNDS + 2; i++) {
    const from = `${plain.url.replace('127.0.0.1', 'localhost')}/another`
    const pair = [
      await firstPaint(browser, `${server.http}/console/skills`, from, cookie),
      await firstPaint(browser, `${plain.url}/console/`, from),
    ]
    if (i < 2) continue // the browser itself warms up
    ours.push(pair[0])
    theirs.push(pair[1])
  }
  plain.close()
  report(
    'first paint, median (static page of the same bytes)',
    `${fixed(median(ours), 0)} ms (${fixed(median(theirs), 0)} ms): ${fixed(median(ours) / median(theirs), 2)}×`,
    '1.5×',
  )
}

// ── a long list ─────────────────────────────────────────────────────────────────────────────────

async function openSkills(browser, server, cookie) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await context.addCookies([{ name: cookie.split('=')[0], value: cookie.split('=')[1], url: `${server.http}/console` }])
  const page = await context.newPage()
  await page.goto(`${server.http}/console/skills`)
  await page.locator('.win .row:not(.wait)').first().waitFor()
  return page
}

async function measureScroll(page) {
  const frames = await page.evaluate(async () => {
    const list = document.querySelector('.win')
    const deltas = []
    let last = await new Promise(requestAnimationFrame)
    for (let i = 0; i < 600; i++) {
      list.scrollTop += 700
      const now = await new Promise(requestAnimationFrame)
      deltas.push(now - last)
      last = now
    }
    return deltas
  })
  report(
    `scrolling ${SKILLS} rows, 700 pixels a frame: median, p95, longest frame`,
    `${fixed(median(frames))}, ${fixed(at(frames, 0.95))}, ${fixed(Math.max(...frames))} ms`,
    '50 ms',
  )
}

/** Each room once: how many elements it has, how much of it moves after the first paint, its longest task. */
async function measureRooms(page, server) {
  await page.addInitScript(() => {
    window.measured = { shift: 0, task: 0 }
    const observe = (type, act) => new PerformanceObserver((list) => list.getEntries().forEach(act)).observe({ type, buffered: true })
    observe('layout-shift', (entry) => (window.measured.shift += entry.value))
    observe('longtask', (entry) => (window.measured.task = Math.max(window.measured.task, entry.duration)))
  })
  const rooms = ['overview', 'skills', 'prompts', 'doctor', 'sources', 'bus', 'changes', 'connect']
  const found = []
  for (const room of rooms) {
    await page.goto(`${server.http}/console/${room}`)
    await page.locator('#link-text').filter({ hasNotText: 'connecting' }).waitFor()
    await pause(500)
    found.push(await page.evaluate(() => ({ ...window.measured, elements: document.querySelectorAll('*').length })))
  }
  const most = (key) => Math.max(...found.map((each) => each[key]))
  report('elements in a room, at most', String(most('elements')), '1 500')
  report('layout shift in a room, at most', fixed(most('shift'), 4), '0.001')
  report('longest task while a room opens, at most', `${fixed(most('task'), 0)} ms`)
}

async function measureSearch(page) {
  const words = ['invoices', 'rotate tokens', 'space 17', 'review backups', 'compare-alerts']
  const times = []
  const server = []
  for (const word of words) {
    for (let n = 1; n <= word.length; n++) {
      const [total, took] = await page.evaluate(
        async (text) => {
          const input = document.querySelector('#room-skills input[type=search]')
          const count = document.querySelector('#room-skills .aside')
          const answered = new Promise((resolve) => {
            new MutationObserver((_, observer) => observer.disconnect() || resolve()).observe(count, { childList: true })
          })
          const began = performance.now()
          input.value = text
          input.dispatchEvent(new Event('input', { bubbles: true }))
          await answered
          await new Promise(requestAnimationFrame)
          const [, figure, unit] = /· ([\d.]+) (µs|ms)/.exec(count.textContent) ?? [null, '0', 'ms']
          return [performance.now() - began, unit === 'ms' ? Number(figure) : Number(figure) / 1000]
        },
        word.slice(0, n),
      )
      times.push(total)
      server.push(took)
    }
  }
  report(
    'key to painted rows: median, p95, longest',
    `${fixed(median(times))}, ${fixed(at(times, 0.95))}, ${fixed(Math.max(...times))} ms`,
    '50 ms',
  )
  report(
    'of which the server: median, p95, longest',
    `${fixed(median(server))}, ${fixed(at(server, 0.95))}, ${fixed(Math.max(...server))} ms`,
    '5 ms',
  )
}

// ── twenty consoles ─────────────────────────────────────────────────────────────────────────────

/** CPU seconds of a process so far. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** What an open console does in the room Bus: listens, and asks for rates every five seconds. */
function openStreamOf(server, cookie) {
  const incoming = http.get(`${server.http}/console/events`, { headers: { cookie, accept: 'text/event-stream' } }, (response) => {
    if (response.statusCode !== 200) throw new Error(`a console got ${response.statusCode}`)
    response.resume()
  })
  incoming.on('error', () => {})
  const headers = { cookie, 'content-type': 'application/json', 'x-console': '1', origin: server.http }
  const body = JSON.stringify({ function_id: 'engine::stats', payload: { window: 1, limit: 500 } })
  const timer = setInterval(() => request(`${server.http}/console/call`, { method: 'POST', headers, body }).catch(() => {}), 5_000)
  return () => {
    clearInterval(timer)
    incoming.destroy()
  }
}

/** Share of a core that the server uses, and calls per second on the bus, over some seconds. */
async function load(server, worker) {
  let calls = 0
  let on = true
  const caller = async () => {
    while (on) {
      await call(worker, 'bench::echo', { n: calls })
      calls++
      await pause(5)
    }
  }
  const callers = Array.from({ length: 8 }, caller)
  await pause(1_000)
  const [began, cpu, before] = [performance.now(), cpuSeconds(server.pid), calls]
  await pause(SECONDS * 1_000)
  const seconds = (performance.now() - began) / 1_000
  const out = { core: ((cpuSeconds(server.pid) - cpu) / seconds) * 100, rate: (calls - before) / seconds }
  on = false
  await Promise.all(callers)
  return out
}

async function idle(server) {
  const [began, cpu] = [performance.now(), cpuSeconds(server.pid)]
  await pause(SECONDS * 1_000)
  return ((cpuSeconds(server.pid) - cpu) / ((performance.now() - began) / 1_000)) * 100
}

async function measureConsoles(server) {
  const worker = sdks['0.22.1'].module.registerWorker(server.url, {
    workerName: 'bench',
    headers: { authorization: `Bearer ${TOKEN}` },
    otel: { enabled: false },
    enableMetricsReporting: false,
  })
  worker.registerFunction('bench::echo', async (payload) => payload)
  await callable(worker, 'bench::echo')
  const quiet = await idle(server)
  const alone = await load(server, worker)
  const cookies = []
  for (let i = 0; i < CONSOLES / 4; i++) cookies.push(await sessionCookie(server))
  const closers = Array.from({ length: CONSOLES }, (_, i) => openStreamOf(server, cookies[i % cookies.length]))
  const watched = await idle(server)
  const with20 = await load(server, worker)
  for (const close of closers) close()
  await worker.shutdown()
  report(
    `server CPU, nobody calls: no console, ${CONSOLES} consoles`,
    `${fixed(quiet)} %, ${fixed(watched)} % of a core`,
    `${fixed(CONSOLES * 0.1)} %`,
  )
  report(
    `server CPU, ${fixed(alone.rate, 0)} calls/s: no console, ${CONSOLES} consoles`,
    `${fixed(alone.core)} %, ${fixed(with20.core)} % of a core`,
  )
}

// ── all of it ───────────────────────────────────────────────────────────────────────────────────

const server = await startServer()
const browser = await launchChromium()
try {
  const cookie = await sessionCookie(server)
  const files = await fetchPage(server, cookie)
  reportBytes(files)
  await measurePaint(browser, server, cookie, files)
  const page = await openSkills(browser, server, cookie)
  await measureScroll(page)
  await measureSearch(page)
  await measureRooms(page, server)
  await page.context().close()
  await browser.close()
  await measureConsoles(server)
} finally {
  await browser.close()
  await server.stop()
}
console.log(`| what | measured | budget |\n|---|---|---|\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`)
process.exit(0)
