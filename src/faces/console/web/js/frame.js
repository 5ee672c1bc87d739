// What is around the rooms: counts beside their names, the pulse, the status bar.
import { $, h, put, s } from './dom.js'
import { ms, num, plural } from './format.js'
import { live } from './live.js'
import { linePath } from './plot.js'

const PULSE = 90 // seconds
const PULSE_W = 160
const PULSE_H = 26

const area = s('path', { class: 'ar' })
const line = s('path', { class: 'ln' })
const now = h('b', null, '–')
const latency = h('span')

export function startPulse() {
  const svg = s(
    'svg',
    { viewBox: `0 0 ${PULSE_W} ${PULSE_H}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    area,
    line,
  )
  put($('#pulse'), [svg, h('div.row', null, h('span', null, now, ' calls/s'), latency)])
}

export function drawPulse() {
  const last = live.samples.at(-1)
  if (!last) return
  const values = live.samples.slice(-PULSE).map((x) => x.calls)
  const path = linePath(values, Math.max(...values) * 1.15 || 1, PULSE_W, PULSE_H)
  area.setAttribute('d', `${path}L${PULSE_W} ${PULSE_H}L0 ${PULSE_H}Z`)
  line.setAttribute('d', path)
  now.textContent = num(last.calls)
  latency.textContent = last.calls && last.p99_ms != null ? `p99 ${ms(last.p99_ms)}` : ''
}

export function drawGeneration() {
  $('#n-gen').textContent = live.generation
  $('#gen').textContent = `generation ${live.generation}`
}

export function drawBoot() {
  const { counts = {}, roots = [], version = '' } = live.boot || {}
  const shown = { ...counts, findings: counts.findings == null ? null : counts.findings + ofBus }
  for (const key of ['skills', 'prompts', 'findings', 'workers']) {
    $(`#n-${key}`).textContent = shown[key] == null ? '' : num(shown[key])
  }
  const watched = roots.filter((r) => r.watching).length
  $('#watch').textContent = watched ? `watching ${plural(watched, 'folder')}` : ''
  $('#version').textContent = version
  if (live.generation) drawGeneration()
}

/** Known to whoever has read the lock. */
export const drawSources = (n) => ($('#n-sources').textContent = num(n))

// Findings that depend on who is on the bus; the server counts those of the files.
let ofBus = 0

/** `summary` of directory::doctor. */
export function drawFindings(summary) {
  const all = summary.reduce((n, row) => n + row.count, 0)
  ofBus = Math.max(0, all - (live.boot?.counts?.findings || 0))
  $('#n-findings').textContent = num(all)
}

const LINK = {
  live: () => live.boot?.address || location.host,
  connecting: () => 'connecting',
  token: () => 'Not signed in',
  away: (wait) => `Server away. This is generation ${live.generation}. Next try in ${wait} s.`,
  full: (wait) => `Too many consoles are open; numbers stand still. Next try in ${wait} s.`,
}

export function drawLink(wait) {
  const stuck = live.link === 'away' || live.link === 'full'
  document.body.dataset.link = stuck ? 'away' : live.link
  $('#link-text').textContent = LINK[live.link](wait)
  $('#retry').hidden = !stuck
  $('#retry').textContent = 'Try now'
}
