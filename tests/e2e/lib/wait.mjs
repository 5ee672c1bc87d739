// Waiting for things that happen, never for time to pass. The deadline only ends a test that would hang.
import { setTimeout as pause } from 'node:timers/promises'

const slow = process.env.III_E2E_SLOW ? 3 : 1
export const deadlineMs = 20_000 * slow

/** Rejects with a sentence when `promise` is still open at the deadline. */
export function within(promise, what, ms = deadlineMs) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still waiting for ${what} after ${ms} ms`)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** A promise with its own resolve and reject. */
export function deferred() {
  const d = {}
  d.promise = new Promise((resolve, reject) => Object.assign(d, { resolve, reject }))
  return d
}

/** Things that arrived, in order; `next` waits for one that is not there yet. */
export class Inbox {
  items = []
  #taken = 0
  #waiters = new Set()

  push(item) {
    this.items.push(item)
    for (const wake of [...this.#waiters]) wake()
  }

  /** The next item nobody took yet. */
  async next(what = 'an item') {
    const index = this.#taken++
    await this.until(() => this.items.length > index, what)
    return this.items[index]
  }

  /** Takes everything that is there now. */
  drain() {
    const rest = this.items.slice(this.#taken)
    this.#taken = this.items.length
    return rest
  }

  async until(pred, what = 'the inbox') {
    if (pred(this.items)) return
    const d = deferred()
    const check = () => pred(this.items) && d.resolve()
    this.#waiters.add(check)
    try {
      await within(d.promise, what)
    } finally {
      this.#waiters.delete(check)
    }
  }
}

const betweenTriesMs = 20

/** Asks again until `ask` answers something truthy (an exception counts as "not yet"). */
export async function eventually(what, ask, ms = deadlineMs) {
  const end = Date.now() + ms
  for (;;) {
    let last
    try {
      const value = await ask()
      if (value) return value
      last = JSON.stringify(value)
    } catch (error) {
      last = error?.message ?? JSON.stringify(error)
    }
    if (Date.now() > end) throw new Error(`${what}: not so after ${ms} ms (last: ${last})`)
    await pause(betweenTriesMs)
  }
}
