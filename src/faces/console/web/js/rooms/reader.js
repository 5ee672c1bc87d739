// One document: read, its source, what agents get, and where it comes from.
import { call } from '../backend.js'
import { $, fill, h, icon, plainText, prose, put, text } from '../dom.js'
import { buildDocument } from '../document.js'
import { explainDialog } from '../explain.js'
import { bytes, lastPart, num, plural, shortDigest, since, utc } from '../format.js'
import { jsonBox } from '../json_view.js'
import { href } from '../router.js'
import { backRow, copyButton, errorLine, segments, tabs } from '../ui.js'
import { STATE } from './states.js'

const MOST_LINES = 3000
const LONGEST_LINE = 4000

const fact = (label, ...value) => [h('dt', null, label), h('dd', null, value)]

// ── read ────────────────────────────────────────────────────────────────────────────────────────

function readTab(d) {
  const beside = (d.related || []).map((id, i) => [
    i ? ', ' : '',
    h('a', { href: href('skills', id) }, text(lastPart(id))),
  ])
  return h(
    'div.doc',
    null,
    buildDocument(d.tree, d.path),
    d.tree_cut ? h('p.doc-more', null, 'The document goes on; the rest is in Source.') : null,
    beside.length ? h('p.doc-more', null, 'Beside it: ', beside) : null,
  )
}

// ── source ──────────────────────────────────────────────────────────────────────────────────────

/** The number of the line that closes the frontmatter; 0 without one. */
function frontmatterEnd(lines) {
  if (lines[0] !== '---') return 0
  const end = lines.indexOf('---', 1)
  return end > 0 ? end + 1 : 0
}

function sourceTab(d) {
  if (d.source == null) return h('p.sub', null, 'The text of this file cannot be shown: it could not be read as text.')
  const lines = d.source.replace(/\n$/, '').split('\n')
  const front = frontmatterEnd(lines)
  const hits = new Set((d.findings || []).map((f) => f.line))
  const line = (str, i) => [
    h('span.ln-n', { 'aria-hidden': 'true' }, i + 1),
    h(`span.ln-t${i < front ? '.fm' : ''}${hits.has(i + 1) ? '.hit' : ''}`, { dir: 'auto' }, lineText(str)),
  ]
  const box = h('div.src', { tabindex: 0, role: 'region', 'aria-label': 'Source' })
  const foot = h('div.barrow')
  const show = (from) => {
    const to = Math.min(lines.length, from + MOST_LINES)
    put(box, lines.slice(from, to).map((str, i) => line(str, from + i)))
    fill(foot, to < lines.length ? moreLines(to, lines.length, () => show(to)) : d.source_cut ? cutNote(d) : null)
  }
  show(0)
  return [box, foot]
}

const moreLines = (shown, all, show) => [
  h('span.sub', null, `Only the first ${num(shown)} lines are shown, of ${num(all)}.`),
  h('button.btn', { type: 'button', onclick: show }, `Show ${num(Math.min(MOST_LINES, all - shown))} more`),
]

const cutNote = (d) =>
  h('span.sub', null, `The file goes on: the page gets the first ${bytes(d.source.length)} of ${bytes(d.bytes)}.`)

/** A line; of a long one its beginning, and the rest when somebody wants it. */
function lineText(str) {
  if (str.length <= LONGEST_LINE) return text(str)
  const more = h('button.txt', { type: 'button' }, `… ${num(str.length - LONGEST_LINE)} more characters`)
  more.onclick = () => more.replaceWith(...text(str.slice(LONGEST_LINE)))
  return [text(str.slice(0, LONGEST_LINE)), more]
}

// ── as agents get it ────────────────────────────────────────────────────────────────────────────

let chosenFace = 'MCP' // stays while documents are compared

const byUri = (d) => ({ uri: `iii://${d.id}` })
// [version of the interface, function that reads the document, what to pass]
const FACES = [
  ['MCP', 'resources/read', byUri],
  ['0.8.0', 'directory::skills::get', (d) => ({ id: d.id })],
  ['0.5.1', 'directory::engine::functions::info', (d) => d.function_id && { function_id: d.function_id }],
  ['0.4.1', 'skill::fetch', byUri],
  ['0.1.5', 'skills::resources-read', byUri],
]

