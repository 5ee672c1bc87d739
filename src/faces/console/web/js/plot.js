// Small plots of the last five minutes, one redraw a second.
import { h, s } from './dom.js'
import { ms, num, span } from './format.js'

const W = 300
const H = 52

/** The next round number above. */
function nice(max) {
  const power = 10 ** Math.floor(Math.log10(max || 1))
  return [1, 1.5, 2, 3, 4, 5, 7.5, 10].map((m) => m * power).find((m) => m >= max) || max
}

/** The path of a line of values between 0 and max; null is a gap. */
export function linePath(values, max, width, height) {
  const step = width / Math.max(1, values.length - 1)
  const y = (v) => (height - (Math.min(v, max) / max) * height).toFixed(1)
  const point = (v, i) => (v == null ? '' : `${i && values[i - 1] != null ? 'L' : 'M'}${(i * step).toFixed(1)} ${y(v)}`)
  return values.map(point).join('')
}

// 10 µs to 1 s; each line of the grid is ten times the one below.
const logHeight = (v) => (v == null ? null : Math.max(0.01, Math.min(1, (Math.log10(Math.max(v, 1e-3)) + 2) / 5)))

const across = (cls, y) => s('line', { class: cls, x1: 0, x2: W, y1: y, y2: y })

/** `kind`: area (one line, filled), pair (two lines, logarithmic) or bars (a tick for every second that has some). */
export class Plot {
  constructor({ label, unit, kind, read, format }) {
    Object.assign(this, { label, unit, kind, read, format })
    this.svg = s('svg', { viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label })
    this.now = h('span.now')
    this.top = h('span')
    this.left = h('span', null, '5 min ago')
    const caption = h('div.cap', null, h('span.h', null, label), h('span.unit', null, unit), this.now)
    this.el = h('figure.plot', null, caption, this.svg, h('div.axis', { 'aria-hidden': 'true' }, this.left, this.top))
    this.svg.addEventListener('pointermove', (e) => this.#point(e))
    this.svg.addEventListener('pointerleave', () => {
      this.at = null
      this.draw(this.samples)
    })
  }

  #point(e) {
    const box = this.svg.getBoundingClientRect()
    this.at = Math.max(0, Math.min(1, (e.clientX - box.left) / box.width))
    this.draw(this.samples)
  }

  draw(samples) {
    if (!samples?.length) return
    this.samples = samples
    const first = samples.map((x) => this.read(x)[0])
    const marks = { area: () => this.#area(first), bars: () => this.#bars(first), pair: () => this.#pair(first) }[
      this.kind
    ]()
    marks.push(across('base', H))
    if (this.at != null) marks.push(s('line', { class: 'cross', x1: this.at * W, x2: this.at * W, y1: 0, y2: H }))
    this.svg.replaceChildren(...marks)
    this.#caption(first)
  }

  #area(values) {
    const line = linePath(values, nice(Math.max(...values) || 1), W, H)
    return [s('path', { class: 'ar', d: `${line}L${W} ${H}L0 ${H}Z` }), s('path', { class: 'ln', d: line })]
  }

  #pair(first) {
    const second = this.samples.map((x) => logHeight(this.read(x)[1]))
    return [
      ...[0.1, 1, 10, 100].map((g) => across('grid', H - logHeight(g) * H)),
      s('path', { class: 'ln two', d: linePath(second, 1, W, H) }),
      s('path', { class: 'ln', d: linePath(first.map(logHeight), 1, W, H) }),
    ]
  }

  #bars(values) {
    const max = Math.max(...values, 1)
    const step = W / Math.max(1, values.length - 1)
    const bar = (v, i) =>
      s('line', { class: 'bar', x1: i * step, x2: i * step, y1: H, y2: H - 6 - (v / max) * (H - 12) })
    return values.map((v, i) => (v ? bar(v, i) : null)).filter(Boolean)
  }

  #caption(first) {
    const last = this.samples.length - 1
    const i = this.at == null ? last : Math.round(this.at * last)
    const [a, b] = this.read(this.samples[i])
    const sum = this.kind === 'bars' && this.at == null
    this.now.textContent = this.format(sum ? first.reduce((x, y) => x + y, 0) : a, b)
    this.left.textContent = this.at == null ? `${span(last + 1)} ago` : `${span(last - i)} ago`
    const up = {
      area: () => `up to ${this.format(Math.max(...first))}`,
      bars: () => '',
      pair: () => '0.1 · 1 · 10 · 100 ms',
    }
    this.top.textContent = up[this.kind]()
    this.svg.setAttribute('aria-label', `${this.label}: ${this.now.textContent} ${this.unit}`)
  }
}

export const callsPlot = () =>
  new Plot({ label: 'Calls', unit: 'per second', kind: 'area', read: (x) => [x.calls], format: num })

export const errorsPlot = () =>
  new Plot({ label: 'Errors', unit: 'in five minutes', kind: 'bars', read: (x) => [x.errors], format: num })

export const latencyPlot = () =>
  new Plot({
    label: 'Latency',
    unit: 'p50, p99',
    kind: 'pair',
    read: (x) => [x.p50_ms, x.p99_ms],
    format: (a, b) => (a == null ? '–' : `${ms(a)}  ·  ${ms(b)}`),
  })

export function spark(values) {
  const attrs = { class: 'spark', viewBox: '0 0 56 16', preserveAspectRatio: 'none', 'aria-hidden': 'true' }
  return s('svg', attrs, s('path', { class: 'ln', d: linePath(values, Math.max(...values) * 1.1 || 1, 56, 15) }))
}
