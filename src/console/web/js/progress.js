// Downloads while they run: the six stages, how far each is, and the way to stop.
import { call, cancel, newJob } from './backend.js'
import { fill, h, icon, prose, text } from './dom.js'
import { bytes, ms, plural } from './format.js'
import { listen } from './live.js'
import { closeSheet, openSheet } from './sheet.js'
import { errorNote } from './ui.js'

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
    row.meter.hidden = !total
    if (total) row.bar.style.transform = `scaleX(${Math.min(1, done / total)})`
    if (done && step === 'fetch') row.time.textContent = bytes(done)
  }

  end() {
    for (const row of this.rows) if (row.el.className !== 'done') this.#finish(row)
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

/** One job after the other: {name, from?, to?, functionId, payload}. `done()` when all have ended. */
export function progressDialog(title, jobs, done) {
  const stages = new Stages()
  const at = h('p.lede')
  const result = h('div', { 'aria-live': 'polite' })
  const stop = h('button.btn', { type: 'button' }, 'Stop')
  const hint = h('span.sub', null, 'Until the swap nothing has changed.')
  let job = null
  let stopped = false
  const unlisten = listen((e) => e.type === 'progress' && e.job === job && stages.at(e.step, e.done, e.total))
  stop.onclick = () => {
    if (!job) return closeSheet()
    stopped = true
    stop.disabled = true
    cancel(job).catch(() => {})
  }
  openSheet(title, h('div', null, at, h('div.gap8'), stages.el, h('div.gap8'), result), {
    buttons: [hint, stop],
    onclose: unlisten,
  })
  stop.focus()
  const run = async () => {
    for (const [i, each] of jobs.entries()) {
      if (stopped) break
      job = newJob()
      const place = jobs.length > 1 ? h('span.dim', null, ` · ${i + 1} of ${jobs.length}`) : null
      fill(at, h('b.mono', null, text(each.name)), ' ', each.from ? `${each.from} → ` : '', text(each.to || ''), place)
      stages.start()
      try {
        const answer = await call(each.functionId, each.payload, { job, confirmed: true, timeoutMs: LONGEST_MS })
        stages.end()
        result.append(
          ...resultsOf(answer)
            .flatMap((r) => [r.error ? errorNote(r.error) : resultView(r)])
            .flat()
            .filter(Boolean),
        )
      } catch (error) {
        const view =
          error.code === 'cancelled' ? h('p.sub', null, 'Stopped. The folder is as it was.') : errorNote(error)
        result.append(view)
      }
    }
    job = null
    stop.disabled = false
    stop.textContent = 'Close'
    hint.textContent = ''
    stop.focus()
    done()
  }
  run()
}
