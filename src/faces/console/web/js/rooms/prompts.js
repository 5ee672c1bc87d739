// Prompts: every one with its arguments, and what an agent gets for them.
import { call, cancel, newJob } from '../backend.js'
import { fill, h, icon, plainText, text } from '../dom.js'
import { plural } from '../format.js'
import { later } from '../live.js'
import { go, href, narrow, stay } from '../router.js'
import { backRow, copy, enterList, errorNote, listKeys, redraw, refresh, searchField, show } from '../ui.js'

const PREVIEW_MS = 120 // after the last key

const HOLE = /(\{\{\s*[\w.-]+\s*\}\}|\$ARGUMENTS)/
const holeName = (hole) => hole.replace(/[{}$\s]/g, '').replace('ARGUMENTS', 'arguments')

/** The parts of a template: texts, and holes that nobody has filled, as {hole}. */
const filled = (template, values) =>
  template.split(HOLE).map((part, i) => (i % 2 ? (values[holeName(part)] ?? { hole: holeName(part) }) : part))

const messageBody = (parts) => parts.map((part) => (part.hole ? h('span.hole', null, text(part.hole)) : text(part)))
const plainParts = (parts) => parts.map((part) => (part.hole ? `{{${part.hole}}}` : part)).join('')

const messageText = ({ content }) => (content?.type === 'text' ? content.text : JSON.stringify(content, null, 2))

/** A prompt with the values of a person: asks for the preview and shows it. */
class Preview {
  constructor(prompt) {
    this.prompt = prompt
    this.values = {}
    this.out = h('div', { 'aria-live': 'polite' })
    this.turn = 0
    // A handler may do anything; it is called without being asked for only when it says that it reads. A file does nothing.
    this.byHand = prompt.origin === 'registered' && !prompt.read_only
    this.soon = later(() => this.render(), PREVIEW_MS)
    if (this.byHand) this.invite()
    else this.render()
  }

  invite() {
    const run = h('button.btn.needs-link', { type: 'button', onclick: () => this.render() }, 'Render')
    fill(
      this.out,
      h('p.sub', null, 'A function makes this prompt. It is called when you say so.'),
      h('div.barrow', null, run),
    )
  }

  set(name, value) {
    if (value === '') delete this.values[name]
    else this.values[name] = value
    if (this.byHand) this.invite()
    else this.soon()
  }

  async render() {
    const mine = ++this.turn
    const job = newJob()
    const stop = h('button.btn', { type: 'button', onclick: () => cancel(job).catch(() => {}) }, 'Stop')
    const slow = setTimeout(
      () =>
        mine === this.turn &&
        fill(this.out, h('p.sub', null, 'Waiting for the handler …'), h('div.barrow', null, stop)),
      500,
    )
    let view
    try {
      const answer = await call(
        'prompts::mcp-get',
        { name: this.prompt.name, arguments: this.values },
        { job, confirmed: true },
      )
      // Files are templates, which MCP fills in when a client asks; a handler has used the values already.
      const values = this.prompt.origin === 'registered' ? {} : this.values
      const messages = answer.messages.map((m) => ({ role: m.role, parts: filled(messageText(m), values) }))
      this.text = messages.map((m) => plainParts(m.parts)).join('\n\n')
      view = messages.map((m) =>
        h('div.msg', null, h('div.who', null, m.role), h('div.txtbody', null, messageBody(m.parts))),
      )
    } catch (error) {
      view = errorNote(error)
    }
    clearTimeout(slow)
    if (mine === this.turn)
      fill(
        this.out,
        view,
        this.byHand
          ? h('div.barrow', null, h('button.btn', { type: 'button', onclick: () => this.render() }, 'Render again'))
          : null,
      )
  }

  request() {
    return JSON.stringify(
      { method: 'prompts/get', params: { name: this.prompt.name, arguments: this.values } },
      null,
      2,
    )
  }
}

function argumentField(a, i, preview) {
  const id = `arg-${i}`
  const attrs = { id, 'aria-describedby': `${id}-h`, autocomplete: 'off' }
  const change = (e) => preview.set(a.name, e.target.value)
  const input = a.values?.length
    ? h(
        'select.in',
        { ...attrs, onchange: change },
        h('option', { value: '' }, 'not sent'),
        a.values.map((v) => h('option', { value: v }, v)),
      )
    : h('textarea.in.short', { ...attrs, oninput: change, rows: 1 })
  const label = h(
    'label',
    { for: id },
    h('code', null, text(a.name)),
    h('span.opt', null, a.required ? '' : 'optional'),
  )
  return h('div.ff', null, label, input, h('p.hint', { id: `${id}-h` }, text(a.description || '')))
}

