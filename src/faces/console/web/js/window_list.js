// A list of any length with as many elements as fit: rows have one height, are recycled, and only their text changes.
import { h } from './dom.js'

const PAGE = 64 // rows asked for at once
const KEPT = 40 // pages remembered
const PATIENCE_MS = 150
const PEEK_MS = 90 // arrows preview after this pause
const SPARE = 4 // rows above and below what is seen
const LARGEST = 8_000_000 // pixels; browsers stop at about 16 million

/**
 * page(offset, limit) → {rows, total}; first(answer | null, error) after the first page of a question;
 * dress(row, data | null) writes a row; open(data, enter) when one is chosen, `enter` when by Enter or click;
 * same(data, chosen) tells whether it is the chosen one.
 */
export class WindowList {
  constructor({ label, rowHeight, page, dress, open, first, same }) {
    Object.assign(this, { rowHeight, page, dress, open, first, same })
    this.space = h('div.space')
    // Busy until there is an answer: a list without options would be an error to who hears the page.
    this.el = h('div.win', { tabindex: 0, role: 'listbox', 'aria-label': label, 'aria-busy': 'true' }, this.space)
    this.rows = []
    this.pages = new Map()
    this.total = null
    this.cur = 0
    this.turn = 0
    this.early = [] // keys that came before the answer
    this.el.addEventListener('scroll', () => this.paint(), { passive: true })
    this.el.addEventListener('keydown', (e) => this.key(e))
    this.el.addEventListener('click', (e) => this.#click(e))
    new ResizeObserver(() => this.paint()).observe(this.el)
  }

  /** A new question, from its first row. */
  reset() {
    this.turn++
    this.pages = new Map()
    this.total = null
    this.cur = 0
    this.early = []
    this.el.scrollTop = 0
    this.el.setAttribute('aria-busy', 'true')
    clearTimeout(this.slow)
    // The rows before stay until the answer comes, or a moment has passed.
    this.slow = setTimeout(() => this.total === null && this.#placeholders(), PATIENCE_MS)
    this.#load(0)
  }

  /** The same question again: what is seen is asked anew, nothing moves. */
  async refresh() {
    if (this.total === null) return this.reset()
    this.turn++
    const turn = this.turn
    const top = Math.floor(this.#top() / this.rowHeight)
    const bottom = top + Math.ceil(this.el.clientHeight / this.rowHeight)
    const wanted = [...new Set([Math.floor(top / PAGE), Math.floor(bottom / PAGE)])]
    try {
      const answers = await Promise.all(wanted.map((p) => this.page(p * PAGE, PAGE)))
      if (turn !== this.turn) return
      this.pages = new Map(wanted.map((p, i) => [p, answers[i].rows]))
      this.#size(answers[0].total)
      this.first(answers[0])
      this.paint(true)
    } catch {
      // What was there stays; the status bar says when the server is away. Pages that were under way are asked for when they are seen.
      if (turn !== this.turn) return
      for (const [p, rows] of this.pages) if (rows === null) this.pages.delete(p)
    }
  }

  at(i) {
    return this.pages.get(Math.floor(i / PAGE))?.[i % PAGE]
  }

  #placeholders() {
    const rows = Array.from({ length: 16 }, (_, i) => {
      const row = h('div.row')
      row.style.transform = `translateY(${i * this.rowHeight}px)`
      this.dress(row, null)
      return row
    })
    this.space.replaceChildren(...rows)
  }

  async #load(p) {
    if (this.pages.has(p)) return
    const turn = this.turn
    this.pages.set(p, null)
    try {
      const answer = await this.page(p * PAGE, PAGE)
      if (turn !== this.turn) return
      this.pages.set(p, answer.rows)
      if (this.pages.size > KEPT) this.pages.delete(this.pages.keys().next().value)
      const fresh = this.total === null
      if (fresh) {
        clearTimeout(this.slow)
        this.space.replaceChildren(...this.rows)
      }
      this.#size(answer.total)
      if (fresh) this.first(answer)
      this.paint(true)
      for (const key of this.early.splice(0)) this.act(key)
    } catch (error) {
      if (turn !== this.turn) return
      clearTimeout(this.slow)
      this.pages.delete(p)
      if (this.total === null) this.first(null, error)
    }
  }

  #size(total) {
    this.total = total
    this.el.removeAttribute('aria-busy')
    this.cur = Math.max(0, Math.min(this.cur, total - 1))
    const height = Math.min(LARGEST, total * this.rowHeight)
    this.space.style.height = `${height}px`
    // Rows below the new end would keep the browser from scrolling back by itself.
    const lowest = Math.max(0, height - this.el.clientHeight)
    if (this.el.scrollTop > lowest) this.el.scrollTop = lowest
  }

