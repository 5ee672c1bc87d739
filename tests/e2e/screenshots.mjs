// The pictures of the console that README.md shows (docs/images/console-ROOM-SCHEME-WIDTH.png), on an invented company's skills with a
// few workers, a few sources and some traffic. Run by scripts/screenshots.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { launchChromium } from './lib/chromium.mjs'
import { configFile } from './lib/directory.mjs'
import { startEngine, tempDir } from './lib/engine.mjs'
import { writeExample } from './lib/example_tree.mjs'
import { makeRepository, startGitServer } from './lib/git_server.mjs'
import { call, callable, sdks } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'
import { eventually } from './lib/wait.mjs'

const out = process.argv[2] ?? 'docs/images'
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const TRAFFIC_MS = Number(process.env.TRAFFIC_MS ?? 45_000)

const cleanups = []
const t = { after: (act) => cleanups.push(act) }

// ── what there is to see ────────────────────────────────────────────────────────────────────────

const page = (name, title) => `---\nname: ${name}\ntitle: ${title}\ndescription: ${title}.\ntype: index\n---\n# ${title}\n\nText.\n`

async function install(node, git, registry) {
  const download = (payload) => call(node, 'directory::skills::download', payload, { timeoutMs: 60_000 })
  await download({ worker: 'resend' })
  await download({ worker: 'calendar-sync', version: '2.1.0' })
  await download({ repo: git.url('skills.git'), skill: 'pdf' })
  await download({ repo: git.url('skills.git'), skill: 'mcp-builder' })
  registry.bundles.resend.version = '1.5.1'
  registry.bundles.resend.skills['send.md'] = '# Send\n\nSend it twice.\n'
}

const FUNCTIONS = {
  database: {
    'database::query': [
      'Answers a question from the rows of a table.',
      {
        question: { type: 'string', description: 'What you want to know, in a sentence.' },
        tables: { type: ['array', 'null'], items: { type: 'string' }, description: 'Where to look; all tables when absent.' },
        limit: { type: ['integer', 'null'], minimum: 1, maximum: 1000, default: 100, description: 'Most rows to return.' },
        dry_run: { type: ['boolean', 'null'], description: 'Only show the statement.' },
      },
      ['question'],
    ],
    'database::explain': [
      'Reads the plan of a statement and says what to change.',
      { sql: { type: 'string', description: 'One statement.' } },
      ['sql'],
    ],
    'database::write': ['Changes rows in one transaction.', { statement: { type: 'string' } }, ['statement']],
  },
  'image-tools': {
    'image::resize': [
      'Makes a picture smaller, or larger, or of another kind.',
      { url: { type: 'string' }, width: { type: 'integer', minimum: 1, maximum: 8192 } },
      ['url', 'width'],
    ],
    'image::describe': ['Says what is in a picture.', { url: { type: 'string' } }, ['url']],
  },
  'mail-relay': {
    'mail::send': [
      'Sends one mail after a person has seen it.',
      { to: { type: 'array', items: { type: 'string' } }, subject: { type: 'string' } },
      ['to', 'subject'],
    ],
  },
}
const ANSWER = {
  sql: 'select c.country, count(*) as orders from orders o join customers c using (customer_id) group by 1 order by 2 desc limit 20',
  rows: [
    { country: 'DE', orders: 1841 },
    { country: 'FR', orders: 1212 },
    { country: 'NL', orders: 655 },
  ],
  took_ms: 4.7,
}

async function startWorkers(url) {
  const workers = []
  for (const [workerName, functions] of Object.entries(FUNCTIONS)) {
    const worker = sdks['0.22.1'].module.registerWorker(url, {
      workerName,
      workerDescription: `The ${workerName} worker of the example.`,
      otel: { enabled: false },
      enableMetricsReporting: false,
    })
    for (const [id, [description, properties, required]] of Object.entries(functions)) {
      const handler = async () => {
        if (Math.random() < 0.004) throw new Error('the replica is behind')
        return ANSWER
      }
      worker.registerFunction(id, handler, {
        description,
        request_format: { type: 'object', properties, required },
        metadata: { mcp: { read_only_hint: !id.endsWith('write') && !id.endsWith('send') } },
      })
    }
    await callable(worker, ...Object.keys(functions))
    workers.push(worker)
  }
  cleanups.push(() => Promise.all(workers.map((worker) => worker.shutdown())))
  return workers[0]
}

/** Calls that come in waves until `stop()`. */
function traffic(node) {
  let on = true
  const ids = [
    'database::query',
    'database::query',
    'database::query',
    'directory::skills::get',
    'directory::skills::get',
    'image::resize',
    'state::get',
    'database::explain',
    'mail::send',
  ]
  const payloads = { 'directory::skills::get': { id: 'database/query' }, 'state::get': { scope: 'notes', key: 'today' } }
  const caller = async (n) => {
    for (let i = n; on; i++) {
      const id = ids[i % ids.length]
      await call(node, id, payloads[id] ?? {}).catch(() => {})
      await pause(10 + 8 * Math.sin(Date.now() / 4000) + Math.random() * 8)
    }
  }
  const callers = Array.from({ length: 4 }, (_, n) => caller(n))
  return async () => {
    on = false
    await Promise.all(callers)
  }
}

