// Downloads while they run: the six stages, how far each is, and the way to stop.
import { call, cancel, jobLabel, newJob } from './backend.js'
import { $, fill, h, icon, plainText, prose, put, text } from './dom.js'
import { bytes, ms, percent, plural } from './format.js'
import { listen } from './live.js'
import { closeSheet, openSheet } from './sheet.js'
import { errorNote, say } from './ui.js'

const STAGES = [
  ['resolve', 'Resolve', 'which version or commit'],
  ['fetch', 'Fetch', 'into memory, nothing is written'],
  ['check', 'Check', 'paths, sizes, duplicates'],
  ['stage', 'Stage', 'beside the folder, forced to disk'],
  ['swap', 'Swap', 'all at once, or not at all'],
  ['announce', 'Announce', 'one generation, then the events'],
]
const LONGEST_MS = 600_000

const count = (list) => (Array.isArray(list) ? list.length : list || 0)

/** One line per stage; `at(step, done, total)` marks it and everything before it. */
class Stages {
  constructor() {
    this.rows = STAGES.map(([key, title, what]) => {
      const row = { key, mark: h('span'), time: h('span.dim.num'), bar: h('i') }
      row.meter = h('div.meter', { hidden: true }, row.bar)
      row.el = h(
        'li',
        null,
        row.mark,
        h('span', null, title),
        h('div', null, h('span.dim', null, what), row.meter),
        row.time,
      )
      return row
    })
    this.el = h(
      'ul.stages',
      null,
      this.rows.map((row) => row.el),
    )
  }

  start() {
    this.now = -1
    for (const row of this.rows) {
      row.el.className = ''
      fill(row.mark)
      row.time.textContent = ''
      row.meter.hidden = true
      row.share = 0
    }
    this.began = performance.now()
  }

  at(step, done = 0, total = 0) {
    const to = this.rows.findIndex((row) => row.key === step)
    if (to < 0) return
    for (; this.now < to; this.now++) {
      if (this.now >= 0) this.#finish(this.rows[this.now])
    }
    const row = this.rows[to]
    if (row.el.className !== 'running') {
      row.el.className = 'running'
      fill(row.mark, h('i.run-dot'))
    }
    row.share = total ? Math.min(1, done / total) : 0
    row.meter.hidden = !total
    if (total) row.bar.style.transform = `scaleX(${row.share})`
    if (done && step === 'fetch') row.time.textContent = bytes(done)
  }

  end() {
    for (const row of this.rows) if (row.el.className !== 'done') this.#finish(row)
  }

  /** It ended where it was: stopped, or failed. */
  break() {
    for (const row of this.rows) {
      if (row.el.className !== 'running') continue
      row.el.className = 'ended'
      row.meter.hidden = true
      fill(row.mark, icon('missing'))
    }
  }

  /** The stage that runs, and how much of it is done, in words. */
  words() {
    const row = this.rows[this.now]
    if (!row) return ''
    return `${STAGES[this.now][1].toLowerCase()}${row.share ? ` ${percent(row.share)}` : ''}`
  }

  #finish(row) {
    if (row.el.className === 'running') {
      row.time.textContent = ms(performance.now() - this.began)
      this.began = performance.now()
    }
    row.el.className = 'done'
    row.meter.hidden = true
    fill(row.mark, icon('ok'))
  }
}

function riskLines(risks) {
  if (!risks?.length) return null
  const line = (r) => `${r.path || ''}${r.line ? `:${r.line}` : ''}`
  return h(
    'div.note.flat',
    { role: 'note' },
    icon('finding'),
    h(
      'div',
      null,
      h('p', null, `${plural(risks.length, 'passage')} to look at before trusting these files.`),
      risks.slice(0, 5).map((r) => h('p', null, h('code', null, text(line(r))), ' ', prose(r.message))),
    ),
  )
}

const conflictLine = (list) =>
  count(list)
    ? h(
        'p.warn',
        null,
        'Kept because they were edited here: ',
        [list].flat().map((path, i) => [i ? ', ' : '', h('code', null, text(path.path || path))]),
      )
    : null

function resultView(r) {
  const words = [
    `${plural(count(r.skills_written), 'skill')} and ${plural(count(r.prompts_written), 'prompt')} written`,
    `${count(r.unchanged)} as they were`,
    `${count(r.pruned)} dropped upstream`,
  ].join(', ')
  return [
    h('p', null, h('span.ok', null, icon('ok')), ' ', h('b.mono', null, text(r.namespace)), `: ${words}.`),
    conflictLine(r.conflicts),
    riskLines(r.risks),
  ]
}

/** What directory::lock::update and restore say about one namespace, and what a download says, in one form. */
function resultsOf(answer) {
  if (!Array.isArray(answer.namespaces)) return [answer]
  return answer.namespaces.map((n) => (n.error ? n : { namespace: n.namespace, ...n.result }))
}

// ── what runs, in a sheet or, when that is closed, in the status bar ────────────────────────────

/** Runs that have no sheet at the moment, the newest last. */
const hidden = new Set()
const byJob = new Map()
/** Jobs of this page: an event about one may come after its answer. */
const started = new Set()