function originLine(p) {
  if (p.origin === 'registered') {
    const handler = p.handler
      ? h('span', null, 'made by ', h('a.txt.mono', { href: href('bus', p.handler) }, text(p.handler)))
      : null
    return [h('span', null, 'registered', p.worker ? [' by ', h('b', null, text(p.worker))] : null), handler]
  }
  return h('span', null, 'file ', h('b.mono', null, text(`${p.root || ''}:${p.path || ''}`)))
}

export const promptsRoom = {
  title: 'Prompts',

  mount(el) {
    this.list = h('div.items.scroll', { onkeydown: (e) => listKeys(this.list, e) })
    this.detail = h('div.detail', { role: 'region', 'aria-label': 'Prompt', tabindex: -1 })
    this.filter = h('input', {
      type: 'search',
      placeholder: 'Search prompts',
      'aria-label': 'Search prompts',
      oninput: () => this.draw(),
    })
    this.el = h(
      'div.two',
      null,
      h('div.listpane', null, h('div.listhead', null, searchField(this.filter)), this.list),
      this.detail,
    )
    el.append(this.el)
    this.again = later(() => refresh(this.list, this.ask, (d) => this.take(d)), 300)
  },

  ask: () => call('directory::prompts::list', { details: true }),

  enter(route) {
    this.chosen = route.rest
    this.el.classList.toggle('reading', Boolean(route.rest))
    show(this.list, this.ask, (d) => this.take(d))
  },

  take({ prompts }) {
    this.all = prompts
    this.draw()
  },

  draw() {
    if (!this.all) return
    if (!this.all.length) {
      fill(
        this.list,
        h(
          'div.state',
          null,
          h('h2', null, 'No prompts yet'),
          h('p', null, 'A markdown file in a folder called prompts, with a description, is one.'),
        ),
      )
      return fill(this.detail)
    }
    const words = this.filter.value.toLowerCase().split(/\s+/)
    const hits = this.all.filter((p) => words.every((w) => `${p.name} ${p.description}`.toLowerCase().includes(w)))
    const chosen = this.chosen || (narrow() ? null : this.all[0].name)
    redraw(
      this.list,
      hits.map((p) => this.item(p, chosen)),
      hits.length ? null : h('div.state', null, h('p', null, 'Nothing matches.')),
    )
    const p = this.all.find((x) => x.name === chosen)
    if (!p) {
      if (chosen)
        fill(this.detail, h('div.state', null, h('h2', null, 'There is no such prompt'), h('p', null, text(chosen))))
      this.shown = null
    } else if (this.shown !== JSON.stringify(p)) {
      this.shown = JSON.stringify(p)
      this.open(p)
    }
  },

  item(p, chosen) {
    const pick = () => {
      this.chosen = p.name
      if (narrow()) return go(href('prompts', p.name))
      stay(href('prompts', p.name))
      this.draw()
    }
    const about = h('span.tag', null, p.arguments.length ? plural(p.arguments.length, 'argument') : '')
    return h(
      'button.item',
      { type: 'button', 'data-key': p.name, 'aria-current': String(p.name === chosen), onclick: pick },
      h(
        'span.a',
        null,
        h('span.mono', null, '/', text(p.name)),
        p.finding ? h('span.warn', null, icon('finding')) : null,
        about,
      ),
      h('span.b', null, text(p.description || '')),
    )
  },

  open(p) {
    const preview = new Preview(p)
    const small = (label, act) => h('button.txt', { type: 'button', onclick: act }, label)
    const fields = p.arguments.length
      ? p.arguments.map((a, i) => argumentField(a, i, preview))
      : h('p.sub', null, 'It takes none.')
    const head = h(
      'div.sec-h',
      null,
      h('span.h', null, 'What the agent gets'),
      h(
        'span.push-r',
        null,
        small('Copy text', () => copy(preview.text || '', 'the text')),
        small('Copy request', () => copy(preview.request(), 'the request')),
      ),
    )
    fill(
      this.detail,
      backRow('prompts', 'All prompts'),
      h(
        'div.pad',
        null,
        h('h2.lead.mono', null, '/', text(p.name)),
        h('p.lede', null, text(p.description || '')),
        h(
          'div.meta-line',
          null,
          originLine(p),
          p.finding ? h('a.st.warn', { href: href('doctor') }, icon('finding'), 'has a finding') : null,
        ),
        h(
          'div.split',
          null,
          h('div', null, h('div.h.below', null, 'Arguments'), fields),
          h('div', null, head, preview.out),
        ),
      ),
    )
    if (this.chosen) document.title = `/${plainText(p.name)} · iii-directory`
  },

  search() {
    this.el.classList.remove('reading')
    this.filter.focus()
  },

  key(e) {
    return enterList(this.list, e)
  },

  live(e) {
    if (e.type === 'truncated' || (e.type === 'change' && e.changes.some((c) => c.kind === 'prompt'))) this.again()
  },
}