async function connectReaders(server) {
  for (const [name, version, reads] of [
    ['claude-code', '2.4.1', 5],
    ['cursor', '3.1.0', 12],
  ]) {
    const client = new Client({ name, version })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.http}/mcp`)))
    for (let i = 0; i < reads; i++) await client.readResource({ uri: 'iii://database/query' })
    cleanups.push(() => client.close())
  }
}

/** A few generations, so that there is something to replay. */
async function edit(root, node) {
  const generation = async () => (await call(node, 'directory::changes', {})).generation
  const edits = [
    ['mail/create-drafts.md'],
    ['notes/today.md', 'notes/later.md'],
    ['database/query.md'],
    ['support/review-tickets.md', 'support/review-macros.md', 'support/close-again.md'],
    ['incident/review-pages.md'],
  ]
  for (const [i, names] of edits.entries()) {
    const before = await generation()
    for (const name of names) {
      mkdirSync(join(root, name, '..'), { recursive: true })
      if (name !== 'database/query.md')
        writeFileSync(
          join(root, name),
          `---\ntitle: Note ${i}\ndescription: Written while the pictures were made.\ntype: how-to\n---\n# Note ${i}\n\nText.\n`,
        )
      else
        writeFileSync(
          join(root, 'database/ask-again.md'),
          '---\ntitle: Ask again\ndescription: When the first answer was not the one.\ntype: how-to\n---\n# Ask again\n',
        )
    }
    await eventually('the edit is seen', async () => (await generation()) > before)
  }
}

// ── the pictures ────────────────────────────────────────────────────────────────────────────────

const ROOMS = {
  overview: ['', '.ledger'],
  skills: ['skills/database/query?q=data', '.doc .h1'],
  doctor: ['doctor', '.item'],
  sources: ['sources', 'tr[data-ns]'],
  bus: ['bus/database::query', '.ff'],
}

const PREPARE = {
  async bus(tab) {
    await tab.locator('#f-0').fill('orders per country last week, largest first')
    await tab.locator('#f-2').fill('20')
    await tab.getByRole('button', { name: /^Call/ }).click()
    await tab.locator('.answer pre').waitFor()
    await tab.evaluate(() => document.querySelector('.detail').scrollTo(0, 0))
  },
  async sources(tab) {
    await tab.getByRole('button', { name: /^Check/ }).click()
    await tab.getByText('newer upstream').first().waitFor()
  },
}

async function takePictures(server) {
  const browser = await launchChromium()
  cleanups.push(() => browser.close())
  for (const [name, room, scheme, width] of readme.matchAll(/console-([a-z]+)-(light|dark)-([0-9]+)\.png/g)) {
    const [place, there] = ROOMS[room]
    const tab = await browser.newPage({ viewport: { width: Number(width), height: 800 }, colorScheme: scheme, reducedMotion: 'reduce' })
    await tab.goto(`${server.http}/console/${place}`)
    await tab.locator(there).first().waitFor()
    await PREPARE[room]?.(tab)
    await tab.evaluate(() => document.activeElement?.blur())
    // Two samples, so that plots have drawn what came since.
    await pause(1_500)
    await tab.screenshot({ path: join(out, name) })
    await tab.close()
  }
}

async function main() {
  mkdirSync(out, { recursive: true })
  const home = tempDir()
  const [root, local] = [join(home, '.iii', 'skills'), join(home, 'project', '.iii', 'skills')]
  writeExample(root, local)
  const repos = tempDir()
  makeRepository(repos, 'skills', {
    files: {
      'skills/pdf/SKILL.md': page('pdf', 'Fill, split and read PDF files'),
      'skills/mcp-builder/SKILL.md': page('mcp-builder', 'Build MCP servers that agents like'),
      'skills/mcp-builder/evaluate.md': '# Evaluate\n\nText.\n',
    },
  })
  const git = await startGitServer(repos)
  cleanups.push(() => git.close())
  const registry = await startShelf(t, {
    resend: {
      version: '1.4.0',
      skills: { 'SKILL.md': page('resend', 'Send transactional mail and keep templates'), 'send.md': '# Send\n\nSend it.\n' },
    },
    'calendar-sync': { version: '2.1.0', skills: { 'SKILL.md': page('calendar-sync', 'Keep two calendars the same') } },
  })
  const config = configFile({
    skills_folder: root,
    local_skills_folder: local,
    filter_unregistered: false,
    registry_url: registry.url,
    ca_file: git.caFile,
    git_private_hosts: ['localhost'],
  })
  const server = await startEngine({ args: ['--config', config, '--log-level', 'error'], env: { HOME: home } })
  cleanups.push(() => server.stop())
  const node = await startWorkers(server.url)
  await install(node, git, registry)
  writeFileSync(join(root, 'pdf', 'SKILL.md'), `${page('pdf', 'Fill, split and read PDF files')}\nOur own line.\n`)
  await edit(root, node)
  await connectReaders(server)
  const stop = traffic(node)
  await pause(TRAFFIC_MS)
  await takePictures(server)
  await stop()
  rmSync(join(root, 'notes'), { recursive: true, force: true })
}

try {
  await main()
} finally {
  for (const act of cleanups.reverse()) await act()
}
process.exit(0)
