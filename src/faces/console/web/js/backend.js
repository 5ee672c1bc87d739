// The only file that talks to the server: calls, the event stream, the session.
import { live, tell } from './live.js'

/** `code` is the server's; `away` when it does not answer, `cancelled` when a person stopped the call. */
export class CallError extends Error {
  constructor(code, message, extra = {}) {
    super(message)
    Object.assign(this, { code }, extra)
  }
}

const away = () => new CallError('away', 'The server does not answer.')

// The server's own limits, for what only reads and for what a person agreed to.
const LONGEST_READ_MS = 30_000
const LONGEST_WRITE_MS = 600_000
const SLACK_MS = 15_000
const SLOW_MS = 5_000

// A request that outlasts the limits of the server has not reached it: a browser opens six connections to one host, and
// other tabs may hold them.
const late = () =>
  new CallError('timeout', 'The request got no answer. Next: close other tabs of this console, then try again.')

/** fetch() that says when it waits for long, unless its progress is shown anyway, and gives up after `limit` ms. */
async function patientFetch(path, options, { signal, limit, quiet }) {
  const given = new AbortController()
  const slow = setTimeout(() => quiet || tell({ type: 'slow' }), SLOW_MS)
  const over = setTimeout(() => given.abort(late()), limit)
  try {
    return await fetch(path, { ...options, signal: signal ? AbortSignal.any([signal, given.signal]) : given.signal })
  } catch (error) {
    throw given.signal.aborted ? given.signal.reason : error
  } finally {
    clearTimeout(slow)
    clearTimeout(over)
  }
}

// How often somebody signed in. A refusal of a request from before says nothing about the session of now.
let signedIn = 0

async function send(method, path, body, { signal, limit = LONGEST_READ_MS, quiet } = {}) {
  const since = signedIn
  const options = {
    method,
    headers: { 'Content-Type': 'application/json', 'X-Console': '1' },
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: 'no-store',
  }
  let response
  try {
    response = await patientFetch(`/console/${path}`, options, { signal, limit: limit + SLACK_MS, quiet })
  } catch (error) {
    if (error instanceof CallError) throw error
    if (signal?.aborted) throw new CallError('cancelled', 'The call was stopped.')
    stream.lost()
    throw away()
  }
  const answer = response.status === 204 ? {} : await response.json().catch(() => null)
  if (response.ok && answer !== null) return answer
  if (response.status === 401 && path !== 'session' && since === signedIn) tell({ type: 'link', state: 'token' })
  throw new CallError(answer?.code || String(response.status), answer?.message || `HTTP status ${response.status}.`, {
    status: response.status,
    hints: answer?.hints,
  })
}

/** Calls a function. `confirmed`: a person agreed to what it changes. `job` names it for progress and cancel. */
export async function call(functionId, payload = {}, { confirmed, job, timeoutMs, signal } = {}) {
  const body = { function_id: functionId, payload, confirmed, job, timeout_ms: timeoutMs }
  const limit = timeoutMs ?? (confirmed ? LONGEST_WRITE_MS : LONGEST_READ_MS)
  return (await send('POST', 'call', body, { signal, limit, quiet: Boolean(job) })).result
}

export const cancel = (job) => send('POST', 'cancel', { job })
export const readBoot = () => send('GET', 'boot')
export const signIn = (token) => send('POST', 'session', { token }).then(() => signedIn++)
export const signOut = () => send('DELETE', 'session')

let jobs = 0
const JOB_LENGTH = 100 // the server's limit
/** `label`: [what, to what] of a job that other pages, and this one after a reload, can show. */
export function newJob(label) {
  const name = `page-${Date.now().toString(36)}-${++jobs}`
  return label ? `${name}:${label.map(encodeURIComponent).join(':')}`.slice(0, JOB_LENGTH) : name
}

/** The label of a job; nothing when it has none. */
export function jobLabel(job) {
  try {
    const [, what, to] = /^page-[\w-]+:([^:]+):([^:]+)$/.exec(job).map(decodeURIComponent)
    return [what, to]
  } catch {
    return null
  }
}

