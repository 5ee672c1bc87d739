// Pieces that rooms share: saying and copying, what a pane shows while it waits or failed, tabs, lists of buttons.
import { $, fill, h, icon, prose, text } from './dom.js'
import { go, href } from './router.js'

// ── saying and copying ──────────────────────────────────────────────────────────────────────────

let saidTimer
/** What just happened, in the status bar. */
export function say(message) {
  $('#said').textContent = message
  clearTimeout(saidTimer)
  saidTimer = setTimeout(() => ($('#said').textContent = ''), 6000)
}

export async function copy(str, what = 'to the clipboard') {
  try {
    await navigator.clipboard.writeText(str)
  } catch {
    // Plain HTTP from another machine has no clipboard API.
    const area = h('textarea', { readonly: true, 'aria-hidden': 'true' }, str)
    document.body.append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
  say(`Copied ${what}`)
}

/** `str` may be a function: asked when the button is pressed. */
export function copyButton(str, what = '') {
  const onclick = () => copy(typeof str === 'function' ? str() : str, what)
  return h('button.copy', { type: 'button', 'aria-label': `Copy ${what}`, title: 'Copy', onclick }, icon('copy', 'i'))
}

export const codeBox = (str, what, wrap) =>
  h('div.codebox', null, h(`pre.code${wrap ? '.wrap' : ''}`, { tabindex: 0 }, text(str)), copyButton(str, what))

// ── errors ──────────────────────────────────────────────────────────────────────────────────────

/** An error of the server: code, sentence, what is near, what to do next. */
export function errorParts(error) {
  const message = String(error.message || error)
  const [, code, rest] = /^([A-Z]\d{3}(?: \w+)?): ([\s\S]*)$/.exec(message) || [null, error.code || '', message]
  const next = / ?Next: ([\s\S]*)$/.exec(rest)
  const near = / ?Did you mean:? ([^.?]*)[.?]/.exec(rest)
  return {
    code,
    sentence: rest.replace(/ ?Next: [\s\S]*$/, '').replace(/ ?Did you mean:? [^.?]*[.?]/, ''),
    next: next?.[1],
    near: near ? near[1].split(', ').map((id) => id.replaceAll('`', '').trim()) : [],
  }
}

const NOT_ALLOWED =
  'The console answers its own page only. Open it at the address that `serve` printed. Behind a proxy, start the server with ' +
  '`--allow-origin` and the address that people use.'

export const nearLinks = (ids) => ids.map((id, i) => [i ? ', ' : '', h('a.txt', { href: href('skills', id) }, text(id))])

// What a program would call next; a person has rooms and buttons for it.
const FOR_PROGRAMS = /^call\s+`?[\w-]+::/i

export function errorBox(error, retry) {
  const e = errorParts(error)
  const title = { away: 'The server is away', 403: 'Not allowed' }[error.status === 403 ? 403 : error.code]
  const next = FOR_PROGRAMS.test(e.next) ? null : e.next
  return h(
    'div.state',
    { role: 'alert' },
    h('h2', null, title || 'That did not work'),
    h('p', null, prose(e.sentence), ' ', e.code && e.code !== 'away' ? h('code.dim', null, text(e.code)) : null),
    error.status === 403 ? h('p', null, prose(NOT_ALLOWED)) : null,
    e.near.length ? h('p', null, 'Did you mean ', nearLinks(e.near), '?') : null,
    next ? h('p', null, 'Next: ', prose(next)) : null,
    retry ? h('div.row', null, h('button.btn', { type: 'button', onclick: retry }, 'Try again')) : null,
  )
}

/** One line where a part of a room could not be read. */
export const errorLine = (error) => h('p.sub', { role: 'note' }, prose(errorParts(error).sentence))

/** The same in a form, below its button. */
export function errorNote(error) {
  const e = errorParts(error)
  const next = e.next ? h('p', null, 'Next: ', prose(e.next)) : null
  return h(
    'div.note.err.flat',
    { role: 'alert' },
    icon('missing'),
    h('div', null, h('p', null, prose(e.sentence)), next),
  )
}

// ── waiting ─────────────────────────────────────────────────────────────────────────────────────

const QUIET_MS = 150 // what was there before stays this long

const bones = () =>
  h(
    'div.bones',
    { 'aria-hidden': 'true' },
    ['b1', 'b2', 'b3', 'b2', 'b4', 'b2', 'b3'].map((b) => h(`span.bone.${b}`)),
  )

const asked = new WeakMap()
const present = (el, view) => view !== undefined && fill(el, view)

/**
 * Shows what a question gives: nothing for a moment, then a still placeholder, then the answer or the error. `render` returns
 * what to show, or nothing when it has drawn it; `failed(error, retry)` likewise for an error.
 */
export async function show(el, ask, render, failed = errorBox) {
  const turn = {}
  const mine = () => asked.get(el) === turn
  asked.set(el, turn)
  el.setAttribute('aria-busy', 'true')
  const slow = setTimeout(() => mine() && fill(el, bones()), QUIET_MS)
  try {
    const answer = await ask()
    if (mine()) present(el, render(answer))
  } catch (error) {
    if (!error.code) console.error(error) // ours: a fault of this page, not an answer of the server
    if (mine())
      fill(
        el,
        failed(error, () => show(el, ask, render, failed)),
      )
  } finally {
    clearTimeout(slow)
    if (mine()) el.removeAttribute('aria-busy')
  }
}

/** Reads again what is shown, without a placeholder; an error leaves it as it is. */
export async function refresh(el, ask, render) {
  const turn = {}
  asked.set(el, turn)
  try {
    const answer = await ask()
    if (asked.get(el) === turn) present(el, render(answer))
  } catch {
    // The status bar says when the server is away.
  }
}

/** Answers that are still to come for `el` are not shown: something else is there now. */
export const forgetQuestions = (el) => asked.delete(el)

/** A part of a room that may be missing: its value, or {error}. */
export const optional = (promise) => promise.catch((error) => ({ error }))

// ── choosing ────────────────────────────────────────────────────────────────────────────────────

/** `names`: [[key, label]]. `pick(key, byKeyboard)`. */
export function tabs(names, chosen, pick) {
  const bar = h('div.tabs', { role: 'tablist' })
  for (const [key, label] of names) {
    const attrs = {
      type: 'button',
      role: 'tab',
      'aria-selected': String(key === chosen),
      tabindex: key === chosen ? 0 : -1,
    }
    bar.append(h('button', { ...attrs, 'data-key': key, onclick: () => pick(key) }, label))
  }
  bar.addEventListener('keydown', (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key]
    if (!step) return
    const all = [...bar.children]
    pick(all[(all.indexOf(document.activeElement) + step + all.length) % all.length].dataset.key, true)
    e.preventDefault()
  })
  return bar
}

/** `names`: [[key, label, count?]]. */
export const segments = (label, names, chosen, pick) =>
  h(
    'div.seg',
    { role: 'group', 'aria-label': label },
    names.map(([key, title, n]) =>
      h(
        'button',
        { type: 'button', 'aria-pressed': String(key === chosen), onclick: () => pick(key) },
        title,
        n != null ? h('span.n', null, n) : null,
      ),
    ),
  )

/** The way from a detail to its list, when the detail covers it. */
export const backRow = (room, label, query) =>
  h(
    'div.backrow',
    null,
    h('button.btn.quiet', { type: 'button', onclick: () => go(href(room, '', query)) }, icon('back'), label),
  )

/** Fills a list anew; what is seen and what has the focus (by `data-key`) stay. One item is a stop of Tab, arrows reach the others. */
export function redraw(list, ...kids) {
  const top = list.scrollTop
  const focus = list.contains(document.activeElement) ? document.activeElement.dataset.key : null
  fill(list, kids)
  const items = [...list.querySelectorAll('.item, .fnrow')]
  const stop = $('[aria-current="true"]', list) || items[0]
  for (const item of items) item.tabIndex = item === stop ? 0 : -1
  list.scrollTop = top
  if (focus != null) [...list.querySelectorAll('[data-key]')].find((el) => el.dataset.key === focus)?.focus()
}

const typing = (el) => /INPUT|TEXTAREA|SELECT/.test(el.tagName)

/** j, k and the arrows in an ordinary list of buttons. */
export function listKeys(pane, e) {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[e.key]
  if (!step || typing(e.target) || e.ctrlKey || e.metaKey || e.altKey) return
  const all = [...pane.querySelectorAll('.item, .fnrow')]
  const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement) + step))]
  if (!next) return
  next.focus()
  next.click()
  e.preventDefault()
  e.stopPropagation()
}

/** For the `key` of a room: from anywhere into its list. */
export function enterList(pane, e) {
  if (!['j', 'k'].includes(e.key) || pane.contains(document.activeElement)) return false
  const start = $('[aria-current="true"]', pane) || $('.item, .fnrow', pane)
  start?.focus()
  listKeys(pane, e)
  return true
}

export const searchField = (input, aside) => h('div.field', null, icon('find', 'i'), input, aside)

const LONG = 240

/** A description: its beginning, and the rest when somebody wants it. */
export function lede(str, tag = 'p.lede') {
  const end = str.length > LONG ? str.lastIndexOf('. ', LONG) + 1 : 0
  if (end < 40) return h(tag, null, prose(str))
  const rest = h('span', { hidden: true }, prose(str.slice(end)))
  const more = h('button.txt', { type: 'button', 'aria-expanded': 'false' }, 'more')
  more.onclick = () => {
    rest.hidden = false
    more.remove()
  }
  return h(tag, null, prose(str.slice(0, end)), ' ', rest, more)
}
