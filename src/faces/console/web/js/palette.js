// Find or do something: skills, functions, prompts, rooms and actions from one field.
import { call } from './backend.js'
import { $, fill, h, icon, plainText, text } from './dom.js'
import { explainDialog } from './explain.js'
import { num } from './format.js'
import { keysDialog, switchTheme } from './help.js'
import { installDialog } from './install.js'
import { go, href, rooms } from './router.js'

export const ROOM_KEYS = {
  o: 'overview',
  s: 'skills',
  p: 'prompts',
  d: 'doctor',
  r: 'sources',
  b: 'bus',
  c: 'changes',
  n: 'connect',
}

const FOUND = { skills: 6, functions: 4, prompts: 3 }

const ACTIONS = [
  { title: 'Why is a skill missing?', sub: 'a reason, and what to do', key: 'w', run: () => explainDialog() },
  { title: 'Install skills', sub: 'registry or git', key: 'i', run: () => installDialog() },
  { title: 'Connect a harness', sub: 'snippets for MCP', key: 'g n', run: () => go(href('connect')) },
  { title: 'Light or dark', key: 't', run: switchTheme },
  { title: 'Keys', key: '?', run: keysDialog },
]

const matcher = (query) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return (str) => words.every((w) => str.toLowerCase().includes(w))
}

const roomItems = (match) =>
  Object.entries(ROOM_KEYS)
    .filter(([, room]) => match(rooms[room].title))
    .map(([key, room]) => ({ title: rooms[room].title, key: `g ${key}`, run: () => go(href(room)) }))

/** [[name of the group, items]], found on the server. */
async function found(query, match) {
  const nothing = { rows: [], total: 0, functions: [], prompts: [] }
  const ask = (id, payload) => call(id, payload).catch(() => nothing)
  const [skills, functions, prompts] = await Promise.all([
    ask('directory::skills::browse', { q: query, limit: FOUND.skills }),
    ask('engine::functions::list', {}),
    ask('directory::prompts::list', {}),
  ])
  const skill = (r) => ({
    mark: r.state,
    mono: true,
    title: r.id,
    sub: (r.reason || r.description || '').replace(/`/g, ''),
    run: () => go(href('skills', r.id)),
  })
  const fn = (f) => ({
    mono: true,
    title: f.function_id,
    sub: f.description,
    run: () => go(href('bus', f.function_id)),
  })
  const prompt = (p) => ({
    mono: true,
    title: `/${p.name}`,
    sub: p.description,
    run: () => go(href('prompts', p.name)),
  })
  const more = skills.total > FOUND.skills ? ` · ${FOUND.skills} of ${num(skills.total)}` : ''
  return [
    [`Skills${more}`, skills.rows.map(skill)],
    [
      'Functions',
      functions.functions
        .filter((f) => match(f.function_id))
        .slice(0, FOUND.functions)
        .map(fn),
    ],
    [
      'Prompts',
      prompts.prompts
        .filter((p) => match(`${p.name} ${p.description}`))
        .slice(0, FOUND.prompts)
        .map(prompt),
    ],
  ]
}

class Palette {
  dialog = $('#palette')
  items = []
  at = 0
  turn = 0
  isAsking = false // what is shown belongs to the text before
  openFirst = false // Enter came before the answer

  get isOpen() {
    return this.dialog.open
  }

  close() {
    this.dialog.close()
  }

  open() {
    const attrs = {
      type: 'text',
      role: 'combobox',
      'aria-expanded': 'true',
      'aria-controls': 'palette-list',
      'aria-autocomplete': 'list',
    }
    this.input = h('input', {
      ...attrs,
      'aria-label': 'Find or do something',
      placeholder: 'A skill, a function, a prompt, something to do',
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: () => this.draw(),
      onkeydown: (e) => this.key(e),
    })
    this.list = h('div.res', { id: 'palette-list', role: 'listbox', 'aria-label': 'Results' })
    const hint = (key, what) => h('span', null, h('kbd', null, key), ` ${what}`)
    fill(
      this.dialog,
      h('div.q', null, icon('find', 'i'), this.input, h('kbd', null, 'Esc')),
      this.list,
      h('div.foot', null, hint('↑↓', 'move'), hint('↵', 'open'), h('span.hide-s', null, 'Words may be in any order')),
    )
    if (!this.isOpen) this.dialog.showModal()
    this.input.focus()
    this.draw()
  }

  async draw() {
    const mine = ++this.turn
    this.isAsking = true
    this.openFirst = false
    const query = this.input.value.trim()
    const match = matcher(query)
    const actions = ACTIONS.filter((a) => match(a.title))
    let groups = [
      ['Do', actions],
      ['Rooms', roomItems(match)],
    ]
    if (query) {
      const why = {
        title: `Why is “${plainText(query)}” missing?`,
        sub: 'a reason, and what to do',
        run: () => explainDialog(query),
      }
      groups = [...(await found(query, match)), ['Rooms', roomItems(match)], ['Do', [...actions, why]]]
      if (mine !== this.turn) return
    }
    this.show(groups.filter(([, items]) => items.length))
  }

  show(groups) {
    this.items = groups.flatMap(([, items]) => items)
    let n = 0
    fill(
      this.list,
      groups.map(([title, items]) => [
        h('div.gh', { role: 'presentation' }, title),
        items.map((item) => this.option(item, n++)),
      ]),
    )
    this.mark(0)
    this.isAsking = false
    if (this.openFirst && this.isOpen) this.enter()
  }

  /** Never an entry of the text before: what is typed fast is answered first. */
  enter() {
    if (this.isAsking) this.openFirst = true
    else if (this.items[this.at]) this.run(this.items[this.at])
  }

  option(item, i) {
    const attrs = {
      role: 'option',
      id: `p-${i}`,
      onclick: () => this.run(item),
      onpointermove: () => this.at !== i && this.mark(i),
    }
    return h(
      'div.opt',
      attrs,
      icon(item.mark || 'right'),
      h(`span.t${item.mono ? '.mono' : ''}`, null, text(item.title)),
      h('span.d', null, text(item.sub || '')),
      item.key ? h('kbd', null, item.key) : h('span'),
    )
  }

  run(item) {
    this.close()
    item.run()
  }

  mark(i) {
    this.at = Math.max(0, Math.min(this.items.length - 1, i))
    const options = this.list.querySelectorAll('.opt')
    options.forEach((option, n) => option.setAttribute('aria-selected', String(n === this.at)))
    const chosen = options[this.at]
    if (!chosen) return
    this.input.setAttribute('aria-activedescendant', chosen.id)
    chosen.scrollIntoView({ block: 'nearest' })
  }

  key(e) {
    if (e.key === 'ArrowDown' || (e.ctrlKey && e.key === 'n')) this.mark(this.at + 1)
    else if (e.key === 'ArrowUp' || (e.ctrlKey && e.key === 'p')) this.mark(this.at - 1)
    else if (e.key === 'Enter') this.enter()
    else return
    e.preventDefault()
  }
}

export const palette = new Palette()