/** What the function answers. MCP is no function, and answers with the body. */
async function answerOf(d, name, id, request) {
  if (name === 'MCP') return { contents: [{ ...request, mimeType: 'text/markdown', text: d.body }] }
  if (!request) throw new Error('The document names no function (`function_id`).')
  return call(id, request, { confirmed: true })
}

async function drawFace(out, d, [name, id, requestOf]) {
  const request = requestOf(d)
  const head = h('p.mono.dim.wrap', null, `${id} `, text(request ? JSON.stringify(request) : ''))
  const body = h('div')
  fill(out, head, h('div.gap8'), body)
  try {
    fill(body, jsonBox(await answerOf(d, name, id, request), 'the answer'))
  } catch (error) {
    fill(body, errorLine(error))
  }
}

function agentTab(d) {
  const choice = h('div.barrow.first')
  const answer = h('div')
  const draw = (key) => {
    chosenFace = key
    const names = FACES.map(([name]) => [name, name])
    fill(
      choice,
      h('span.h', null, 'When it opens it'),
      segments('Version of the interface', names, key, draw),
    )
    drawFace(answer, d, FACES.find(([name]) => name === key))
  }
  draw(chosenFace)
  const listing = h(
    'div.sect',
    null,
    h('div.h', null, 'In the listing'),
    h(
      'p.lede',
      null,
      `What an agent reads before it decides to open the document${d.tokens ? `, about ${plural(d.tokens.index, 'token')}` : ''}.`,
    ),
    h('div.gap8'),
    h('pre.code.wrap', { tabindex: 0 }, text(`${d.id}\n${d.title || ''}\n${d.description || ''}`.trim())),
  )
  return h('div', null, listing, h('div.sect', null, choice, h('div.gap8'), answer))
}

// ── where it comes from ─────────────────────────────────────────────────────────────────────────

const ROLE = {
  serves: ['on', 'serves it'],
  hidden: ['off', 'has one too, hidden'],
  'not served': ['bad', 'has it, not served'],
  none: ['', '–'],
}

function chainView(chain) {
  const item = ({ root, folder, role, path }) => {
    const [cls, words] = ROLE[role] || ROLE.none
    const none = role === 'none' ? '.none' : ''
    return h(
      `li${cls ? `.${cls}` : ''}`,
      null,
      h(`span${none}`, null, root),
      h(`span.mono${none}`, null, text(path ? `${folder}/${path}` : folder)),
      h(`span${none}`, null, words),
    )
  }
  return h('ol.chain', null, chain.map(item))
}

function fileFacts(d) {
  const digest = d.digest
    ? [h('code', { title: d.digest }, shortDigest(d.digest)), ' ', copyButton(d.digest, 'the digest')]
    : null
  const functions = d.functions?.length ? d.functions : d.function_id ? [{ function_id: d.function_id }] : []
  return h(
    'dl.facts',
    null,
    fact('Path', h('span.mono', null, text(d.path ? `${d.root}:${d.path}` : d.root))),
    digest ? fact('Digest', digest) : null,
    fact('Size', bytes(d.bytes)),
    d.modified_at ? fact('Changed', utc(d.modified_at)) : null,
    d.since_generation
      ? fact(
          'Generation',
          'unchanged since ',
          h('a.txt', { href: href('changes', '', { since: d.since_generation - 1 }) }, d.since_generation),
        )
      : null,
    functions.length
      ? fact(
          'Describes',
          functions.map((f, i) => [
            i ? ', ' : '',
            h('a.txt.mono', { href: href('bus', f.function_id) }, text(f.function_id)),
            f.state ? h('span.dim', null, ` ${f.state}`) : null,
          ]),
        )
      : null,
  )
}

export function sourceWords(source) {
  if (!source) return ''
  if (source.kind === 'registry')
    return `registry · ${source.worker || ''} ${source.version || source.tag || ''}`.trim()
  return `${String(source.repo || '').replace(/^https:\/\//, '')} · ${source.path || source.skill || ''}`
}

function lockView(d) {
  const yours =
    { registered: 'a worker registered it at run time.', builtin: 'compiled in.' }[d.root] || 'the file is yours.'
  if (!d.lock) return h('p.sub', null, `Not downloaded: ${yours}`)
  const edited = d.lock.state === 'edited'
  return h(
    'dl.facts',
    null,
    fact(
      'Source',
      text(sourceWords(d.lock.source)),
      ' ',
      h('a.txt', { href: href('sources', d.lock.namespace) }, 'open'),
    ),
    fact('Version', h('span.mono', null, text(d.lock.resolved || ''))),
    fact(
      'State',
      edited
        ? h('span.st.warn', null, icon('finding'), 'edited here; an update keeps it')
        : h('span.st.ok', null, icon('ok'), 'as it was downloaded'),
    ),
    edited && d.lock.written
      ? fact('Written', h('code', { title: d.lock.written }, shortDigest(d.lock.written)))
      : null,
  )
}

