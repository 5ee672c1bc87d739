// Install skills from the workers registry or from a git repository.
import { call } from './backend.js'
import { $, fill, h, put, text } from './dom.js'
import { num, shellWord } from './format.js'
import { later } from './live.js'
import { progressDialog } from './progress.js'
import { closeSheet, openSheet } from './sheet.js'
import { errorLine, searchField, segments } from './ui.js'

const SHOWN = 8

/** The registry: search, choose one. */
class FromRegistry {
  constructor(changed) {
    this.changed = changed
    this.chosen = null
    this.turn = 0
    this.list = h('ul.reg', { 'aria-live': 'polite' })
    const attrs = {
      type: 'search',
      placeholder: 'Search the registry',
      'aria-label': 'Search the registry',
      autocomplete: 'off',
    }
    this.input = h('input', { ...attrs, oninput: later(() => this.look(), 150) })
    this.el = h('div', null, searchField(this.input), h('div.gap8'), this.list)
    this.look()
  }

  async look() {
    const mine = ++this.turn
    const search = this.input.value.trim()
    try {
      const { workers } = await call('directory::registry::workers::list', search ? { search } : {})
      if (mine === this.turn) this.draw(workers)
    } catch (error) {
      if (mine === this.turn) fill(this.list, h('li', null, errorLine(error)))
    }
  }

  draw(workers) {
    const row = (w) => {
      const pick = () => {
        this.chosen = w
        this.draw(workers)
        this.changed()
      }
      const about = [w.version, `${num(w.total_downloads || 0)} downloads`, w.author?.verified ? 'verified' : null]
      const attrs = { type: 'button', 'aria-pressed': String(this.chosen?.name === w.name), onclick: pick }
      const tag = h('span.tag', null, about.filter(Boolean).join(' · '))
      return h(
        'li',
        null,
        h('button', attrs, h('span.mono', null, text(w.name)), h('span.b', null, text(w.description || '')), tag),
      )
    }
    const more =
      workers.length > SHOWN ? h('li.sub', null, `${workers.length - SHOWN} more; type to narrow it down.`) : null
    fill(
      this.list,
      workers.slice(0, SHOWN).map(row),
      more,
      workers.length ? null : h('li.sub', null, 'No worker has these words.'),
    )
  }

  get ready() {
    return Boolean(this.chosen)
  }
  command() {
    return `iii-directory install ${this.chosen ? shellWord(this.chosen.name) : '…'}`
  }
  job() {
    return { name: this.chosen.name, to: this.chosen.version, payload: { worker: this.chosen.name } }
  }
}

/** A repository: address, folder, and if wanted a branch, tag or commit. */
class FromGit {
  constructor(changed) {
    this.changed = changed
    this.found = h('ul.reg', { 'aria-live': 'polite' })
    const look = h('button.btn', { type: 'button', onclick: () => this.look() }, 'Show what it has')
    this.el = h(
      'div',
      null,
      this.field(
        'g-repo',
        'Repository',
        'https://github.com/anthropics/skills',
        'https, ssh or git@. Only the folder you name is fetched; nothing in it is run.',
      ),
      this.field('g-ref', 'Branch, tag or commit', 'main', 'A commit pins it.'),
      h('div.barrow.first', null, look),
      this.found,
      h('div.gap16'),
      this.field('g-skill', 'Skill', 'mcp-builder', 'Its name, or the folder that has its SKILL.md.'),
    )
  }

  field(id, label, placeholder, hint) {
    const input = h('input.in.mono', {
      id,
      placeholder,
      oninput: () => this.changed(),
      spellcheck: 'false',
      autocomplete: 'off',
      'aria-describedby': `${id}-h`,
    })
    return h('div.ff', null, h('label', { for: id }, label), input, h('p.hint', { id: `${id}-h` }, hint))
  }

  value(key) {
    return $(`#g-${key}`, this.el).value.trim()
  }
  source() {
    const ref = this.value('ref')
    return { repo: this.value('repo'), ...(ref ? { ref } : {}) }
  }

  async look() {
    fill(this.found, h('li.sub', null, 'Asking the repository …'))
    try {
      const { skills } = await call('directory::repo::skills', this.source(), { timeoutMs: 30_000 })
      fill(
        this.found,
        skills.slice(0, 40).map((skill) => this.row(skill)),
        skills.length ? null : h('li.sub', null, 'No SKILL.md in it.'),
      )
    } catch (error) {
      fill(this.found, h('li', null, errorLine(error)))
    }
  }

  row(skill) {
    const pick = () => {
      $('#g-skill', this.el).value = skill.name || skill.path
      this.changed()
    }
    return h(
      'li',
      null,
      h(
        'button',
        { type: 'button', onclick: pick },
        h('span.mono', null, text(skill.name || skill.path)),
        h('span.b', null, text(skill.description || '')),
        h('span.tag', null, text(skill.path)),
      ),
    )
  }

  get ready() {
    return Boolean(this.value('repo') && this.value('skill'))
  }
  command() {
    const ref = this.value('ref')
    const words = [
      'iii-directory install --repo',
      shellWord(this.value('repo') || '…'),
      '--skill',
      shellWord(this.value('skill') || '…'),
    ]
    return words.concat(ref ? ['--ref', shellWord(ref)] : []).join(' ')
  }
  job() {
    const skill = this.value('skill')
    return { name: skill, to: this.value('ref'), payload: { ...this.source(), skill } }
  }
}

export function installDialog(done = () => {}) {
  let from = null
  const body = h('div')
  const force = h('input', { type: 'checkbox' })
  const install = h('button.btn.primary.needs-link', { type: 'button' }, 'Install')
  const command = h('span.sub.mono.command')
  const changed = () => {
    command.textContent = from.command()
    install.disabled = !from.ready
  }
  const draw = (kind) => {
    from = kind === 'registry' ? new FromRegistry(changed) : new FromGit(changed)
    const kinds = [
      ['registry', 'Workers registry'],
      ['git', 'Git repository'],
    ]
    fill(body, h('div.barrow.first', null, segments('Where from', kinds, kind, draw)), h('div.gap16'))
    put(body, [
      from.el,
      h('label.check', null, force, 'Overwrite files that were edited here, and a namespace of another source'),
    ])
    changed()
    $('input', from.el).focus()
  }
  install.onclick = () => {
    const job = { functionId: 'directory::skills::download', ...from.job() }
    if (force.checked) job.payload.force = true
    closeSheet()
    progressDialog('Install', [job], done)
  }
  openSheet('Install skills', body, {
    buttons: [command, h('button.btn', { type: 'button', onclick: closeSheet }, 'Cancel'), install],
    large: true,
  })
  draw('registry')
}
