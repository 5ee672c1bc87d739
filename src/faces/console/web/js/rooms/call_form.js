// One function: what it is, a form to try it, and what it answered.
import { cancel, newJob } from '../backend.js'
import { callAsking } from '../confirm.js'
import { fill, h, icon, prose, text } from '../dom.js'
import { bytes, ms, percent, rate, shellWord } from '../format.js'
import { jsonBox, jsonView } from '../json_view.js'
import { href } from '../router.js'
import { SchemaForm } from '../schema_form.js'
import { backRow, copy, copyButton, errorNote, errorParts, lede } from '../ui.js'

const TIMEOUT_MS = 30_000

/** The payload: from the form, or typed as JSON. A schema without properties leaves only the editor. */
class Payload {
  constructor(schema) {
    this.raw = false
    this.form = new SchemaForm(schema, () => this.sync())
    this.view = h('pre.code.wrap.json', { tabindex: 0 })
    this.box = h(
      'div.codebox',
      null,
      this.view,
      copyButton(() => JSON.stringify(this.form.value().value, null, 2), 'the payload'),
    )
    this.edit = h('textarea.in.mono', { rows: 9, spellcheck: 'false', 'aria-label': 'Payload as JSON', hidden: true })
    this.bad = h('p.bad', { hidden: true, role: 'alert' })
    this.toggle = h('button.txt', { type: 'button', onclick: () => this.swap() }, 'Edit as JSON')
    this.sync()
    if (!schema.properties && !emptySchema(schema)) {
      this.swap(false)
      this.toggle.hidden = true
    }
  }

  sync() {
    fill(this.view, jsonView(this.form.value().value))
  }

  swap(focus = true) {
    if (!this.raw) this.edit.value = JSON.stringify(this.form.value().value, null, 2)
    this.raw = !this.raw
    this.edit.hidden = !this.raw
    this.box.hidden = this.raw
    this.form.el.inert = this.raw
    this.form.el.classList.toggle('form-off', this.raw)
    this.toggle.textContent = this.raw ? 'Back to the form' : 'Edit as JSON'
    this.bad.hidden = true
    if (this.raw && focus) this.edit.focus()
  }

  /** {value, ok}; shows what is wrong when `strict`. */
  take(strict) {
    if (!this.raw) return this.form.value(strict)
    try {
      const value = this.edit.value.trim() ? JSON.parse(this.edit.value) : {}
      this.bad.hidden = true
      return { value, ok: true }
    } catch (error) {
      this.bad.hidden = false
      this.bad.textContent = `Not JSON: ${error.message}`
      return { value: {}, ok: false }
    }
  }

  focusProblem() {
    if (this.raw) this.edit.focus()
    else this.form.focusProblem()
  }
}

const emptySchema = (schema) => schema.type === 'object' && schema.additionalProperties === false

function answerView(answer, took) {
  const size = bytes(new TextEncoder().encode(JSON.stringify(answer ?? null)).length)
  return [
    h(
      'div.sec-h',
      null,
      h('span.h', null, 'Answer'),
      h('span.st.ok', null, icon('ok'), ms(took)),
      h('span.dim', null, size),
    ),
    jsonBox(answer ?? null, 'the answer'),
  ]
}

function failureView(error) {
  if (error.code === 'declined') return h('p.sub', null, error.message)
  const code = errorParts(error).code || error.code
  return [
    h('div.sec-h', null, h('span.h', null, 'Answer'), h('span.st.err', null, icon('missing'), text(code))),
    errorNote(error),
  ]
}

