// Doctor: findings by kind; each with its line in the file, what is wrong, and the patch when there is a safe one.
import { call } from '../backend.js'
import { $, fill, h, icon, plainText, prose, text } from '../dom.js'
import { num, plural, shellWord } from '../format.js'
import { drawFindings } from '../frame.js'
import { later, live } from '../live.js'
import { go, href, narrow, stay } from '../router.js'
import { closeSheet, openSheet } from '../sheet.js'
import { backRow, copy, enterList, errorNote, listKeys, redraw, refresh, say, segments, show } from '../ui.js'
import { ledgerOf } from './ledger.js'
import { titleOf } from './states.js'

const FINDINGS = 300
const SEVERITY = { error: ['err', 'missing'], warning: ['warn', 'finding'], info: ['dim', 'filtered'] }

const BY_HAND = {
  prompt_no_frontmatter: 'Begin the file with three dashes, a description, and three dashes.',
  not_utf8: 'Save the file as UTF-8.',
  unreadable: 'Give the server read access to the file.',
  too_large: 'Split it: an overview, and pages it links to.',
  outside_root: 'Copy what the link points to into the root.',
  duplicate_id: 'Rename one of the two, or remove it.',
  id_normalised: 'Rename the file, or leave it: it is served under the other id.',
  skill_case: 'Rename it to SKILL.md.',
  shadowed: 'Rename the local folder, or remove it, when the other one should be seen.',
}

const place = (f) => f.path + (f.line ? `:${f.line}` : '')
const fixOf = ({ root, path, digest, key }) => ({ root, path, digest, key })

function excerptView(f) {
  const line = ([n, str]) => {
    const at = n === f.line
    const row = h(
      `div${at ? `.at${f.severity === 'error' ? '.err' : ''}` : ''}`,
      null,
      h('span', null, n),
      h('span', null, text(str)),
    )
    const caret =
      at && f.column > 1
        ? h('div.caret', { 'aria-hidden': 'true' }, h('span'), h('span', null, `${' '.repeat(f.column - 1)}^`))
        : null
    return [row, caret]
  }
  return h('div.excerpt', { tabindex: 0, role: 'region', 'aria-label': 'In the file' }, f.excerpt.map(line))
}

const patchView = (patch) =>
  h(
    'div.diff',
    { tabindex: 0, role: 'region', 'aria-label': 'Patch' },
    patch.map(([sign, str]) =>
      h(
        `div${{ '+': '.add', '-': '.del' }[sign] || ''}`,
        null,
        h('span', null, sign.trim()),
        h('span', null, text(str)),
      ),
    ),
  )

