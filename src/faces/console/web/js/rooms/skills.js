// Skills: facets, a list of every file, and the reader beside it.
import { call } from '../backend.js'
import { $, fill, h, icon, plainText, s, text } from '../dom.js'
import { showPart } from '../document.js'
import { explainDialog } from '../explain.js'
import { lastPart, ms, num } from '../format.js'
import { installDialog } from '../install.js'
import { later, ownFolder } from '../live.js'
import { go, href, narrow, stay } from '../router.js'
import { backRow, copy, errorBox, errorParts, nearLinks, say, searchField, show } from '../ui.js'
import { WindowList } from '../window_list.js'
import { readerView } from './reader.js'
import { isServed, SHORT_STATE, STATE } from './states.js'

const GROUPS = [
  ['state', 'State'],
  ['root', 'Root'],
  ['type', 'Type'],
  ['namespace', 'Namespace'],
]
const NAMESPACES = 12 // as many as the server names

function rowParts(row) {
  const parts = { use: s('use'), ns: h('span.ns'), leaf: h('span'), tag: h('span.tag'), about: h('div.b', { dir: 'auto' }) }
  const id = h('span.id', { dir: 'ltr' }, parts.ns, parts.leaf)
  row.append(s('svg', { 'aria-hidden': 'true' }, parts.use), h('div.a', null, id, parts.tag), parts.about)
  return parts
}