function fromTab(d) {
  const part = (title, body) => h('div.sect', null, h('div.h', null, title), body)
  return h(
    'div',
    null,
    d.chain?.length ? part('Looked for in this order', chainView(d.chain)) : null,
    part('The file', fileFacts(d)),
    part('The lock', lockView(d)),
  )
}

// ── the whole ───────────────────────────────────────────────────────────────────────────────────

const DRAW = { read: readTab, source: sourceTab, agent: agentTab, from: fromTab }

function tabsFor(d) {
  const all = [
    ['read', 'Read'],
    ['source', 'Source'],
    ['agent', 'As agents get it'],
    ['from', 'Where it comes from'],
  ]
  return all.filter(([key]) => !(key === 'agent' && !d.served) && !(key === 'read' && !d.tree?.length && !d.served))
}

function notes(d) {
  const note = (cls, mark, body, button) =>
    h(`div.note${cls}`, { role: 'note' }, icon(mark), h('div', null, body), button)
  const out = []
  if (!d.served) {
    const why = h('button.btn', { type: 'button', onclick: () => explainDialog(d.id) }, 'Why?')
    out.push(
      note(
        d.state === 'missing' ? '.err' : '',
        d.state,
        h('p', null, h('b', null, STATE[d.state]), '. ', prose(d.reason || '')),
        why,
      ),
    )
  }
  const [first] = d.findings || []
  if (first && d.served)
    out.push(
      note(
        '',
        'finding',
        h('p', null, prose(first.message)),
        first.key ? h('a.btn', { href: href('doctor', first.key) }, 'Show') : null,
      ),
    )
  if (d.risks?.length) {
    const lines = d.risks
      .slice(0, 4)
      .map((r) => h('p', null, h('b', null, r.severity), r.line ? ` line ${r.line}: ` : ': ', prose(r.message)))
    out.push(
      note('', 'finding', [
        h('p', null, `${plural(d.risks.length, 'passage')} to look at before following it.`),
        lines,
      ]),
    )
  }
  return out
}

function head(d) {
  const lock = d.lock
    ? h(
        `span${d.lock.state === 'edited' ? '.warn' : ''}`,
        null,
        text(`${d.lock.state === 'edited' ? 'edited since' : 'as in'} ${d.lock.resolved || 'the lock'}`),
      )
    : null
  const facts = [
    h('span', null, h('bdi', null, text(d.path ? `${d.root}:${d.path}` : d.root))),
    h('span', null, bytes(d.bytes)),
    d.served && d.tokens ? h('span', null, `≈ ${plural(d.tokens.body, 'token')}`) : null,
    d.modified_at ? h('span', { title: utc(d.modified_at) }, `changed ${since(d.modified_at)}`) : null,
    lock,
  ]
  const id = h(
    'div.rd-id',
    null,
    h('span', { dir: 'ltr' }, h('bdi', null, text(d.id))),
    copyButton(d.id, plainText(d.id)),
    h('span.tag', null, !d.type || d.type === 'none' ? '' : text(d.type)),
  )
  return h('div.rd-head', null, id, h('div.rd-line', null, facts))
}

/** `pick(tab)` is told which tab was chosen. */
export function readerView(d, { tab, query, pick }) {
  const names = tabsFor(d)
  let chosen = names.some(([key]) => key === tab) ? tab : names[0][0]
  const body = h('div.rd-body', { role: 'tabpanel' })
  const draw = () => fill(body, DRAW[chosen](d))
  const choose = (key, byKeyboard) => {
    chosen = key
    pick(key)
    const next = tabs(names, key, choose)
    bar.replaceWith(next)
    bar = next
    if (byKeyboard) $('[aria-selected="true"]', bar).focus()
    draw()
  }
  let bar = tabs(names, chosen, choose)
  draw()
  return h(
    'article.reader',
    null,
    backRow('skills', 'All skills', query),
    h('div.doc-changed'),
    head(d),
    notes(d),
    bar,
    body,
  )
}
