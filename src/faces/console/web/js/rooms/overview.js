// Overview: what agents see, in a sentence; then the account of every file, and what needs a look.
import { call } from '../backend.js'
import { h, icon, prose, text } from '../dom.js'
import { explainDialog } from '../explain.js'
import { num, plural, shellFolder, since } from '../format.js'
import { drawFindings, drawSources } from '../frame.js'
import { installDialog } from '../install.js'
import { diskRoots, later, live, ownFolder } from '../live.js'
import { callsPlot, latencyPlot } from '../plot.js'
import { href } from '../router.js'
import { codeBox, errorLine, errorParts, optional, refresh, show } from '../ui.js'
import { groupsOf, TOO_LARGE } from './changes.js'
import { ledgerOf } from './ledger.js'
import { hasNewer } from './sources.js'
import { titleOf } from './states.js'

const NOT_SERVED = ['missing', 'filtered', 'shadowed']
const FEED = 6

const firstSkill = (folder) => `mkdir -p ${folder}/notes
cat > ${folder}/notes/SKILL.md <<'END'
---
title: Keep short notes
description: How to write and read notes that several workers share.
---
# Notes
END`

async function readAll() {
  const [doctor, browse, locks, sessions, changes] = await Promise.all([
    call('directory::doctor'),
    call('directory::skills::browse', { limit: 1 }),
    optional(call('directory::lock::list')),
    optional(call('directory::sessions')),
    optional(call('directory::changes', { newest: true, limit: 100 })),
  ])
  return { browse, doctor, locks, sessions, changes }
}

const link = (words, room, query) => h('a', { href: href(room, '', query) }, words)

function sentence(sum, notServed) {
  const rest = notServed
    ? [
        link(plural(notServed, 'file'), 'skills', { state: NOT_SERVED }),
        ` ${notServed === 1 ? 'is' : 'are'} not served, and every one has a reason.`,
      ]
    : 'Nothing is left out.'
  return h(
    'p.say',
    null,
    'Agents see ',
    link(plural(sum('skills'), 'skill'), 'skills'),
    ' and ',
    link(plural(sum('prompts'), 'prompt'), 'prompts'),
    '. ',
    rest,
  )
}

function reasons(states, generation, at) {
  const parts = [
    [states.filtered, (n) => (n === 1 ? '1 waits for its worker' : `${num(n)} wait for their worker`), 'filtered'],
    [
      states.shadowed,
      (n) => (n === 1 ? '1 is hidden by another file' : `${num(n)} are hidden by another file`),
      'shadowed',
    ],
    [states.missing, (n) => `${num(n)} cannot be read as ${n === 1 ? 'it is' : 'they are'}`, 'missing'],
    [states.finding, (n) => `${num(n)} ${n === 1 ? 'has' : 'have'} a finding`, 'finding'],
  ].filter(([n]) => n)
  const words = parts.map(([n, say, state], i) => [i ? ', ' : '', link(say(n), 'skills', { state })])
  return h(
    'p.why',
    null,
    words,
    parts.length ? '. ' : '',
    `Generation\u00a0${generation}${at ? `, ${since(at)}` : ''}.`,
  )
}

const cell = (n, to, cls = '') =>
  h(`td.r${cls}`, null, n ? (to ? h('a', { href: to }, num(n)) : num(n)) : h('span.dim', null, '–'))

function ledger(roots, sum) {
  const head = h(
    'tr',
    null,
    h('th', { scope: 'col' }, 'Root'),
    h('th.folder', { scope: 'col' }, 'Folder'),
    ['Files', 'Skills', 'Prompts'].map((t) => h('th.r', { scope: 'col' }, t)),
    h('th.r.hide-s', { scope: 'col' }, 'Supporting'),
    h('th.r', { scope: 'col' }, 'Not served'),
  )
  const row = (r) =>
    h(
      'tr',
      null,
      h('td', null, r.root),
      h(`td.folder${/^[.~/]/.test(r.folder) ? '.mono' : ''}`, { title: r.folder }, text(r.folder)),
      cell(r.files),
      cell(r.skills, href('skills', '', { root: r.root, state: ['served', 'finding'] })),
      cell(r.prompts, href('prompts')),
      cell(r.supporting, null, '.hide-s'),
      cell(r.skipped, href('skills', '', { root: r.root, state: NOT_SERVED })),
    )
  const total = h(
    'tr.sum',
    null,
    h('td', null, 'All'),
    h('td.folder'),
    ['files', 'skills', 'prompts'].map((k) => h('td.r', null, num(sum(k)))),
    h('td.r.hide-s', null, num(sum('supporting'))),
    h('td.r', null, num(sum('skipped'))),
  )
  return h('table.tbl.ledger', null, h('thead', null, head), h('tbody', null, roots.map(row), total))
}

