// Elements. Text from files, workers and the network only ever becomes text nodes: nothing here takes HTML.

export const $ = (selector, root = document) => root.querySelector(selector)

const SVG = 'http://www.w3.org/2000/svg'
const FORBIDDEN = new Set(['style', 'srcdoc', 'innerHTML', 'outerHTML'])

/** Appends what may be nested lists; null, undefined and false stand for nothing. */
export function put(el, kids) {
  for (const kid of kids.flat(Infinity)) if (kid != null && kid !== false) el.append(kid)
  return el
}

/** h('p.lede', {title}, 'text', child): an element with classes, attributes, listeners (`onclick`) and children. */
export function h(tag, attrs, ...kids) {
  const [name, ...classes] = tag.split('.')
  const el = document.createElement(name || 'div')
  if (classes.length) el.className = classes.join(' ')
  for (const [key, value] of Object.entries(attrs || {})) {
    if (value == null || value === false) continue
    if (key.startsWith('on')) el.addEventListener(key.slice(2), value)
    else if (FORBIDDEN.has(key)) throw new Error(`attribute ${key} is not for text`)
    else el.setAttribute(key, value === true ? '' : value)
  }
  return put(el, kids)
}

export function s(name, attrs, ...kids) {
  const el = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attrs || {})) el.setAttribute(key, value)
  return put(el, kids)
}

/** Replaces what is in `el`. */
export function fill(el, ...kids) {
  el.replaceChildren()
  return put(el, kids)
}

export const icon = (name, cls = 'i12') =>
  s('svg', { class: cls, 'aria-hidden': 'true' }, s('use', { href: `#i-${name}` }))

// Bidi controls, zero width, tags, soft hyphen, variation selectors, and control characters but tab and line feed.
const UNSEEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]/gu

const codePoint = (c) => 'U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')

/** Text in which characters that a person does not see are shown by their number. */
export function text(value) {
  const str = String(value ?? '')
  const out = []
  let at = 0
  for (const found of str.matchAll(UNSEEN)) {
    if (found.index > at) out.push(str.slice(at, found.index))
    out.push(h('span.cp', { title: 'A character that is not shown' }, codePoint(found[0])))
    at = found.index + found[0].length
  }
  if (at < str.length) out.push(str.slice(at))
  return out
}

/** The same as plain text, for titles and labels. */
export const plainText = (str) => String(str).replace(UNSEEN, (c) => `<${codePoint(c)}>`)

/** A sentence of the server, with `code` in it. */
export const prose = (str) =>
  String(str)
    .split(/(`[^`]+`)/)
    .map((part) => (/^`.+`$/s.test(part) ? h('code', null, text(part.slice(1, -1))) : text(part)))