  // Beyond LARGEST pixels a pixel of the scroll bar stands for more than one of the list.
  #scale() {
    const real = this.total * this.rowHeight - this.el.clientHeight
    const given = Math.min(LARGEST, this.total * this.rowHeight) - this.el.clientHeight
    return given > 0 ? real / given : 1
  }
  #top() {
    return this.el.scrollTop * this.#scale()
  }
  #scrollTo(top) {
    this.el.scrollTop = top / this.#scale()
  }

  paint(all) {
    const height = this.el.clientHeight
    if (!height || this.total === null) return
    const top = this.#top()
    const shift = this.el.scrollTop - top
    const from = Math.max(0, Math.floor(top / this.rowHeight) - SPARE)
    const need = Math.min(this.total, Math.ceil(height / this.rowHeight) + 2 * SPARE + 1)
    const shown = Math.min(this.total, from + need)
    this.#rowElements(need)
    for (let i = Math.max(0, shown - need); i < shown; i++) this.#paintRow(this.rows[i % need], i, shift, all)
    if (this.total) this.el.setAttribute('aria-activedescendant', `row-${this.cur}`)
  }

  #rowElements(need) {
    while (this.rows.length < need) {
      const row = h('div.row', { role: 'option' })
      this.rows.push(row)
      this.space.append(row)
    }
    while (this.rows.length > need) this.rows.pop().remove()
  }

  #paintRow(el, i, shift, all) {
    const data = this.at(i)
    if (data == null) this.#load(Math.floor(i / PAGE))
    const y = Math.round(i * this.rowHeight + shift)
    if (all || el.dataset.i !== String(i)) {
      el.dataset.i = i
      el.id = `row-${i}`
      el.setAttribute('aria-posinset', i + 1)
      el.setAttribute('aria-setsize', this.total)
      this.dress(el, data)
    }
    if (el.y !== y) {
      el.y = y
      el.style.transform = `translateY(${y}px)`
    }
    el.classList.toggle('cur', i === this.cur)
    el.setAttribute('aria-selected', String(Boolean(data && this.same(data))))
  }

  move(i) {
    this.cur = Math.max(0, Math.min(this.total - 1, i))
    const top = this.cur * this.rowHeight
    if (top < this.#top()) this.#scrollTo(top)
    else if (top + this.rowHeight > this.#top() + this.el.clientHeight)
      this.#scrollTo(top + this.rowHeight - this.el.clientHeight)
    this.paint()
  }

  /** Scrolls only when it is out of sight. */
  reveal(i) {
    const top = i * this.rowHeight
    this.cur = i
    if (top < this.#top() || top + this.rowHeight > this.#top() + this.el.clientHeight)
      this.#scrollTo(Math.max(0, top - this.el.clientHeight / 3))
    this.paint()
  }

  #click(e) {
    const row = e.target.closest('.row')
    if (!row?.dataset.i) return
    this.move(Number(row.dataset.i))
    this.#choose(true)
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || !this.act(e.key)) return
    e.preventDefault()
    e.stopPropagation()
  }

  /** Does what a key means, once the rows are there; false when it means nothing. */
  act(key) {
    const page = Math.max(1, Math.floor(this.el.clientHeight / this.rowHeight) - 1)
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page }[key]
    if (this.total === 0 || !(step || ['Enter', 'Home', 'End'].includes(key))) return false
    if (this.total === null) return Boolean(this.early.push(key))
    clearTimeout(this.peek)
    if (key === 'Enter') {
      this.#choose(true)
      return true
    }
    this.move(step ? this.cur + step : key === 'Home' ? 0 : this.total - 1)
    this.peek = setTimeout(() => this.#choose(false), PEEK_MS)
    return true
  }

  #choose(enter) {
    const row = this.at(this.cur)
    if (row) this.open(row, enter)
  }
}
