// A document: the server sends a tree of named nodes, `["p", null, "text", ["a", {...}, "text"]]`. Names that are not known
// become their children; nothing a document says becomes HTML, an address that is loaded, or a style.
import { h, icon, text } from './dom.js'
import { href } from './router.js'
import { copyButton } from './ui.js'

const PLAIN = new Set('h1 h2 h3 h4 h5 h6 p ul ol li em strong code blockquote tr th td hr br del'.split(' '))
const HEADING = /^h[1-6]$/
const CELLS = new Set(['th', 'td'])
const DEEPEST = 60 // the server stops at 40

const WEB = { target: '_blank', rel: 'noopener noreferrer nofollow', referrerpolicy: 'no-referrer' }

function linkTo({ href: target = '', kind, id, scheme }, kids) {
  if (kind === 'skill') return h('a', { href: href('skills', id || target) }, kids)
  if (kind === 'web' && /^https?:\/\//i.test(target))
    return h('a', { href: target, title: target, ...WEB }, kids, icon('out'))
  if (kind === 'anchor') return h('span', null, kids)
  const why = scheme ? `${scheme}: not followed` : 'not followed'
  return h('span.dead', { 'data-why': why, title: 'Links of this kind are not followed' }, kids)
}

const picture = ({ alt, src }) =>
  h(
    'span.pic',
    { title: 'Pictures of documents are not loaded' },
    'picture ',
    alt ? text(alt) : null,
    ' ',
    h('code', null, text(src || '')),
  )

function table(rows, depth) {
  const [head, ...body] = rows
  return h(
    'div.tw',
    { tabindex: 0, role: 'region', 'aria-label': 'Table' },
    h(
      'table',
      null,
      h('thead', null, head ? build(head, depth) : null),
      h(
        'tbody',
        null,
        body.map((row) => build(row, depth)),
      ),
    ),
  )
}

const code = (kids) => {
  const str = kids.map((kid) => (typeof kid === 'string' ? kid : '')).join('')
  return h('div.codebox', null, h('pre.code', { tabindex: 0 }, text(str)), copyButton(str, 'this block'))
}

function build(node, depth) {
  if (typeof node === 'string') return text(node)
  if (!Array.isArray(node) || depth > DEEPEST) return null
  const [name, given, ...kids] = node
  const inner = () => kids.map((kid) => build(kid, depth + 1))
  if (name === 'a') return linkTo(given || {}, inner())
  if (name === 'img') return picture(given || {})
  if (name === 'pre') return code(kids)
  if (name === 'html') return h('span.rawhtml', { title: 'HTML in a document is text here' }, inner())
  if (name === 'table') return table(kids, depth + 1)
  if (!PLAIN.has(name)) return inner()
  const attrs = {
    // What a block begins with decides on which side it starts; what is inside goes with it.
    dir: depth === 0 || CELLS.has(name) ? 'auto' : null,
    // The room has the title of the page.
    'aria-level': HEADING.test(name) ? Math.min(6, Number(name[1]) + 1) : null,
  }
  return h(name, attrs, inner())
}

export const buildDocument = (tree) => (tree || []).map((node) => build(node, 0))
