// Connect: what to write into a harness, and the harness arriving.
import { call } from '../backend.js'
import { fill, h } from '../dom.js'
import { plural } from '../format.js'
import { later, live } from '../live.js'
import { go, href, stay } from '../router.js'
import { codeBox, optional, segments } from '../ui.js'
import { readersTable } from './overview.js'
import { HARNESSES, snippet, STDIO_ONLY } from './snippets.js'

const TRANSPORTS = [
  ['stdio', 'stdio'],
  ['http', 'HTTP'],
]

/** The addresses under which this page reached the server. */
function addresses() {
  const ws = new URL(live.boot?.ws || 'ws://127.0.0.1:49134')
  ws.hostname = location.hostname
  return { url: `${location.origin}/mcp`, ws: ws.href.replace(/\/$/, '') }
}

export const connectRoom = {
  title: 'Connect',
  harness: 'claude-code',
  transport: 'http',
  sessions: { sessions: [] },

  mount(el) {
    this.side = h('div.side.scroll', { role: 'group', 'aria-label': 'Harness' })
    this.body = h('div.scroll', { tabindex: 0, role: 'region', 'aria-label': 'Steps' })
    this.readers = h('div', { 'aria-live': 'polite' })
    el.append(h('div.conn', null, this.side, this.body))
    this.token = Boolean(live.boot?.token_required)
    this.again = later(() => this.readSessions(), 200)
  },

  tools() {
    this.transports = h('span')
    return [this.transports]
  },

  enter(route) {
    this.harness = HARNESSES.some(([key]) => key === route.rest) ? route.rest : 'claude-code'
    this.transport = route.query.get('by') === 'stdio' ? 'stdio' : 'http'
    this.draw()
    this.readSessions()
  },

  async readSessions() {
    const turn = (this.turn = {})
    const sessions = await optional(call('directory::sessions'))
    if (turn !== this.turn) return // an older answer
    this.sessions = sessions
    fill(this.readers, readersTable(this.sessions))
  },

  address(harness, transport) {
    return href('connect', harness, { by: transport === 'stdio' ? 'stdio' : null })
  },

  draw() {
    const worker = this.harness === 'worker'
    const by = STDIO_ONLY.has(this.harness) ? 'stdio' : this.transport
    const switchTo = (transport) => {
      stay(this.address(this.harness, transport))
      this.transport = transport
      this.draw()
    }
    fill(
      this.transports,
      worker || STDIO_ONLY.has(this.harness) ? null : segments('Transport', TRANSPORTS, by, switchTo),
    )
    const item = ([key, title]) =>
      h(
        'button',
        {
          type: 'button',
          'aria-current': String(key === this.harness),
          onclick: () => go(this.address(key, this.transport)),
        },
        title,
      )
    fill(this.side, HARNESSES.map(item))
    const steps = worker ? this.workerSteps() : this.harnessSteps(by)
    fill(
      this.body,
      h(
        'div.pad',
        null,
        this.introduction(worker),
        h('div.gap16'),
        h(
          'ol.steps',
          null,
          steps.map(([title, body]) => h('li', null, h('div', null, h('h2.h', null, title), body))),
        ),
      ),
    )
  },

  introduction(worker) {
    if (worker) return h('p.say.lesser', null, 'A worker brings functions. Agents find them with their skills.')
    const title = HARNESSES.find(([key]) => key === this.harness)[1]
    const { skills = 0, prompts = 0 } = live.boot?.counts || {}
    return [
      h('p.say.lesser', null, `Give ${this.harness === 'other' ? 'any MCP client' : title} these skills.`),
      h(
        'p.why',
        null,
        `It gets ${plural(skills, 'resource')}, ${plural(prompts, 'prompt')} and tools to find, read and call, and hears of every change.`,
      ),
    ]
  },

  workerSteps() {
    const [where, program] = snippet('worker', addresses())
    return [
      ['Install the SDK', codeBox('npm install iii-sdk@0.22.1', 'the command')],
      [where, codeBox(program, 'the program')],
      ['Call it from anywhere', codeBox('iii-directory trigger math::add a=1 b=2', 'the command')],
    ]
  },

  harnessSteps(by) {
    const { url, ws } = addresses()
    const [where, code] = snippet(this.harness, { stdio: by === 'stdio', url, token: this.token && by === 'http' })
    const title = HARNESSES.find(([key]) => key === this.harness)[1]
    const below =
      by === 'http'
        ? this.tokenBox()
        : h(
            'p.hint2',
            null,
            'It reads the folders itself; no server has to run. With ',
            h('code', null, `--url ${ws}`),
            ' it also offers the functions of this bus.',
          )
    return [
      [where, [codeBox(code, 'the snippet'), below]],
      [
        'Ask for something',
        [
          h('p.lede', null, `In ${title}, say:`),
          codeBox('Which skills do you see from the directory? Open the one that fits my task.', 'the sentence', true),
        ],
      ],
      [
        'See it arrive',
        [
          h('p', null, h('span.waitdot'), 'Waiting for a new reader. It shows up here the moment it connects.'),
          this.readers,
        ],
      ],
    ]
  },

  tokenBox() {
    const box = h('input', { type: 'checkbox' })
    box.checked = this.token
    box.onchange = () => {
      this.token = box.checked
      this.draw()
    }
    return h(
      'label.check',
      null,
      box,
      h(
        'span',
        null,
        'The server runs with ',
        h('code', null, '--token'),
        '; the variable ',
        h('code', null, 'III_TOKEN'),
        ' holds it',
      ),
    )
  },

  live(e) {
    if (e.type === 'session') this.again()
  },
}