// ── events ──────────────────────────────────────────────────────────────────────────────────────

const LONGEST_WAIT_S = 30
const SILENCE_MS = 40_000 // the server says something every 15 s at least
const HIDDEN_MS = 5_000 // a glance at another tab costs nothing

/** Splits what comes in into server-sent events and hands them to `hear`. */
export function eventReader(hear) {
  let rest = ''
  return (piece) => {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop()
    for (const block of blocks) {
      const event = { type: 'message', id: null, data: '' }
      for (const line of block.split('\n')) {
        const at = line.indexOf(':')
        if (at <= 0) continue // a comment, or nothing
        const value = line.slice(at + 1).replace(/^ /, '')
        if (line.startsWith('event:')) event.type = value
        else if (line.startsWith('id:')) event.id = value
        else if (line.startsWith('data:')) event.data += value
      }
      if (event.data) hear(event)
    }
  }
}

/**
 * The event stream. It is read with fetch instead of EventSource, so that every attempt can say where the last one
 * stopped (Last-Event-ID), show the time until the next one, and tell a refusal from an absent server.
 */
class Stream {
  failures = 0
  lastId = null

  start() {
    document.addEventListener('visibilitychange', () => this.#visibility())
    addEventListener('online', () => this.retry())
    this.retry()
  }

  /** Tries at once, whatever the countdown says. */
  retry() {
    if (this.reading || document.hidden) return
    this.failures = 0
    this.#open()
  }

  /** A call found nobody: the stream will not know before its next read. */
  lost() {
    if (live.link === 'live') this.abort?.abort()
  }

  stop() {
    clearInterval(this.countdown)
    this.stopped = true
    this.abort?.abort()
  }

  async #open() {
    clearInterval(this.countdown)
    if (this.reading) return
    this.reading = true
    this.stopped = false
    this.abort = new AbortController()
    const since = signedIn
    let status = null
    try {
      status = await this.#read()
    } catch {
      // The connection ended; what follows is the same for every reason.
    }
    clearTimeout(this.silence)
    this.reading = false
    this.isOpen = false
    if (this.stopped) return
    if (status !== 401) this.#countDown(status)
    else if (since === signedIn) tell({ type: 'link', state: 'token' })
    else this.#open()
  }

  async #read() {
    const headers = { Accept: 'text/event-stream', 'X-Console': '1' }
    if (this.lastId) headers['Last-Event-ID'] = this.lastId
    const response = await fetch('/console/events', { headers, signal: this.abort.signal, cache: 'no-store' })
    if (!response.ok) return response.status
    this.failures = 0
    this.isOpen = true
    tell({ type: 'link', state: 'live' })
    const read = eventReader((event) => this.#hear(event))
    const decoder = new TextDecoder()
    for (const reader = response.body.getReader(); ;) {
      clearTimeout(this.silence)
      this.silence = setTimeout(() => this.abort.abort(), SILENCE_MS)
      const { done, value } = await reader.read()
      if (done) return null
      read(decoder.decode(value, { stream: true }))
    }
  }

  #hear({ type, id, data }) {
    let event
    try {
      event = JSON.parse(data)
    } catch {
      return
    }
    if (type === 'hello') live.epoch = event.epoch
    if (id) this.lastId = id.includes('/') ? id : `${live.epoch}/${id}`
    tell({ ...event, type })
  }

  #countDown(status) {
    let left = Math.min(LONGEST_WAIT_S, 2 ** this.failures++)
    const show = () => tell({ type: 'link', state: status === 429 ? 'full' : 'away', wait: left })
    show()
    this.countdown = setInterval(() => {
      if (--left > 0) return show()
      this.#open()
    }, 1000)
  }

  /** A page that nobody looks at takes no place on the server, and none of the browser's few connections to it. */
  #visibility() {
    clearTimeout(this.hidden)
    if (document.hidden) this.hidden = setTimeout(() => this.stop(), HIDDEN_MS)
    else if (live.link !== 'token') this.retry()
  }
}

export const stream = new Stream()