export const skillsRoom = {
  title: 'Skills',
  query: { q: '' },
  id: '',

  mount(el) {
    const attrs = { type: 'search', placeholder: 'Search ids, titles, descriptions', 'aria-label': 'Search skills' }
    this.input = h('input', {
      ...attrs,
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: () => this.typed(),
      onkeydown: (e) => this.inputKey(e),
    })
    this.count = h('span.aside', { 'aria-live': 'polite' })
    this.chips = h('div.chips', { hidden: true })
    this.facets = h('div.facets.scroll', { role: 'group', 'aria-label': 'Filters' })
    this.empty = h('div', { hidden: true })
    this.list = new WindowList({
      label: 'Skills',
      rowHeight: 46,
      page: (offset, limit) =>
        call('directory::skills::browse', {
          ...this.query,
          offset,
          limit,
          ...(offset || !this.id ? {} : { locate: this.id }),
        }),
      first: (answer, error) => this.answered(answer, error),
      dress: (row, data) => this.dress(row, data),
      open: (data, enter) => this.pick(data, enter),
      same: (data) => data.id === this.id,
    })
    this.detail = h('div.detail', { role: 'region', 'aria-label': 'Document', tabindex: -1 })
    const head = h('div.listhead', null, searchField(this.input, this.count), this.chips)
    const pane = h('div.listpane', null, head, h('div.stack', null, this.list.el, this.empty))
    this.el = h('div.three', null, this.facets, pane, this.detail)
    el.append(this.el)
    this.again = later(() => this.list.refresh(), 300)
  },

  tools() {
    const toggle = () => this.el.classList.toggle('facets-open')
    return [
      h('button.btn.quiet.only-narrow', { type: 'button', onclick: toggle }, 'Filters'),
      h(
        'button.btn.quiet.push.hide-s',
        { type: 'button', onclick: () => explainDialog(this.query.q) },
        'Why is one missing?',
      ),
    ]
  },

  enter(route) {
    const query = { q: route.query.get('q') || '' }
    for (const [group] of GROUPS) {
      const values = route.query.getAll(group)
      if (values.length) query[group] = values
    }
    const same = JSON.stringify(query) === JSON.stringify(this.query)
    this.query = query
    this.tab = route.query.get('tab') || 'read'
    if (this.input.value !== query.q) this.input.value = query.q
    this.id = route.rest || this.id
    this.part = route.part
    if (!same || this.list.total === null) this.list.reset()
    if (route.rest) this.open()
    else {
      this.el.classList.remove('reading')
      if (!this.id) this.idle()
    }
  },

  address(tab = this.tab) {
    return href('skills', this.id, { ...this.query, tab: tab !== 'read' ? tab : null })
  },

  /** The document stays open while the list is searched. */
  changed() {
    stay(this.address())
    this.list.reset()
  },

  typed() {
    this.query.q = this.input.value
    this.changed()
  },

  inputKey(e) {
    if (e.key !== 'ArrowDown' && e.key !== 'Enter') return
    this.list.el.focus()
    this.list.move(0)
    if (e.key === 'Enter') this.list.act('Enter')
    e.preventDefault()
  },

  pick(row, enter) {
    const same = row.id === this.id
    this.id = row.id
    if (enter && narrow()) return go(this.address())
    stay(this.address())
    if (!same || !this.doc) this.open()
    if (enter) this.detail.focus({ preventScroll: true })
  },

  idle() {
    const words =
      'Arrows move, Enter opens. Type to search every id, title and description. What is not served is in the list too, dimmed, with its reason.'
    fill(
      this.detail,
      h('div.state', null, h('h2', null, 'Choose one to read it as an agent does'), h('p', null, words)),
    )
  },

  answered(answer, error) {
    const none = error || !answer.total
    this.list.el.hidden = Boolean(none)
    this.empty.hidden = !none
    if (error)
      return fill(
        this.empty,
        errorBox(error, () => this.list.reset()),
      )
    const all = answer.total === answer.all ? '' : ` of ${num(answer.all)}`
    const how = answer.rows[0]?.by === 'meaning' ? ' by meaning' : ''
    this.count.textContent = `${num(answer.total)}${all}${how} · ${ms(answer.took_ms)}`
    if (none) fill(this.empty, this.nothing(answer))
    this.drawFacets(answer.facets)
    this.drawChips()
    if (answer.index > 0 && this.list.cur === 0) this.list.reveal(answer.index)
  },

  nothing(answer) {
    if (!answer.all) {
      const install = h(
        'button.btn.primary.needs-link',
        { type: 'button', onclick: () => installDialog() },
        'Install skills',
      )
      return h(
        'div.state',
        null,
        h('h2', null, 'No skills yet'),
        h('p', null, 'Put markdown files into ', h('code', null, text(ownFolder())), ', or install some.'),
        h('div.row', null, install),
      )
    }
    const why = h('button.btn', { type: 'button', onclick: () => explainDialog(this.query.q) }, 'Why is it missing?')
    const clear = h('button.btn.quiet', { type: 'button', onclick: () => this.clear() }, 'Show all')
    return h(
      'div.state',
      null,
      h('h2', null, 'Nothing matches'),
      h('p', null, 'No id, title or description has these words, served or not.'),
      h('div.row', null, why, clear),
    )
  },

  clear() {
    this.query = { q: '' }
    this.input.value = ''
    this.changed()
  },

  drawChips() {
    const chosen = GROUPS.flatMap(([group]) => (this.query[group] || []).map((value) => [group, value]))
    const chip = ([group, value]) =>
      h(
        'button.chip',
        { type: 'button', 'aria-label': `Remove filter ${plainText(value)}`, onclick: () => this.toggle(group, value) },
        group === 'state' ? STATE[value] || value : text(value),
        icon('close'),
      )
    const clear = () => {
      this.query = { q: this.query.q }
      this.changed()
    }
    this.chips.hidden = !chosen.length
    fill(
      this.chips,
      chosen.map(chip),
      chosen.length > 1 ? h('button.txt', { type: 'button', onclick: clear }, 'clear') : null,
    )
  },

  toggle(group, value) {
    const now = new Set(this.query[group] || [])
    if (!now.delete(value)) now.add(value)
    if (now.size) this.query[group] = [...now]
    else delete this.query[group]
    this.changed()
  },

  drawFacets(facets) {
    const focus = document.activeElement?.dataset?.facet
    fill(
      this.facets,
      GROUPS.map(([group, label]) => this.facetGroup(group, label, facets)),
    )
    if (focus) $(`[data-facet="${CSS.escape(focus)}"]`, this.facets)?.focus()
  },

  facetGroup(group, label, facets) {
    const rows = facets[group] || []
    const many =
      group === 'namespace' && facets.namespaces > NAMESPACES ? h('span.dim', null, ` ${num(facets.namespaces)}`) : null
    const state = group === 'state'
    const button = ([value, n]) =>
      h(
        `button.facet${n ? '' : '.zero'}`,
        {
          type: 'button',
          'data-facet': `${group}:${value}`,
          'aria-pressed': String((this.query[group] || []).includes(value)),
          title: state ? STATE[value] : plainText(value),
          onclick: () => this.toggle(group, value),
        },
        state ? s('svg', { class: `s-${value}`, 'aria-hidden': 'true' }, s('use', { href: `#i-${value}` })) : null,
        h('span', null, state ? SHORT_STATE[value] : text(value)),
        h('span.n', null, num(n)),
      )
    return rows.length
      ? h('div.group', { role: 'group', 'aria-label': label }, h('div.h', null, label, many), rows.map(button))
      : null
  },

  // A row keeps its elements; only their text changes.
  dress(row, d) {
    const parts = (row.parts ||= rowParts(row))
    if (!d) {
      row.className = 'row wait'
      parts.ns.textContent = parts.tag.textContent = ''
      parts.leaf.textContent = parts.about.textContent = '.'
      return
    }
    row.className = `row s-${d.state}`
    parts.use.setAttribute('href', `#i-${d.state}`)
    const slash = d.id.lastIndexOf('/') + 1
    parts.tag.textContent = isServed(d.state) ? (d.type === 'none' ? '' : d.type) : STATE[d.state].toLowerCase()
    this.marked(parts.ns, d.id.slice(0, slash))
    this.marked(parts.leaf, d.id.slice(slash))
    this.marked(parts.about, (d.reason || d.description || d.title || '').replace(/`/g, ''))
  },

  /** Marks what was searched for. */
  marked(el, str) {
    const shown = plainText(str)
    const low = shown.toLowerCase()
    const terms = this.query.q.toLowerCase().split(/\s+/).filter(Boolean)
    const term = terms.find((t) => low.includes(t))
    if (!term || low.length !== shown.length) return (el.textContent = shown)
    const at = low.indexOf(term)
    el.replaceChildren(
      shown.slice(0, at),
      h('mark', null, shown.slice(at, at + term.length)),
      shown.slice(at + term.length),
    )
  },

  open() {
    this.el.classList.add('reading')
    this.list.paint()
    const ask = () => call('directory::skills::inspect', { id: this.id })
    const render = (doc) => {
      this.doc = doc
      this.detail.scrollTop = 0
      queueMicrotask(() => showPart(this.detail, this.part))
      document.title = `${plainText(doc.id)} · iii-directory`
      return readerView(doc, {
        tab: this.tab,
        query: this.query,
        pick: (tab) => {
          this.tab = tab
          stay(this.address())
        },
      })
    }
    show(this.detail, ask, render, (error, retry) => {
      this.doc = null
      return error.status === 404 ? this.absent(errorParts(error)) : errorBox(error, retry)
    })
  },

  absent({ near }) {
    const why = h('button.btn', { type: 'button', onclick: () => explainDialog(this.id) }, 'Why is it missing?')
    const search = h('a.btn.quiet', { href: href('skills', '', { q: lastPart(this.id) }) }, 'Search for it')
    return [
      backRow('skills', 'All skills', this.query),
      h(
        'div.state',
        { role: 'alert' },
        h('h2', null, 'There is no such document'),
        h('p', null, 'Nothing leads to ', h('code', null, text(this.id)), '.'),
        near.length ? h('p', null, 'Did you mean ', nearLinks(near), '?') : null,
        h('div.row', null, why, search),
      ),
    ]
  },

  key(e) {
    if (e.key === 'e' && this.doc) {
      this.tab = this.tab === 'source' ? 'read' : 'source'
      stay(this.address())
      this.open()
      return true
    }
    if (e.key === 'y' && this.id) {
      copy(this.id, plainText(this.id))
      return true
    }
    if (['j', 'k', 'ArrowDown', 'ArrowUp'].includes(e.key) && !this.detail.contains(document.activeElement)) {
      this.list.el.focus()
      this.list.key(e)
      return true
    }
    if (e.key === 'Escape' && this.el.classList.contains('facets-open')) {
      this.el.classList.remove('facets-open')
      return true
    }
    if (e.key === 'Escape' && this.detail.contains(document.activeElement)) {
      if (narrow()) go(href('skills', '', this.query))
      else this.list.el.focus()
      return true
    }
  },

  search() {
    this.el.classList.remove('reading')
    this.input.focus()
    this.input.select()
  },

  live(e) {
    if (e.type === 'truncated') this.again()
    if (e.type !== 'change') return
    this.again()
    const mine = e.changes.findLast((c) => c.kind === 'skill' && c.id === this.id)
    if (mine) this.noteChange(mine.change === 'removed', e.generation)
  },

  noteChange(removed, generation) {
    say(`${plainText(this.id)} ${removed ? 'was removed' : 'changed'}, generation ${generation}`)
    const note = $('.doc-changed', this.detail)
    if (!note) return
    const words = removed
      ? `It was removed, generation ${generation}. This is what it was.`
      : `It changed on disk, generation ${generation}.`
    const button = removed
      ? h('button.btn', { type: 'button', onclick: () => explainDialog(this.id) }, 'Why?')
      : h('button.btn', { type: 'button', onclick: () => this.open() }, 'Show')
    const mark = icon(removed ? 'missing' : 'served')
    fill(note, h('div.note.fresh-note', { role: 'note' }, mark, h('p', null, words), button))
  },
}
