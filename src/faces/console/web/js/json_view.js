// JSON in colour, built from values; nothing is parsed back from text.
import { h, text } from './dom.js'
import { copyButton } from './ui.js'

const SHORT = 56 // a value whose text is shorter stands on one line
const MOST = 200_000 // characters of an answer that are shown; the copy has all of them

const leaf = (cls, value) => [h(`span.${cls}`, null, text(value))]

export function jsonView(value, indent = '') {
  if (value === null || typeof value === 'boolean') return leaf('j-l', String(value))
  if (typeof value === 'number') return leaf('j-n', String(value))
  if (typeof value === 'string') return leaf('j-s', JSON.stringify(value))
  const list = Array.isArray(value)
  const entries = Object.entries(value).filter(([, v]) => v !== undefined)
  const [open, close] = list ? '[]' : '{}'
  if (!entries.length) return [open + close]
  const nested = entries.some(([, v]) => v && typeof v === 'object' && Object.keys(v).length > 3)
  const one = !nested && JSON.stringify(value).length < SHORT
  const pad = indent + '  '
  const end = one ? ' ' : '\n'
  const rows = entries.map(([k, v], i) => [
    one ? '' : pad,
    list ? null : [h('span.j-k', null, text(JSON.stringify(k))), ': '],
    jsonView(v, pad),
    i < entries.length - 1 ? ',' : '',
    end,
  ])
  return [open, end, rows, one ? '' : indent, close]
}

export function jsonBox(value, what) {
  const all = JSON.stringify(value, null, 2)
  const cut = all.length > MOST
  const shown = cut ? text(all.slice(0, MOST)) : jsonView(value)
  return h(
    'div.codebox',
    null,
    h('pre.code.wrap.json', { tabindex: 0 }, shown),
    copyButton(all, what),
    cut ? h('p.sub', null, `Only the beginning is shown; Copy takes all ${all.length} characters.`) : null,
  )
}