/** The button that calls, the one that stops, and what came of it. */
function caller(functionId, payload) {
  const out = h('div.answer', { 'aria-live': 'polite' })
  const run = h('button.btn.primary.needs-link', { type: 'submit' }, 'Call', h('kbd', null, 'Ctrl ↵'))
  const stop = h('button.btn', { type: 'button', hidden: true }, 'Stop')
  let busy = false
  let gone = false
  const drawRun = () => (run.disabled = busy || gone)
  const submit = async (e) => {
    e.preventDefault()
    if (run.disabled) return
    const { value, ok } = payload.take(true)
    if (!ok) return payload.focusProblem()
    const job = newJob()
    const abort = new AbortController()
    stop.onclick = () => {
      cancel(job).catch(() => {})
      abort.abort()
    }
    busy = true
    drawRun()
    const slow = setTimeout(() => (stop.hidden = false), 300)
    const began = performance.now()
    try {
      const answer = await callAsking(functionId, value, { job, timeoutMs: TIMEOUT_MS, signal: abort.signal })
      fill(out, answerView(answer, performance.now() - began))
    } catch (error) {
      fill(out, failureView(error))
    } finally {
      clearTimeout(slow)
      stop.hidden = true
      busy = false
      drawRun()
    }
  }
  const setGone = (is) => {
    gone = is
    drawRun()
  }
  return { out, run, stop, submit, setGone }
}

function figures(info, stats) {
  const figure = (value, label, cls = '') => h('span', null, h(`b${cls}`, null, value), ` ${label}`)
  const guide = info.how_guide || info.metadata?.how_guide
  return h(
    'div.meta-line',
    null,
    h('span', null, 'by ', h('b', null, text(info.worker_name || 'unknown'))),
    stats
      ? [
          figure(rate(stats.rate), 'calls/s'),
          figure(percent(stats.error_rate), 'errors', stats.error_rate ? '.err' : ''),
          stats.p50_ms != null ? h('span', null, 'p50 ', h('b', null, ms(stats.p50_ms))) : null,
          stats.p99_ms != null ? h('span', null, 'p99 ', h('b', null, ms(stats.p99_ms))) : null,
        ]
      : null,
    typeof guide === 'string'
      ? h('span', null, 'how-to ', h('a.txt.mono', { href: href('skills', guide) }, text(guide)))
      : null,
  )
}

function answerFields(schema) {
  if (!schema?.properties) return null
  const row = ([key, prop]) =>
    h(
      'tr',
      null,
      h('td', null, h('code', null, text(key))),
      h('td.dim', null, [prop.type].flat().filter(Boolean).join(' or ')),
      h('td', null, prose(prop.description || '')),
    )
  return h(
    'div.sect',
    null,
    h('div.h', null, 'What it answers'),
    h('table.tbl', null, h('tbody', null, Object.entries(schema.properties).map(row))),
  )
}

const goneNote = () =>
  h(
    'div.note.flat.below',
    { role: 'note' },
    icon('missing'),
    h('p', null, 'Nobody offers this function any more: its worker left. It can be called when it is back.'),
  )

/** {view, setGone}; `info` as engine::functions::info gives it. */
export function functionView(info, stats) {
  const id = info.function_id
  const payload = new Payload(info.request_schema || {})
  const { out, run, stop, submit, setGone } = caller(id, payload)
  const command = () =>
    `iii-directory trigger ${shellWord(id)} --json ${shellWord(JSON.stringify(payload.take().value))}`
  const keydown = (e) => e.key === 'Enter' && (e.ctrlKey || e.metaKey) && submit(e)
  const copyCommand = h(
    'button.btn.quiet',
    { type: 'button', onclick: () => copy(command(), 'the command') },
    'Copy as command',
  )
  const left = h(
    'div',
    null,
    h('div.h.below', null, 'Try it'),
    payload.form.el,
    h('div.barrow', null, run, stop, copyCommand),
  )
  const head = h('div.sec-h', null, h('span.h', null, 'Payload'), h('span.push-r', null, payload.toggle))
  const gone = h('div', { 'aria-live': 'polite' })
  const right = h('div', null, head, payload.box, payload.edit, payload.bad, h('div.gap16'), out)
  const view = [
    backRow('bus', 'All functions'),
    h(
      'div.pad',
      null,
      gone,
      h('h2.lead.mono', null, text(id), ' ', copyButton(id, id)),
      lede(info.description || ''),
      figures(info, stats),
      h('form.split', { onsubmit: submit, onkeydown: keydown, novalidate: true }, left, right),
      answerFields(info.response_schema),
    ),
  ]
  return {
    view,
    /** Its worker left; what was typed stays, for when it is back. */
    setGone(is) {
      setGone(is)
      fill(gone, is ? goneNote() : null)
    },
  }
}
