// Sources: what was downloaded from where, whether it is still as it was written, and whether there is something newer.
import { call } from '../backend.js'
import { $, h, icon, prose, text } from '../dom.js'
import { capital, num, numberWord, plural, since } from '../format.js'
import { drawSources } from '../frame.js'
import { installDialog } from '../install.js'
import { later } from '../live.js'
import { progressDialog } from '../progress.js'
import { href } from '../router.js'
import { closeSheet, openSheet } from '../sheet.js'
import { codeBox, errorParts, refresh, say, show } from '../ui.js'

const LOCK = {
  current: ['ok', 'ok', 'up to date'],
  outdated: ['warn', 'down', 'newer upstream'],
  edited: ['warn', 'finding', 'edited here'],
  pinned: ['dim', 'served', 'pinned'],
  missing: ['err', 'missing', 'files are missing'],
  unknown: ['dim', 'filtered', 'not asked'],
}
const FILE_CLASS = { missing: '.err', edited: '.warn', mode: '.warn' }
const AFTER_RESTORE = {
  edited: 'your lines are lost',
  missing: 'comes back',
  mode: 'is executable again',
  extra: 'stays: it is not in the lock',
}

/** `state` names the first thing that applies; an edited namespace may have something newer as well. */
export const hasNewer = (l) => !l.pinned && Boolean(l.latest) && l.latest !== l.current

/** As many as the lock names: those that somebody added are not part of it. */
const fileCount = (l) => (l.intact || 0) + (l.more_files || 0) + l.files.filter(([state]) => state !== 'extra').length

function stateMark(state, more = '') {
  const [cls, mark, label] = LOCK[state] || LOCK.unknown
  return h(`span.st.${cls}`, null, icon(mark), label + more)
}

/** Commits are long; versions are not. */
const version = (v) => (/^[0-9a-f]{40}$/.test(v || '') ? v.slice(0, 7) : v)

