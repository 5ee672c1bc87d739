// The console in a real browser (Debian's Chromium, driven by playwright-core), on a server of the test's own. Every page is watched:
// an error in the page or on its console, a violation of the content-security policy, or a request to another origin fails the test.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after } from 'node:test'
import { launchChromium } from './chromium.mjs'
import { configFile, tree } from './directory.mjs'
import { startEngine, tempDir } from './engine.mjs'
import { deadlineMs } from './wait.mjs'

let browser
after(async () => (await browser)?.close())

/** One for all tests of a file. */
export const launch = () => (browser ??= launchChromium())

/** By origin: what ends its tabs. They close before their server does, or they would report that it is away. */
const endings = new Map()

/** A server with skills of its own. `files` below the skills folder, `local` below the local one; `config` overrides any setting. */
export async function startConsole(t, { files = {}, local, config = {}, args = [], env = {} } = {}) {
  const root = config.skills_folder ?? tree(files)
  const home = tempDir()
  const settings = {
    skills_folder: root,
    local_skills_folder: local ? tree(local) : join(tempDir(), 'no-local'),
    filter_unregistered: false,
    builtin_docs: false,
    registry_url: 'http://127.0.0.1:1',
    ...config,
  }
  const file = configFile(settings)
  const server = await startEngine({ args: ['--config', file, ...args], env: { HOME: home, ...env } })
  endings.set(server.http, [])
  t.after(async () => {
    for (const end of endings.get(server.http)) await end()
    await server.stop()
  })
  return { ...server, root, local: settings.local_skills_folder, file, home }
}

const violationProbe = () => {
  window.violations = []
  document.addEventListener('securitypolicyviolation', (e) => window.violations.push(`${e.violatedDirective}: ${e.blockedURI} ${e.sample}`))
}

/**
 * A tab of a new browser profile. `allow`: patterns of console errors that the test provokes (the browser itself reports answers with
 * an error status and connections that are refused).
 */
export async function openTab(t, origin, { width = 1280, height = 800, scheme = 'light', allow = [], context: options = {} } = {}) {
  const context = await (
    await launch()
  ).newContext({
    viewport: { width, height },
    colorScheme: scheme,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  context.setDefaultTimeout(deadlineMs)
  await context.addInitScript(violationProbe)
  const page = await context.newPage()
  const faults = []
  page.on('pageerror', (error) => faults.push(`page error: ${error.stack}`))
  page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) faults.push(`request to ${request.url()}`)
  })
  const check = async () => {
    faults.push(...(page.isClosed() ? [] : await page.evaluate(() => window.violations ?? []).catch(() => [])))
    const left = faults.filter((fault) => !allow.some((pattern) => pattern.test(fault)))
    assert.deepEqual(left, [], 'the page had faults')
  }
  endings.get(origin).push(async () => {
    // How the page looked at the end, for somebody who searches for the reason of a failure.
    if (process.env.III_E2E_PICTURES)
      await page.screenshot({ path: join(process.env.III_E2E_PICTURES, `${t.name.replace(/\W+/g, '-').slice(0, 60)}.png`) }).catch(() => {})
    // A hook that throws keeps those after it from running (a worker would stay connected for ever): it becomes the last one.
    await check().catch((fault) =>
      t.after(() => {
        throw fault
      }),
    )
    // A request that a test intercepts may be under way: its handler fails when the page goes, which is not a fault.
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
  return Object.assign(page, {
    faults,
    /** Opens a place of the console, e.g. visit('skills?q=data'). */
    visit: async (place = '') => {
      await page.goto(`${origin}/console/${place}`)
      await page.locator('#link-text').filter({ hasNotText: 'connecting' }).waitFor()
    },
  })
}

/** Both at once: the usual beginning of a test. */
export async function openConsole(t, options = {}) {
  const server = await startConsole(t, options)
  const page = await openTab(t, server.http, options)
  return { server, page }
}

/** The errors that the browser logs for answers with one of these statuses. */
export const statuses = (...codes) => new RegExp(`Failed to load resource.*status of (${codes.join('|')}) `)
export const refusedConnections =
  /Failed to load resource: net::ERR_(CONNECTION_REFUSED|INTERNET_DISCONNECTED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)|net::ERR_INCOMPLETE_CHUNKED_ENCODING/
