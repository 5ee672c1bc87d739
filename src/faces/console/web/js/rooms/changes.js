// Changes: one entry per generation, live; and what somebody missed who stopped at one.
import { call } from '../backend.js'
import { fill, h, text } from '../dom.js'
import { clock, plural, since, utc } from '../format.js'
import { live } from '../live.js'
import { go, href } from '../router.js'
import { copy, show } from '../ui.js'

const BARS = 60
const RECENT = 1000
const ROWS_OF_GROUP = 100
const GROUPS_KEPT = 120
const REPLAYED = 10000
const SIGN = { added: ['+', 'ok'], changed: ['~', 'warn'], removed: ['−', 'err'] }
const OPERATION = { external: 'Edit on disk', download: 'Download', register: 'Registration', remove: 'Removal' }

/** Rows of directory::changes by generation and cause, newest first. */
export function groupsOf(rows) {
  const groups = new Map()
  for (const { generation, at, op, source, ...change } of rows) {
    const key = `${generation} ${op} ${source}`
    if (!groups.has(key)) groups.set(key, { generation, at, op, source, changes: [] })
    groups.get(key).changes.push(change)
  }
  return [...groups.values()].sort((a, b) => b.generation - a.generation)
}

const size = (g) => g.changes.length + (g.more || 0)

function changeRow(c) {
  const [sign, cls] = SIGN[c.change] || ['·', 'dim']
  const id =
    c.change === 'removed'
      ? h('span.mono.dim', null, text(c.id))
      : h('a.txt.mono', { href: href(c.kind === 'prompt' ? 'prompts' : 'skills', c.id) }, text(c.id))
  return h('li', null, h(`span.sgn.${cls}`, { title: c.change }, sign), h('span.dim', null, c.kind), id)
}

function groupView(g, fresh) {
  const source = g.source && g.source !== 'disk' ? h('span.dim', null, '  ', text(g.source)) : ''
  const left = Math.max(0, size(g) - ROWS_OF_GROUP)
  const more = left ? h('li.dim', null, h('span'), h('span'), `and ${plural(left, 'other')}`) : null
  return h(
    `section.gen${fresh ? '.fresh' : ''}`,
    { 'aria-label': `Generation ${g.generation}` },
    h('div.g', null, g.generation),
    h('div.when', { title: utc(g.at) }, clock(g.at)),
    h('div', null, h('div.op', null, OPERATION[g.op] || g.op, source), h('ul', null, g.changes.slice(0, ROWS_OF_GROUP).map(changeRow), more)),
  )
}

/** What several generations come to: {added, changed, removed}. */
export function netChanges(groups) {
  const net = new Map()
  for (const g of [...groups].sort((a, b) => a.generation - b.generation)) {
    for (const c of g.changes) {
      const key = `${c.kind} ${c.id}`
      const before = net.get(key)
      if (before === 'added' && c.change === 'removed') net.delete(key)
      else if (before === 'added' && c.change === 'changed') continue
      else if (before === 'removed' && c.change === 'added') net.set(key, 'changed')
      else net.set(key, c.change)
    }
  }
  const out = { added: 0, changed: 0, removed: 0 }
  for (const change of net.values()) out[change]++
  return out
}

/** Whether the log can say what happened after `since`: `all` of it, no longer (`behind`), or not yet (`ahead`). */
const reach = ({ generation, truncated }, since) =>
  since > (generation ?? live.generation) ? 'ahead' : truncated ? 'behind' : 'all'

/** The log keeps no change of more documents than it has room for. */
export const TOO_LARGE = 'The last change was too large for the log: everything may be different.'

const NOTHING = {
  large: ['No list of changes', TOO_LARGE],
  live: ['Nothing changed yet', 'Edit a file in a folder that is watched, and it shows up here.'],
  all: ['Nothing was missed', 'There was no change after this generation.'],
  behind: ['What was missed is not known', 'Everything may be different: read it all again.'],
  ahead: ['Nothing yet', 'Replay from a generation that there is.'],
}

