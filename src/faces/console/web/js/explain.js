// Why is a skill missing? What the server says about it, and what to do.
import { call } from './backend.js'
import { fill, h, prose, text } from './dom.js'
import { later } from './live.js'
import { href } from './router.js'
import { closeSheet, openSheet } from './sheet.js'
import { copy, errorNote, searchField } from './ui.js'
import { lastPart, shellWord } from './format.js'

const VERDICT = {
  served: ['ok', 'Agents see it.'],
  absent: ['err', 'There is no such file.'],
  missing: ['err', 'The file is there and is not served.'],
  filtered: ['warn', 'It is hidden until its worker is installed.'],
  shadowed: ['warn', 'Another file hides it.'],
}
function openOrSearch({ id, kind, verdict }) {
  const to = (label, address) => h('a.btn', { href: address, onclick: closeSheet }, label)
  if (verdict !== 'absent') return to('Open it', href(kind === 'prompt' ? 'prompts' : 'skills', id))
  return to('Search for it', href('skills', '', { q: lastPart(id) }))
}

function verdictView(a, again) {
  const [cls, sentence] = VERDICT[a.verdict] || ['dim', a.verdict]
  const near = (a.near || []).map((id, i) => [
    i ? ', ' : '',
    h('button.txt.mono', { type: 'button', onclick: () => again(id) }, text(id)),
  ])
  const command = `iii-directory why ${shellWord(a.id)}`
  return [
    h(`p.verdict.${cls}`, null, sentence),
    // Of an unknown id there is nothing to say but what the sentence says.
    a.verdict === 'absent' ? null : h('p.lede', null, prose(a.reason)),
    // For an unknown id the server names functions to call; here are links instead.
    a.next && a.verdict !== 'absent' ? h('p.next-line', null, prose(a.next)) : null,
    near.length ? h('p.lede', null, 'Did you mean ', near, '?') : null,
    h(
      'div.barrow',
      null,
      openOrSearch(a),
      h('button.btn.quiet', { type: 'button', onclick: () => copy(command, 'the command') }, 'Copy as command'),
    ),
  ]
}

const INTRODUCTION =
  'Name a skill or a prompt as you would write it: an id, a file, an iii:// address. The answer says whether agents see it, and why not.'

export function explainDialog(id = '') {
  const out = h('div', { 'aria-live': 'polite' })
  let turn = 0
  const ask = async () => {
    const mine = ++turn
    const wanted = input.value.trim()
    if (!wanted) return fill(out, h('p.lede', null, INTRODUCTION))
    let view
    try {
      view = verdictView(await call('directory::skills::explain', { id: wanted }), (near) => {
        input.value = near
        ask()
      })
    } catch (error) {
      view = errorNote(error)
    }
    if (mine === turn) fill(out, view)
  }
  const attrs = {
    placeholder: 'database/query',
    'aria-label': 'Id of a skill',
    spellcheck: 'false',
    autocomplete: 'off',
  }
  const input = h('input', { ...attrs, oninput: later(ask, 120) })
  input.value = id
  openSheet('Why is a skill missing?', h('div', null, searchField(input), h('div.gap16'), out))
  input.focus()
  input.select()
  ask()
}