function fromCell(l) {
  const source = l.source || {}
  const where =
    source.kind === 'registry'
      ? [
          'registry',
          h('span.dim', null, ` · ${source.version ? `version ${source.version}` : source.tag || 'latest'}`),
          l.auto ? h('span.dim', null, ' · by itself') : null,
        ]
      : [
          text(String(source.repo || '').replace(/^https:\/\//, '')),
          h('span.dim', null, ' · ', text(source.path || source.skill || '')),
        ]
  const files = (l.files || [])
    .slice(0, 6)
    .map(([state, path]) => h(`span${FILE_CLASS[state] || ''}`, null, `${state} `, h('code', null, text(path))))
  const more = l.files?.length > 6 ? h('span', null, `and ${l.files.length - 6} more`) : null
  const error = l.error ? h('span', null, prose(errorParts(l.error).sentence)) : null
  return h('td.from', null, where, files.length || error ? h('div.kids', null, error, files, more) : null)
}

export const sourcesRoom = {
  title: 'Sources',

  mount(el) {
    this.el = h('div.scroll.fullh', { tabindex: -1 })
    el.append(this.el)
    this.again = later(() => this.reread(), 400)
  },

  tools() {
    const updateAll = () => this.update(this.locks.filter(hasNewer))
    this.all = h('button.btn.hide-s.needs-link', { type: 'button', disabled: true, onclick: updateAll }, 'Update all')
    this.check = h(
      'button.btn.quiet.push.needs-link',
      { type: 'button', onclick: () => this.checkNow() },
      'Check',
      h('span.hide-s', null, 'now'),
    )
    return [
      this.check,
      this.all,
      h(
        'button.btn.primary.needs-link',
        { type: 'button', onclick: () => this.install() },
        'Install',
        h('span.hide-s', null, 'skills'),
      ),
    ]
  },

  ask: (check) =>
    call('directory::lock::list', check ? { check: true } : {}, { timeoutMs: check ? 30_000 : undefined }),

  enter(route) {
    this.namespace = route.rest
    show(
      this.el,
      () => this.ask(),
      (d) => this.render(d),
    )
  },

  /** The answer of a check is what a person waits for: nothing else takes its place. */
  reread() {
    if (this.checking) return (this.missed = true)
    refresh(
      this.el,
      () => this.ask(),
      (d) => this.render(d),
    )
  },

  async checkNow() {
    this.check.disabled = true
    this.checking = true
    this.missed = false
    say('Asking every upstream …')
    await show(
      this.el,
      () => this.ask(true),
      (d) => this.render(d),
    )
    this.check.disabled = false
    this.checking = false
    if (this.missed) this.again()
    if (!this.locks) return
    const newer = this.locks.filter(hasNewer).length
    const silent = this.locks.filter((l) => l.error).length
    const found = newer ? `${numberWord(newer)} ${newer === 1 ? 'has' : 'have'} something newer` : 'nothing is newer'
    say(`Asked every upstream; ${found}${silent ? `, ${numberWord(silent)} did not answer` : ''}`)
  },

  install() {
    installDialog(() => this.again())
  },

  sentence(locks) {
    const count = (state) => locks.filter((l) => l.state === state).length
    const words = [
      [locks.filter(hasNewer).length, 'has something newer', 'have something newer'],
      [count('edited'), 'was edited here', 'were edited here'],
      [count('missing'), 'lacks a file', 'lack files'],
      [count('unknown'), 'was not compared with its upstream yet', 'were not compared with their upstreams yet'],
    ]
      .filter(([n]) => n)
      .map(([n, one, many]) => `${numberWord(n)} ${n === 1 ? one : many}`)
    const locked = `${capital(numberWord(locks.length))} ${locks.length === 1 ? 'namespace is' : 'namespaces are'} locked. `
    return h(
      'p.say.lesser',
      null,
      locked,
      words.length ? `${capital(words.join(', '))}.` : 'All are as they were downloaded, and current.',
    )
  },

  render({ namespaces: locks }) {
    this.locks = locks
    drawSources(locks.length)
    const newer = locks.filter(hasNewer).length
    if (this.all) {
      this.all.disabled = !newer
      this.all.textContent = newer ? `Update ${newer}` : 'Nothing to update'
    }
    if (!locks.length) return this.nothing()
    const head = h(
      'tr',
      null,
      ['Namespace', 'From', 'Here', 'Upstream', 'State'].map((t) => h('th', { scope: 'col' }, t)),
      ['Files', 'Written'].map((t) => h('th.r.hide-s', { scope: 'col' }, t)),
      h('th', { scope: 'col' }, h('span.vh', null, 'Actions')),
    )
    queueMicrotask(() => this.reveal())
    return h(
      'div.srcs',
      null,
      this.sentence(locks),
      h(
        'table.tbl',
        null,
        h('thead', null, head),
        h(
          'tbody',
          null,
          locks.map((l) => this.row(l)),
        ),
      ),
    )
  },

  reveal() {
    if (!this.namespace) return
    const row = $(`tr[data-ns="${CSS.escape(this.namespace)}"]`, this.el)
    row?.classList.add('on')
    row?.scrollIntoView({ block: 'nearest' })
  },

  nothing() {
    const words =
      'What you install is written to directory.lock, file by file. Commit it, and others get the same bytes.'
    const install = h(
      'button.btn.primary.needs-link',
      { type: 'button', onclick: () => this.install() },
      'Install skills',
    )
    return h(
      'div.state',
      null,
      h('h2', null, 'Nothing is downloaded'),
      h('p', null, words),
      codeBox('iii-directory install resend', 'the command'),
      h('div.row', null, install),
    )
  },

  row(l) {
    const same = !l.latest || l.latest === l.current
    return h(
      'tr',
      { 'data-ns': l.namespace },
      h('td', null, h('a.ns', { href: href('skills', '', { namespace: l.namespace }) }, text(l.namespace))),
      fromCell(l),
      h('td.vers.mono', { title: l.current }, text(version(l.current) || '–')),
      h(`td.vers.r2.mono${same ? '.dim' : ''}`, { title: l.latest || '' }, text(version(l.latest) || '–')),
      h(
        'td.state-td',
        null,
        stateMark(l.state, l.pinned && l.state !== 'pinned' ? ', pinned' : ''),
        hasNewer(l) && l.state !== 'outdated' ? stateMark('outdated') : null,
      ),
      h('td.r.dim.hide-s', null, num(fileCount(l))),
      h('td.r.dim.hide-s', null, l.at ? since(l.at) : '–'),
      h('td.acts-td', null, this.actions(l)),
    )
  },

  actions(l) {
    const button = (label, act, quiet = '.quiet') =>
      h(
        `button.btn${quiet}.needs-link`,
        { type: 'button', 'aria-label': `${label} ${l.namespace}`, onclick: act },
        label,
      )
    return [
      hasNewer(l) ? button('Update', () => this.update([l]), '') : null,
      l.state === 'missing' || l.state === 'edited' ? button('Restore', () => this.restore(l)) : null,
      l.error ? button('Ask again', () => this.checkNow()) : null,
      button('Remove', () => this.remove(l)),
    ]
  },

  update(list) {
    const jobs = list.map((l) => ({
      name: l.namespace,
      from: version(l.current),
      to: version(l.latest),
      functionId: 'directory::lock::update',
      payload: { namespace: l.namespace },
    }))
    if (jobs.length) progressDialog('Update', jobs, () => this.again())
  },

  restore(l) {
    const file = ([state, path]) =>
      h(
        'li',
        null,
        h('span.warn', null, icon(state === 'missing' ? 'missing' : 'finding')),
        h(
          'div',
          null,
          h('b.mono', null, text(`${l.namespace}/${path}`)),
          h('span.sub', null, AFTER_RESTORE[state] || state),
        ),
      )
    const body = h(
      'div',
      null,
      h(
        'p.lede',
        null,
        'Brings files back to exactly what directory.lock says. What you edited would be lost, so it is named here.',
      ),
      h('ul.look', null, l.files.map(file)),
    )
    const run = () => {
      closeSheet()
      const job = {
        name: l.namespace,
        to: version(l.current),
        functionId: 'directory::lock::restore',
        payload: { namespace: l.namespace, force: true },
      }
      progressDialog('Restore', [job], () => this.again())
    }
    openSheet(`Restore ${l.namespace}`, body, {
      buttons: [
        h('button.btn', { type: 'button', onclick: closeSheet }, 'Keep as it is'),
        h('button.btn.primary', { type: 'button', onclick: run }, 'Restore'),
      ],
    })
  },

  remove(l) {
    const edited = (l.files || []).filter(([state]) => state === 'edited' || state === 'extra')
    const force = h('input', { type: 'checkbox' })
    const kept = edited.length
      ? [
          h(
            'p',
            null,
            `${plural(edited.length, 'file')} of yours would stay: `,
            edited.map(([, path], i) => [i ? ', ' : '', h('code', null, text(path))]),
          ),
          h('label.check', null, force, 'Remove these as well'),
        ]
      : null
    const body = h(
      'div',
      null,
      h(
        'p.lede',
        null,
        `Deletes ${plural(l.intact || 0, 'file')} of ${l.namespace} and its entry in directory.lock. Agents no longer see its skills.`,
      ),
      h('div.gap8'),
      kept,
    )
    const run = async () => {
      const payload = { namespace: l.namespace, ...(force.checked ? { force: true } : {}) }
      closeSheet()
      try {
        await call('directory::skills::remove', payload, { confirmed: true })
        say(`${l.namespace} is removed`)
      } catch (error) {
        say(errorParts(error).sentence)
      }
      this.again()
    }
    openSheet(`Remove ${l.namespace}`, body, {
      buttons: [
        h('button.btn', { type: 'button', onclick: closeSheet }, 'Keep it'),
        h('button.btn.primary', { type: 'button', onclick: run }, 'Remove'),
      ],
    })
  },

  key(e) {
    if (e.key !== 'i') return false
    this.install()
    return true
  },

  live(e) {
    if (e.type === 'change' || e.type === 'truncated') this.again()
  },
}