export const doctorRoom = {
  title: 'Doctor',

  mount(el) {
    this.sum = h('div.equation')
    this.list = h('div.items.scroll', { onkeydown: (e) => listKeys(this.list, e) })
    this.detail = h('div.detail', { role: 'region', 'aria-label': 'Finding', tabindex: -1 })
    this.el = h('div.two', null, h('div.listpane', null, this.sum, this.list), this.detail)
    el.append(this.el)
    this.again = later(() => this.reread(), 400)
  },

  tools() {
    this.severities = h('span')
    this.bar = h('span.bar-slot')
    return [this.severities, this.bar]
  },

  enter(route) {
    this.severity = Object.hasOwn(SEVERITY, route.query.get('severity')) ? route.query.get('severity') : 'all'
    this.fix = route.query.get('fix')
    this.chosen = route.rest
    this.el.classList.toggle('reading', Boolean(route.rest))
    show(
      this.list,
      () => this.ask(),
      (d) => this.take(d),
    )
  },

  ask(cursor) {
    const severity = this.severity === 'all' ? {} : { severity: this.severity }
    const input = { details: true, limit: FINDINGS, ...severity, ...(cursor ? { cursor } : {}) }
    return call('directory::doctor', input)
  },

  take(data) {
    this.data = data
    this.draw()
  },

  reread() {
    refresh(
      this.list,
      () => this.ask(),
      (d) => this.take(d),
    )
  },

  address(key) {
    return href('doctor', key, { severity: this.severity === 'all' ? null : this.severity, fix: this.fix })
  },

  draw() {
    const d = this.data
    this.drawSum(ledgerOf(d))
    drawFindings(d.summary)
    this.drawTools(d.summary)
    const shown = d.findings.filter((f) => !this.fix || f.patch)
    const current =
      shown.find((f) => f.key === this.chosen) || (narrow() ? null : shown.find((f) => f.patch) || shown[0])
    const groups = Map.groupBy(shown, (f) => f.code)
    const counts = Object.fromEntries(d.summary.map((row) => [row.code, row.count]))
    redraw(
      this.list,
      [...groups].map(([code, list]) => this.group(code, list, current, counts[code])),
      shown.length ? this.more() : this.nothing(),
    )
    $('[aria-current="true"]', this.list)?.scrollIntoView({ block: 'nearest' })
    const finding = current ? JSON.stringify(current) : null
    if (this.shown === finding) return
    this.shown = finding
    if (current) this.open(current)
    else fill(this.detail)
  },

  /** The same sum as in Overview. */
  drawSum({ sum, roots }) {
    const inside = roots.filter((r) => !r.on_disk).reduce((n, r) => n + r.files, 0)
    const term = (n, what) => [h('b', null, num(n)), `\u00a0${what}`]
    fill(
      this.sum,
      term(sum('files'), 'files'),
      ' = ',
      term(sum('skills'), 'skills'),
      ' + ',
      term(sum('prompts'), 'prompts'),
      ' + ',
      term(sum('supporting'), 'supporting'),
      ' + ',
      term(sum('skipped'), 'not\u00a0served'),
      inside ? h('span.dim', null, `; ${num(inside)} compiled in or registered`) : null,
    )
  },

  drawTools(summary) {
    const count = (severity) =>
      summary.filter((r) => severity === 'all' || r.severity === severity).reduce((n, r) => n + r.count, 0)
    const names = [
      ['all', 'All'],
      ['error', 'Errors'],
      ['warning', 'Warnings'],
      ['info', 'Info'],
    ]
    const pick = (severity) => {
      this.severity = severity
      this.fix = null
      this.chosen = ''
      stay(this.address())
      show(
        this.list,
        () => this.ask(),
        (d) => this.take(d),
      )
    }
    const withCounts = names.map(([key, label]) => (innerWidth < 760 ? [key, label] : [key, label, num(count(key))]))
    fill(this.severities, segments('Severity', withCounts, this.severity, pick))
    const ready = summary.reduce((n, r) => n + (r.fixable || 0), 0)
    const label = ready ? [h('span.hide-s', null, 'Apply'), plural(ready, 'patch', 'patches')] : 'No patches'
    fill(
      this.bar,
      h('button.btn.needs-link', { type: 'button', disabled: !ready, onclick: () => this.applyAll(ready) }, label),
    )
  },

  group(code, list, current, count) {
    const [cls, mark] = SEVERITY[list[0].severity]
    const head = h(
      'div.grp',
      null,
      h(`span.${cls}`, null, icon(mark)),
      titleOf(code),
      h('span.n', null, num(Math.max(list.length, count || 0))),
    )
    const item = (f) => {
      const pick = () => {
        this.chosen = f.key
        if (narrow()) return go(this.address(f.key))
        stay(this.address(f.key))
        this.draw()
      }
      const attrs = { type: 'button', 'data-key': f.key, 'aria-current': String(f === current), onclick: pick }
      return h(
        'button.item.one',
        attrs,
        h(
          'span.a',
          null,
          h('span.mono', null, h('bdi', null, text(place(f)))),
          h('span.tag', null, f.patch ? 'patch' : ''),
        ),
      )
    }
    return [head, list.map(item)]
  },

  more() {
    if (!this.data.truncated) return null
    const left = this.data.matching - this.data.findings.length
    const load = async () => {
      const next = await this.ask(this.data.next_cursor)
      this.data = { ...next, findings: [...this.data.findings, ...next.findings] }
      this.draw()
    }
    return h('div.barrow.pad-s', null, h('button.btn', { type: 'button', onclick: load }, `Show more of ${num(left)}`))
  },

  nothing: () =>
    h('div.state', null, h('h2', null, 'Nothing to fix'), h('p', null, 'Every file is served as it was written.')),

  open(f) {
    const [cls, mark] = SEVERITY[f.severity]
    const id = f.served_as ? h('a.txt.mono', { href: href('skills', f.served_as) }, text(f.served_as)) : null
    // An error means that nobody can read it, also where lists keep its row.
    const served =
      f.severity === 'error' || !id
        ? [h('span.err', null, 'not served'), id ? [', listed as ', id] : null]
        : ['served as ', id]
    if (this.chosen) document.title = `${plainText(place(f))} · iii-directory`
    fill(
      this.detail,
      backRow('doctor', 'All findings', { severity: this.severity === 'all' ? null : this.severity, fix: this.fix }),
      h(
        'div.pad',
        null,
        h(`div.st.${cls}`, null, icon(mark), f.severity, h('code.dim', null, f.code)),
        h(
          'h2.lead',
          null,
          h('bdi', null, text(f.path)),
          f.line ? h('span.dim', null, `:${f.line}${f.column ? `:${f.column}` : ''}`) : null,
        ),
        h('p.lede.big', null, prose(f.message)),
        h('div.meta-line', null, h('span', null, 'root ', h('b', null, f.root)), h('span', null, served)),
        f.excerpt?.length ? h('div.sect', null, h('div.h', null, 'In the file'), excerptView(f)) : null,
        f.patch ? this.patchSection(f) : this.handSection(f),
        (this.result = h('div', { 'aria-live': 'polite' })),
      ),
    )
  },

  patchSection(f) {
    const apply = h(
      'button.btn.primary.needs-link.apply',
      { type: 'button', onclick: () => this.apply({ fixes: [fixOf(f)] }) },
      'Apply',
      h('kbd', null, 'a'),
    )
    const note = h('span.sub', null, 'Only these bytes change. It is refused when the file changed meanwhile.')
    return h(
      'div.sect',
      null,
      h('div.h', null, 'What the patch changes'),
      patchView(f.patch),
      h('div.barrow', null, apply, note),
    )
  },

  handSection(f) {
    const copyPath = h('button.btn', { type: 'button', onclick: () => copy(place(f), 'the path') }, 'Copy path')
    const command = `iii-directory doctor --prefix ${shellWord(f.path)}`
    const copyCommand = h(
      'button.btn.quiet',
      { type: 'button', onclick: () => copy(command, 'the command') },
      'Copy as command',
    )
    return h(
      'div.sect',
      null,
      h('div.h', null, 'How to fix it'),
      h('p.lede', null, BY_HAND[f.code] || 'By hand; the message says what is wrong.'),
      h('div.barrow', null, copyPath, copyCommand),
    )
  },

  /** The button that leads here has said what changes. */
  async apply(what) {
    try {
      const { applied, refused = [] } = await call('directory::doctor::apply', what, { confirmed: true })
      say(
        `${plural(applied, 'patch', 'patches')} applied${refused.length ? `, ${refused.length} refused` : ''}, generation ${live.generation}`,
      )
      if (applied) this.chosen = ''
      const answer = await this.ask()
      this.data = answer
      this.draw()
      if (refused.length && this.result)
        fill(
          this.result,
          refused.slice(0, 10).map((r) => errorNote({ message: `${r.path}: ${r.reason}` })),
        )
    } catch (error) {
      if (this.result) fill(this.result, errorNote(error))
    }
  },

  applyAll(ready) {
    const listed = this.data.findings.filter((f) => f.patch)
    const item = (f) =>
      h(
        'li',
        null,
        h('span.warn', null, icon('finding')),
        h('div', null, h('b.mono', null, text(place(f))), h('span.sub', null, f.code)),
      )
    const body = h(
      'div',
      null,
      h('p.lede', null, 'Each changes one place in one file and is refused when that file changed meanwhile.'),
      h('ul.look', null, listed.slice(0, 50).map(item)),
      ready > Math.min(50, listed.length)
        ? h('p.sub', null, `and ${num(ready - Math.min(50, listed.length))} more`)
        : null,
    )
    const run = () => {
      closeSheet()
      this.apply({ all: true })
    }
    const buttons = [
      h('button.btn', { type: 'button', onclick: closeSheet }, 'Not now'),
      h('button.btn.primary', { type: 'button', onclick: run }, 'Apply all'),
    ]
    openSheet(`Apply ${plural(ready, 'patch', 'patches')}`, body, { buttons, large: true })
  },

  key(e) {
    if (e.key === 'a') {
      $('.apply', this.detail)?.click()
      return true
    }
    return enterList(this.list, e)
  },

  live(e) {
    if (e.type === 'change' || e.type === 'truncated') this.again()
  },
}