function drawHidden() {
  const run = [...hidden].at(-1)
  const button = $('#job')
  button.hidden = !run
  button.onclick = run ? () => run.open() : null
  const others = hidden.size > 1 ? ` and ${plural(hidden.size - 1, 'other')}` : ''
  button.textContent = run ? run.words() + others : ''
}

/** One sheet with the stages of one job after the other. */
class Run {
  constructor(title, name) {
    this.title = title
    this.name = name
    this.state = 'running'
    this.stages = new Stages()
    this.at = h('p.lede', null, h('b.mono', null, text(name)))
    this.result = h('div', { 'aria-live': 'polite' })
    this.stop = h('button.btn', { type: 'button', onclick: () => this.#stop() }, 'Stop')
    this.hint = h('span.sub', null, 'Until the swap nothing has changed. It goes on when this is closed.')
    this.body = h('div', null, this.at, h('div.gap8'), this.stages.el, h('div.gap8'), this.result)
  }

  open() {
    hidden.delete(this)
    drawHidden()
    openSheet(this.title, this.body, { buttons: [this.hint, this.stop], onclose: () => this.hide() })
    this.stop.focus()
  }

  hide() {
    if (this.state !== 'running') return
    hidden.add(this)
    drawHidden()
  }

  words() {
    const now = this.state === 'running' ? this.stages.words() : this.state
    return `${this.title} ${plainText(this.name)}${now ? `: ${now}` : ''}`
  }

  begin(job) {
    this.job = job
    byJob.set(job, this)
    this.stages.start()
  }

  hear({ step, done, total }) {
    this.stages.at(step, done, total)
    if (hidden.has(this)) drawHidden()
  }

  /** `state`: done, failed or stopped. What came of it is read in the sheet, also later. */
  end(state) {
    this.state = state
    this.stop.disabled = false
    this.stop.textContent = 'Close'
    this.hint.textContent = ''
    if (!hidden.has(this)) return this.stop.focus()
    say(this.words())
    drawHidden()
  }

  #stop() {
    if (this.state !== 'running') return closeSheet()
    this.stopped = true
    this.stop.disabled = true
    cancel(this.job).catch(() => {})
  }
}

const STOPPED = 'Stopped. The folder is as it was.'

/** Does one job; true when it did what it should. */
async function perform(run, each, job) {
  started.add(job)
  run.begin(job)
  try {
    const answer = await call(each.functionId, each.payload, { job, confirmed: true, timeoutMs: LONGEST_MS })
    run.stages.end()
    const results = resultsOf(answer)
    put(run.result, [results.map((r) => (r.error ? errorNote(r.error) : resultView(r)))])
    return results.every((r) => !r.error)
  } catch (error) {
    run.stages.break()
    run.result.append(error.code === 'cancelled' ? h('p.sub', null, STOPPED) : errorNote(error))
    return false
  } finally {
    byJob.delete(job)
  }
}

/** One job after the other: {name, from?, to?, functionId, payload}. `done()` when all have ended. */
export async function progressDialog(title, jobs, done) {
  const run = new Run(title, jobs.length > 1 ? plural(jobs.length, 'namespace') : jobs[0].name)
  run.open()
  let well = true
  for (const [i, each] of jobs.entries()) {
    if (run.stopped) break
    const place = jobs.length > 1 ? h('span.dim', null, ` · ${i + 1} of ${jobs.length}`) : null
    const versions = [each.from ? `${each.from} → ` : '', text(each.to || '')]
    fill(run.at, h('b.mono', null, text(each.name)), ' ', versions, place)
    well = (await perform(run, each, newJob([title, each.name]))) && well
  }
  run.end(run.stopped ? 'stopped' : well ? 'done' : 'failed')
  done()
}

// ── what another page started, or this one before it was loaded again ───────────────────────────

const ENDED = { done: 'done', failed: 'failed', cancelled: 'stopped' }

function adopt(job) {
  const label = jobLabel(job)
  if (!label || started.has(job)) return null
  const run = new Run(...label)
  run.foreign = true
  run.begin(job)
  run.hide()
  return run
}

function endForeign(run, state, error) {
  byJob.delete(run.job)
  if (state === 'done') run.stages.end()
  else if (state === 'over') run.stages.start()
  else run.stages.break()
  run.result.append(error ? errorNote(error) : h('p.sub', null, FOREIGN_END[state]))
  run.end(state)
  if (!error) hidden.delete(run) // why it failed is there to be read
  drawHidden()
}

const FOREIGN_END = {
  done: 'It is done.',
  over: 'It has ended while this page did not listen.',
  failed: 'It failed.',
  stopped: STOPPED,
}

listen((e) => {
  if (e.type === 'hello') {
    const running = new Set((e.jobs || []).map(({ job }) => job))
    for (const [job, run] of byJob) if (run.foreign && !running.has(job)) endForeign(run, 'over')
    for (const now of e.jobs || []) (byJob.get(now.job) || adopt(now.job))?.hear(now)
  }
  if (e.type !== 'progress') return
  const run = byJob.get(e.job) || (e.state === 'running' ? adopt(e.job) : null)
  if (e.state === 'running') run?.hear(e)
  else if (run?.foreign) endForeign(run, ENDED[e.state] || 'failed', e.error)
})