export const changesRoom = {
  title: 'Changes',
  held: 0,
  paused: false,

  mount(el) {
    this.scrub = h('div.scrub')
    this.note = h('div')
    this.feed = h('div.feed', { role: 'log', 'aria-label': 'Changes, newest first' })
    this.el = h(
      'div.chg',
      null,
      this.scrub,
      h('div.scroll', { tabindex: 0, role: 'region', 'aria-label': 'Changes' }, this.note, this.feed),
    )
    el.append(this.el)
  },

  tools() {
    const from = () => Number(this.field.value) || Math.max(1, live.generation - 12)
    const attrs = {
      inputmode: 'numeric',
      'aria-label': 'Generation to replay from',
      placeholder: String(Math.max(1, live.generation - 12)),
    }
    this.field = h('input.in.num-in', { ...attrs, onkeydown: (e) => e.key === 'Enter' && this.replay(from()) })
    this.toggle = h('button.btn.quiet', { type: 'button', 'aria-pressed': 'false', onclick: () => this.pause() })
    return [
      this.toggle,
      h('span.sub.push.hide-s', null, 'Replay from'),
      this.field,
      h('button.btn', { type: 'button', onclick: () => this.replay(from()) }, 'Replay'),
    ]
  },

  pause() {
    this.paused = !this.paused
    if (!this.paused) this.read()
    this.drawToggle()
  },

  drawToggle() {
    const held = this.held ? h('span.warn', null, ` ${this.held}`) : null
    fill(this.toggle, this.paused ? ['Resume', held] : ['Pause', h('kbd', null, 'p')])
    this.toggle.setAttribute('aria-pressed', String(this.paused))
  },

  enter(route) {
    const wanted = route.query.get('since')
    this.since = wanted && /^\d+$/.test(wanted) ? Number(wanted) : null
    if (this.since !== null) this.field.value = this.since
    this.drawToggle()
    this.read()
  },

  read() {
    this.held = 0
    this.heard = 0
    show(
      this.feed,
      () => this.ask(),
      (data) => {
        this.data = data
        this.known = data.groups[0]?.generation ?? 0
        this.draw()
        // A change that was told while the answer was on its way may not be in it.
        if (this.heard > this.known) queueMicrotask(() => this.read())
      },
    )
  },

  async ask() {
    const read = async (input) => {
      const answer = await call('directory::changes', { newest: true, ...input })
      return { ...answer, groups: groupsOf(answer.changes) }
    }
    const recent = await read({ limit: RECENT })
    if (this.since === null) return recent
    return { ...recent, replay: await read({ since: this.since, limit: REPLAYED }) }
  },

  replay(from) {
    go(href('changes', '', { since: from }))
  },

  draw() {
    const { groups, replay } = this.data
    this.drawBars(groups.slice(0, BARS).reverse())
    fill(this.note, replay ? this.replayNote(replay) : null)
    const shown = replay ? replay.groups : groups.slice(0, BARS)
    fill(
      this.feed,
      shown.map((g) => groupView(g)),
      shown.length ? null : this.nothing(replay),
    )
  },

  nothing(replay) {
    const [title, words] = NOTHING[replay ? reach(replay, this.since) : this.data.truncated ? 'large' : 'live']
    return h('div.state', null, h('h2', null, title), h('p', null, words))
  },

  drawBars(recent) {
    if (!recent.length)
      return fill(this.scrub, h('div.bars'), h('div.legend', null, h('span', null, `generation ${live.generation}`)))
    const peak = Math.max(...recent.map(size))
    const bar = (g) => {
      const line = h('i')
      line.style.height = `${4 + (size(g) / peak) * 34}px`
      const attrs = {
        type: 'button',
        tabindex: -1,
        title: `${g.generation}: ${size(g)} · ${g.source || g.op}`,
        'aria-label': `Generation ${g.generation}, ${plural(size(g), 'change')}`,
      }
      const on = this.since !== null && g.generation > this.since
      return h(
        `button.bar-${g.op === 'download' ? 'download' : 'other'}${on ? '.on' : ''}`,
        { ...attrs, onclick: () => this.replay(g.generation - 1) },
        line,
      )
    }
    const end = (g) => h('span', null, `${g.generation} · ${since(g.at)}`)
    fill(
      this.scrub,
      h('div.bars', { role: 'group', 'aria-label': 'Generations; choose one to replay from' }, recent.map(bar)),
      h(
        'div.legend',
        null,
        end(recent[0]),
        h('span.hide-s', null, 'height: documents changed · choose a bar to replay from there'),
        end(recent.at(-1)),
      ),
    )
  },

  replayNote(replay) {
    const { groups, epoch } = replay
    const net = netChanges(groups)
    const command = `iii-directory trigger directory::changes since=${this.since} epoch=${epoch}`
    const how = reach(replay, this.since)
    const words = {
      ahead: `There is no generation ${this.since} yet: the newest is ${replay.generation ?? live.generation}.`,
      behind: `The log does not reach back to ${this.since}: who stopped there reads everything again.`,
      all: `Who stopped at ${this.since} has missed ${plural(groups.length, 'generation')}. `,
    }[how]
    const sum =
      how === 'all' ? `Taken together: ${net.added} added, ${net.changed} changed, ${net.removed} removed.` : null
    const buttons = h(
      'span',
      null,
      h('button.btn', { type: 'button', onclick: () => copy(command, 'the command') }, 'Copy'),
      ' ',
      h('a.btn.quiet', { href: href('changes') }, 'Back to live'),
    )
    return h(
      'div.replay',
      { role: 'note' },
      h('div', null, h('b', null, words), sum, h('code', { tabindex: 0 }, command)),
      buttons,
    )
  },

  live(e) {
    if (e.type === 'truncated') return this.read()
    if (e.type !== 'change') return
    this.heard = e.generation
    if (!this.data || this.since !== null || e.generation <= this.known) return
    if (this.paused) {
      this.held++
      return this.drawToggle()
    }
    this.data.groups.unshift(e)
    this.data.groups.length = Math.min(this.data.groups.length, GROUPS_KEPT)
    this.drawBars(this.data.groups.slice(0, BARS).reverse())
    if (!this.feed.querySelector('.gen')) fill(this.feed)
    this.feed.prepend(groupView(e, true))
    while (this.feed.children.length > GROUPS_KEPT) this.feed.lastChild.remove()
  },

  key(e) {
    if (e.key !== 'p') return false
    this.toggle.click()
    return true
  },
}
