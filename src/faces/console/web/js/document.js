// A document: the server sends a tree of named nodes, `["p", null, "text", ["a", {...}, "text"]]`. Names that are not known
// become their children; nothing a document says becomes HTML, an address that is loaded, or a style.
import { h, icon, plainText, text } from './dom.js'
import { decoded, href, stay } from './router.js'
import { copyButton } from './ui.js'

const PLAIN = new Set('h1 h2 h3 h4 h5 h6 p ul ol li em strong code blockquote tr th td hr br del'.split(' '))
const HEADING = /^h[1-6]$/
const CELLS = new Set(['th', 'td'])
const DEEPEST = 60 // the server stops at 40

const WEB = { target: '_blank', rel: 'noopener noreferrer nofollow', referrerpolicy: 'no-referrer' }

/** `path` seen from the folder of the file `from`; both below the same root. */
function besides(from, path) {
  const out = path.startsWith('/') ? [] : from.split('/').slice(0, -1)
  for (const part of path.split('/')) {
    if (part === '..') out.pop()
    else if (part && part !== '.') out.push(part)
  }
  return out.join('/')
}

// Not a document: there is nothing here that could show it, but it can be found.
function fileName(target, kids, doc) {
  const path = besides(doc.path, target.replace(/[?#].*$/, ''))
  return h('span.file', { title: `A file: ${plainText(path)}` }, kids, copyButton(path, 'the path'))
}

function linkTo({ href: target = '', kind, id, scheme }, kids, doc) {
  const part = /#(.*)$/s.exec(target)?.[1]
  if (kind === 'skill' && id) return h('a', { href: href('skills', id, null, part && decoded(part)) }, kids)
  if (kind === 'skill' && /^iii:/i.test(target)) return h('a', { href: href('skills', target.slice(6)) }, kids)
  if (kind === 'skill') return fileName(target, kids, doc)
  if (kind === 'web' && /^https?:\/\//i.test(target))
    return h('a', { href: target, title: target, ...WEB }, kids, icon('out'))
  if (kind === 'anchor') return anchorTo(part, kids, doc)
  const why = scheme ? `${scheme}: not followed` : 'not followed'
  return h('span.dead', { 'data-why': why, title: 'Links of this kind are not followed' }, kids)
}

// ── headings, which links can lead to ───────────────────────────────────────────────────────────

function wordsOf(node) {
  if (typeof node === 'string') return node
  return Array.isArray(node) ? node.slice(2).map(wordsOf).join('') : ''
}

/** As GitHub names the place of a heading: `Part two!` is `part-two`. */
const slug = (words) =>
  words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** Heading → its name. The second of a name gets a number. */
function nameParts(tree) {
  const names = new Map()
  const seen = new Map()
  for (const node of tree) {
    if (!Array.isArray(node) || !HEADING.test(node[0])) continue
    const name = slug(wordsOf(node))
    const before = seen.get(name) || 0
    seen.set(name, before + 1)
    names.set(node, before ? `${name}-${before}` : name)
  }
  return names
}

/** Scrolls to a heading of the document in `el`. What a document says never becomes a selector. */
export function showPart(el, part) {
  const found = part ? [...el.querySelectorAll('[data-part]')].find((heading) => heading.dataset.part === part) : null
  found?.scrollIntoView({ block: 'start' })
}

function anchorTo(part, kids, doc) {
  const name = decoded(part || '')
  if (!doc.names.has(name)) return h('span', null, kids)
  const follow = (e) => {
    e.preventDefault()
    stay(location.pathname + location.search + e.currentTarget.hash)
    showPart(e.currentTarget.closest('.doc'), name)
  }
  return h('a', { href: `#${encodeURIComponent(name)}`, onclick: follow }, kids)
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

function table(rows, depth, doc) {
  const [head, ...body] = rows
  return h(
    'div.tw',
    { tabindex: 0, role: 'region', 'aria-label': 'Table' },
    h(
      'table',
      null,
      h('thead', null, head ? build(head, depth, doc) : null),
      h(
        'tbody',
        null,
        body.map((row) => build(row, depth, doc)),
      ),
    ),
  )
}

const code = (kids) => {
  const str = kids.map((kid) => (typeof kid === 'string' ? kid : '')).join('')
  return h('div.codebox', null, h('pre.code', { tabindex: 0 }, text(str)), copyButton(str, 'this block'))
}

function build(node, depth, doc) {
  if (typeof node === 'string') return text(node)
  if (!Array.isArray(node) || depth > DEEPEST) return null
  const [name, given, ...kids] = node
  const inner = () => kids.map((kid) => build(kid, depth + 1, doc))
  if (name === 'a') return linkTo(given || {}, inner(), doc)
  if (name === 'img') return picture(given || {})
  if (name === 'pre') return code(kids)
  if (name === 'html') return h('span.rawhtml', { title: 'HTML in a document is text here' }, inner())
  if (name === 'table') return table(kids, depth + 1, doc)
  if (!PLAIN.has(name)) return inner()
  // What a block begins with decides on which side it starts; what is inside goes with it.
  const attrs = { dir: depth === 0 || CELLS.has(name) ? 'auto' : null, 'data-part': doc.parts.get(node) }
  // The room has the first heading of the page: those of a document come below it.
  const tag = HEADING.test(name) ? `h${Math.min(6, Number(name[1]) + 1)}.${name}` : name
  return h(tag, attrs, inner())
}

/** `path` of the file that it is made of, below its root. */
export function buildDocument(tree, path = '') {
  const parts = nameParts(tree || [])
  const doc = { path, parts, names: new Set(parts.values()) }
  return (tree || []).map((node) => build(node, 0, doc))
}