const section = (title, more, ...kids) =>
  h('section', { 'aria-label': title }, h('div.sec-h', null, h('h2.h', null, title), more), kids)

const feedRow = (g) => {
  const n = g.changes.length + (g.more || 0)
  const one = n === 1 ? g.changes[0] : null
  const what = one
    ? [h('span.mono', null, text(one.id)), h('span.dim', null, ` ${one.change}`)]
    : [plural(n, 'change'), ' ', h('span.dim', null, g.source === 'disk' ? 'on disk' : text(g.source || ''))]
  return h(
    'li',
    null,
    h('span.mono', null, g.generation),
    h('span.what', null, what),
    h('span.dim.num', null, since(g.at)),
  )
}

/** What a person would want to know first: [class, mark, address, sentence, detail]. */
function needsLook(doctor, locks) {
  const out = []
  const errors = doctor.summary.filter((row) => row.severity === 'error')
  if (errors.length) {
    const count = errors.reduce((n, row) => n + row.count, 0)
    const kinds = errors.map((row) => titleOf(row.code).toLowerCase()).join(', ')
    out.push([
      'err',
      'missing',
      href('doctor', '', { severity: 'error' }),
      `${plural(count, 'file')} cannot be served`,
      kinds,
    ])
  }
  const ready = doctor.summary.reduce((n, row) => n + (row.fixable || 0), 0)
  if (ready)
    out.push([
      'warn',
      'finding',
      href('doctor', '', { fix: 1 }),
      `${plural(ready, 'patch', 'patches')} ready`,
      'each changes one place, and says which',
    ])
  const by = (state) => (locks.namespaces || []).filter((l) => l.state === state)
  const named = (list) => list.map((l) => l.namespace).join(', ')
  const newer = (locks.namespaces || []).filter(hasNewer)
  if (newer.length)
    out.push([
      'warn',
      'down',
      href('sources'),
      `${named(newer)}: something newer`,
      newer.map((l) => `${l.current} → ${l.latest}`).join(', '),
    ])
  if (by('missing').length)
    out.push([
      'err',
      'missing',
      href('sources'),
      `${named(by('missing'))}: files are missing`,
      'restore brings them back',
    ])
  if (by('edited').length)
    out.push([
      'dim',
      'shadowed',
      href('sources'),
      `${named(by('edited'))}: edited here`,
      'an update keeps your lines and names them',
    ])
  for (const l of locks.namespaces || [])
    if (l.error)
      out.push([
        'dim',
        'filtered',
        href('sources'),
        `${l.namespace}: upstream did not answer`,
        errorParts(l.error).sentence,
      ])
  return out
}

function lookList(doctor, locks) {
  const rows = needsLook(doctor, locks).slice(0, 7)
  if (!rows.length) return h('p.sub', null, 'Nothing.')
  const item = ([cls, mark, to, what, sub]) =>
    h(
      'li',
      null,
      h(`span.${cls}`, null, icon(mark)),
      h('a', { href: to }, h('b', null, text(what)), h('span.sub', null, prose(sub))),
    )
  return h('ul.look', null, rows.map(item))
}

export function readersTable(sessions) {
  if (sessions.error) return errorLine(sessions.error)
  if (!sessions.sessions.length) return h('p.sub', null, 'Nobody reads through MCP at the moment.')
  const row = (x) =>
    h(
      'tr',
      null,
      h('td', null, h('b', null, text(x.client)), ' ', h('span.dim', null, text(x.version || ''))),
      h('td.dim.hide-s', null, `MCP ${x.dialect} over ${x.transport}`),
      h('td.r', null, plural(x.reads || 0, 'read')),
      h('td.r.dim', null, since(x.since)),
    )
  return h('table.tbl.faces', null, h('tbody', null, sessions.sessions.map(row)))
}

