// Bus: how it does (plots), who is on it, what can be called and what is bound.
import { call } from '../backend.js'
import { fill, h, icon, plainText, text } from '../dom.js'
import { num, percent, plural, rate, since } from '../format.js'
import { later, live } from '../live.js'
import { callsPlot, errorsPlot, latencyPlot, spark } from '../plot.js'
import { go, href, narrow, stay } from '../router.js'
import { enterList, forgetQuestions, lede, listKeys, optional, redraw, refresh, searchField, segments, show } from '../ui.js'
import { functionView } from './call_form.js'

const VIEWS = [
  ['functions', 'Functions'],
  ['workers', 'Workers'],
  ['triggers', 'Triggers'],
]
const STATS_EVERY = 5 // samples, one a second
const QUIET = 0.05 // calls per second below which no line is drawn
const MOST_ROWS = 600

/** engine::stats by function and trigger type; empty when the engine does not keep them. */
async function readStats() {
  const stats = await optional(call('engine::stats', { window: 1, limit: 500 }))
  return {
    functions: new Map((stats.functions || []).map((f) => [f.function_id, f])),
    triggers: new Map((stats.trigger_types || []).map((t) => [t.id, t.fired])),
  }
}

export const busRoom = {
  title: 'Bus',
  view: 'functions',
  stats: { functions: new Map(), triggers: new Map() },

  mount(el) {
    this.plots = [callsPlot(), errorsPlot(), latencyPlot()]
    this.body = h('div.busbody')
    this.el = h(
      'div.bus',
      null,
      h(
        'div.strip',
        null,
        this.plots.map((p) => p.el),
      ),
      this.body,
    )
    el.append(this.el)
    this.list = h('div.items.scroll', { onkeydown: (e) => listKeys(this.list, e) })
    this.detail = h('div.detail', { role: 'region', 'aria-label': 'Function', tabindex: -1 })
    this.filter = h('input', {
      type: 'search',
      placeholder: 'Search functions',
      'aria-label': 'Search functions',
      oninput: () => this.drawList(),
    })
    const pane = h('div.listpane', null, h('div.listhead', null, searchField(this.filter)), this.list)
    this.two = h('div.two', null, pane, this.detail)
    this.again = later(() => this.reread(), 200)
    this.ticks = 0
  },

  tools() {
    this.views = h('span')
    return [this.views]
  },

  enter(route) {
    const wanted = route.query.get('view')
    this.view = VIEWS.some(([key]) => key === wanted) ? wanted : 'functions'
    this.fn = route.rest
    fill(
      this.views,
      segments('View', VIEWS, this.view, (v) => go(href('bus', '', { view: v === 'functions' ? null : v }))),
    )
    for (const plot of this.plots) plot.draw(live.samples)
    this.two.classList.toggle('reading', Boolean(this.fn))
    this.el.classList.toggle('reading-fn', Boolean(this.fn))
    if (this.view === 'functions') {
      forgetQuestions(this.body)
      if (this.two.parentNode !== this.body) fill(this.body, this.two)
      show(
        this.list,
        () => this.readFunctions(),
        (rows) => this.takeFunctions(rows),
      )
    } else if (this.view === 'workers')
      show(
        this.body,
        () => this.readWorkers(),
        (rows) => this.workersView(rows),
      )
    else
      show(
        this.body,
        () => this.readTriggers(),
        (rows) => this.triggersView(rows),
      )
  },

  reread() {
    if (this.view === 'functions')
      refresh(
        this.list,
        () => this.readFunctions(),
        (rows) => this.takeFunctions(rows),
      )
    else if (this.view === 'workers')
      refresh(
        this.body,
        () => this.readWorkers(),
        (rows) => this.workersView(rows),
      )
    else
      refresh(
        this.body,
        () => this.readTriggers(),
        (rows) => this.triggersView(rows),
      )
  },

  // ── functions ─────────────────────────────────────────────────────────────────────────────────

  async readFunctions() {
    const [{ functions }, stats] = await Promise.all([call('engine::functions::list'), readStats()])
    this.stats = stats
    return functions
  },

  takeFunctions(rows) {
    // Only what was listed can be seen to go: some functions never are.
    const had = this.functions?.some((f) => f.function_id === this.shown)
    const has = rows.some((f) => f.function_id === this.shown)
    if (had !== has) this.form?.setGone(had && !has)
    this.functions = rows
    this.drawList()
  },

  drawList() {
    if (!this.functions) return
    const words = this.filter.value.toLowerCase().split(/\s+/)
    const haystack = (f) => `${f.function_id} ${f.description || ''} ${f.worker_name || ''}`.toLowerCase()
    const hits = this.functions.filter((f) => words.every((w) => haystack(f).includes(w)))
    const current = this.fn || (narrow() ? null : this.defaultFunction())
    const groups = new Map()
    for (const f of hits.slice(0, MOST_ROWS)) groups.set(f.worker_name, [...(groups.get(f.worker_name) || []), f])
    this.rows = []
    redraw(
      this.list,
      [...groups].map(([worker, list]) => [
        h('div.grp', null, text(worker || 'unknown'), h('span.n', null, list.length)),
        list.map((f) => this.functionRow(f, current)),
      ]),
      hits.length > MOST_ROWS
        ? h('p.sub.pad-s', null, `${num(hits.length - MOST_ROWS)} more; type to narrow it down.`)
        : null,
      hits.length ? null : h('div.state', null, h('p', null, 'No function has these words.')),
    )
    if (current && this.shown !== current) this.openFunction(current)
  },

  /** The busiest that only reads, so that the room does not begin empty. */
  defaultFunction() {
    const ids = new Set(this.functions.map((f) => f.function_id))
    const busy = [...this.stats.functions.values()]
      .filter((f) => ids.has(f.function_id) && f.rate >= QUIET)
      .sort((a, b) => b.rate - a.rate)
    return (
      busy[0]?.function_id ||
      (ids.has('directory::skills::list') ? 'directory::skills::list' : this.functions[0]?.function_id)
    )
  },

  functionRow(f, current) {
    const id = f.function_id
    const pick = () => {
      this.fn = id
      if (narrow()) return go(href('bus', id))
      stay(href('bus', id))
      this.drawList()
    }
    const row = { id, errors: h('span.bad'), line: h('span.line'), rate: h('span.rate') }
    this.rows.push(row)
    this.fillRates(row)
    return h(
      'button.fnrow',
      {
        type: 'button',
        'data-key': id,
        'aria-current': String(id === current),
        title: plainText(f.description || ''),
        onclick: pick,
      },
      h('span.mono', null, text(id)),
      row.errors,
      row.line,
      row.rate,
    )
  },

  /** Only text and a line change, so that neither focus nor pointer lose their row. */
  fillRates({ id, errors, line, rate: value }) {
    const stats = this.stats.functions.get(id)
    const busy = stats && stats.rate >= QUIET
    fill(line, busy ? spark(stats.points || []) : null)
    errors.textContent = busy && stats.error_rate ? percent(stats.error_rate) : ''
    errors.title = errors.textContent ? `${errors.textContent} of its calls fail` : ''
    value.textContent = busy ? `${rate(stats.rate)}/s` : '–'
  },

  openFunction(id) {
    this.shown = id
    this.form = null
    show(
      this.detail,
      () => call('engine::functions::info', { function_id: id }),
      (info) => {
        if (this.fn) document.title = `${plainText(id)} · iii-directory`
        this.form = functionView(info, this.stats.functions.get(id))
        return this.form.view
      },
    )
  },

  // ── workers ───────────────────────────────────────────────────────────────────────────────────

  async readWorkers() {
    const [{ workers }, { functions }, stats] = await Promise.all([
      call('engine::workers::list'),
      call('engine::functions::list'),
      readStats(),
    ])
    const rates = new Map()
    for (const f of functions)
      rates.set(f.worker_name, (rates.get(f.worker_name) || 0) + (stats.functions.get(f.function_id)?.rate || 0))
    return workers.map((w) => ({ ...w, rate: rates.get(w.name) || 0 }))
  },

  workersView(list) {
    const head = h(
      'tr',
      null,
      h('th', { scope: 'col' }, 'Worker'),
      h('th.hide-s', { scope: 'col' }, 'Runs on'),
      h('th.r', { scope: 'col' }, 'Functions'),
      h('th.r.hide-s', { scope: 'col' }, 'In flight'),
      h('th.r', { scope: 'col' }, 'Calls/s'),
      h('th.r.hide-s', { scope: 'col' }, 'Since'),
    )
    const row = (w) =>
      h(
        'tr',
        null,
        h(
          'td',
          null,
          h(
            'span.st',
            null,
            h(`span.${['connected', 'available'].includes(w.status) ? 'ok' : 'dim'}`, null, icon('served')),
            h('b.mono', null, text(w.name)),
            h('span.dim', null, text(w.version || '')),
          ),
          h('div.dim.sm.desc', null, text(w.description || '')),
        ),
        h(
          'td.hide-s',
          null,
          text(w.runtime || ''),
          h('span.dim', null, w.isolation ? ` · ${w.isolation}` : ''),
          h('div.dim.sm', null, text([w.os, w.ip_address, w.pid ? `pid ${w.pid}` : ''].filter(Boolean).join(' · '))),
        ),
        h('td.r', null, w.function_count ? num(w.function_count) : '–'),
        h('td.r.hide-s', null, w.active_invocations ? num(w.active_invocations) : '–'),
        h('td.r', null, w.rate >= QUIET ? rate(w.rate) : '–'),
        h('td.r.dim.hide-s', null, w.connected_at_ms ? since(w.connected_at_ms) : '–'),
      )
    // The number beside the room's name counts connections; parts of the engine have none.
    const parts = list.filter((w) => w.isolation === 'in-process').length
    const connected = `${plural(list.length - parts, 'worker')} ${list.length - parts === 1 ? 'is' : 'are'} connected`
    const sum = `${connected}; ${plural(parts, 'part')} of the engine ${parts === 1 ? 'answers' : 'answer'} like one.`
    const table = h('table.tbl.wtable', null, h('thead', null, head), h('tbody', null, list.map(row)))
    return h(
      'div.scroll.fullh',
      { tabindex: 0, role: 'region', 'aria-label': 'Workers' },
      h('div.wide-pad', null, h('p.sub', null, sum), h('div.gap8'), table),
    )
  },

  // ── triggers ──────────────────────────────────────────────────────────────────────────────────

  async readTriggers() {
    const [{ triggers }, bound, stats] = await Promise.all([
      call('engine::triggers::list'),
      call('engine::registered-triggers::list'),
      readStats(),
    ])
    return triggers.map((t) => ({
      ...t,
      fired: stats.triggers.get(t.id) || 0,
      bindings: bound.registered_triggers.filter((b) => b.trigger_type === t.id),
    }))
  },

  triggersView(list) {
    const binding = (b) =>
      h(
        'li',
        null,
        h('span.mono', null, text(b.function_id)),
        h('span.dim', null, text(b.worker_name || '')),
        h('span.mono.dim', null, text(Object.keys(b.config || {}).length ? JSON.stringify(b.config) : 'everything')),
      )
    const type = (t) =>
      h(
        'section.trig',
        null,
        h(
          'div',
          null,
          h('h2.mono.b6', null, text(t.id)),
          lede(t.description || '', 'p.sub'),
          h(
            'p.dim.sm',
            null,
            `by ${t.worker_name || 'the engine'} · ${t.fired ? `fired ${num(t.fired)} times` : 'quiet'}`,
          ),
        ),
        t.bindings.length
          ? h('ul.bindings', { 'aria-label': plural(t.bindings.length, 'binding') }, t.bindings.map(binding))
          : h('p.sub', null, 'Nobody is bound.'),
      )
    return h(
      'div.scroll.fullh',
      { tabindex: 0, role: 'region', 'aria-label': 'Triggers' },
      h('div.wide-pad', null, list.map(type)),
    )
  },

  // ── live ──────────────────────────────────────────────────────────────────────────────────────

  live(e) {
    if (e.type === 'worker' || e.type === 'function' || e.type === 'truncated') this.again()
    if (e.type !== 'sample') return
    for (const plot of this.plots) plot.draw(live.samples)
    if (++this.ticks % STATS_EVERY === 0) this.readRates()
  },

  async readRates() {
    if (this.view !== 'functions') return this.view === 'workers' && this.again()
    this.stats = await readStats()
    for (const row of this.rows || []) this.fillRates(row)
  },

  search() {
    if (this.view !== 'functions') go(href('bus'))
    this.two.classList.remove('reading')
    this.filter.focus()
  },

  key(e) {
    return this.view === 'functions' && enterList(this.list, e)
  },
}