const actions = () =>
  h(
    'div.acts',
    null,
    h('a.btn', { href: href('connect') }, 'Connect a harness', h('kbd', null, 'g n')),
    h('button.btn', { type: 'button', onclick: () => explainDialog() }, 'Why is a skill missing?', h('kbd', null, 'w')),
    h('a.btn', { href: href('bus') }, 'Try a function', h('kbd', null, 'g b')),
    h(
      'button.btn.needs-link',
      { type: 'button', onclick: () => installDialog() },
      'Install skills',
      h('kbd', null, 'i'),
    ),
  )

export const overviewRoom = {
  title: 'Overview',

  mount(el) {
    this.el = h('div.scroll.fullh', { tabindex: -1 })
    el.append(this.el)
    this.again = later(() => this.reread(), 700)
  },

  enter() {
    show(this.el, readAll, (all) => this.render(all))
  },

  // Numbers of a new generation; not while somebody uses the keyboard in here.
  reread() {
    if (this.el.contains(document.activeElement) && document.activeElement !== this.el) return
    refresh(this.el, readAll, (all) => this.render(all))
  },

  render({ browse, doctor, locks, sessions, changes }) {
    if (!browse.all && !doctor.roots.some((r) => r.files)) return this.firstRun()
    const { roots, sum } = ledgerOf(doctor)
    const groups = groupsOf(changes.changes || [])
    if (locks.namespaces) drawSources(locks.namespaces.length)
    drawFindings(doctor.summary)
    this.plots = [callsPlot(), latencyPlot()]
    for (const plot of this.plots) plot.draw(live.samples)
    this.feed = h('ul.feed-s', null, groups.slice(0, FEED).map(feedRow))
    const left = h(
      'div',
      null,
      section(
        'The account',
        h('span.sub', null, 'every file under every root, once'),
        ledger(roots, sum),
      ),
      section(
        'Latest changes',
        h('a.more', { href: href('changes') }, 'all'),
        changes.error
          ? errorLine(changes.error)
          : groups.length
            ? this.feed
            : h('p.sub', null, changes.truncated ? TOO_LARGE : 'None since the server started.'),
      ),
      section('Readers', h('a.more', { href: href('connect') }, 'connect one'), readersTable(sessions)),
    )
    const right = h(
      'div',
      null,
      section('Needs a look', null, lookList(doctor, locks)),
      section('Bus', h('a.more', { href: href('bus') }, 'open'), this.plots[0].el, h('div.gap16'), this.plots[1].el),
    )
    const states = Object.fromEntries(browse.facets.state)
    return h(
      'div.over',
      null,
      sentence(sum, sum('skipped')),
      reasons(states, doctor.generation, groups[0]?.at),
      actions(),
      h('div.cols', null, left, right),
    )
  },

  firstRun() {
    this.plots = null
    // Of a folder that is neither below the home folder nor where the server runs, only its name is told.
    const folder = ownFolder()
    const folders = diskRoots().map((r) => r.folder)
    return h(
      'div.over',
      null,
      h('p.say', null, 'Nothing is here yet. Put a markdown file into a folder, and agents see it at once.'),
      h(
        'p.why',
        null,
        folders.length
          ? [
              folders.length === 1 ? 'It is read from ' : 'They are read from, the first before the others: ',
              folders.map((f, i) => [i ? ', ' : '', h('code', null, text(f))]),
              '.',
            ]
          : null,
      ),
      h(
        'div.acts',
        null,
        h('button.btn.primary.needs-link', { type: 'button', onclick: () => installDialog() }, 'Install skills'),
        h('a.btn', { href: href('connect') }, 'Connect a harness'),
      ),
      /^[~.]/.test(folder) ? codeBox(firstSkill(shellFolder(folder)), 'the commands') : null,
    )
  },

  live(e) {
    if (e.type === 'sample') for (const plot of this.plots || []) plot.draw(live.samples)
    if (e.type === 'change' && this.feed?.isConnected) {
      this.feed.prepend(feedRow(e))
      while (this.feed.children.length > FEED) this.feed.lastChild.remove()
    }
    if (e.type === 'change' || e.type === 'session' || e.type === 'truncated') this.again()
  },
}
