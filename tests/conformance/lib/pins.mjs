// What we answer where we differ on purpose. A deviation is {…where, "why", "ours"}: `ours` holds the differences of that line as they
// were reviewed, {path: our value}. A difference that is not among them fails, and so does one that is gone or has another value.
// `tests/conformance/record` writes `ours` anew.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

/** A sentence of ours. What a caller may rely on is pinned: code, suggestions, function ids, quoted text. The wording is free. */
export class Message {
  constructor(text) {
    this.text = String(text)
  }
  toJSON() {
    return this.text
  }
}

const all = (text, pattern) => [...new Set([...text.matchAll(pattern)].map((m) => m[1] ?? m[0]))].sort()

export function tokens(text) {
  const body = text.replace(/^(?:(?:handler|serialization) error: )+/, '')
  const parts = [/^D\d{3} \w+/.exec(body)?.[0] ?? '(no code)']
  const suggestions = /Did you mean:?\s*(.*?)(?:[?]|\. |\.$|$)/s.exec(body)?.[1]
  if (suggestions) parts.push(`Did you mean ${suggestions.replace(/["'`]/g, '')}`)
  if (/\bNext:/.test(body)) parts.push('Next')
  const ids = all(body, /\b[a-z_]+::[a-z_]+(?:(?:::|-)[a-z_]+)*/g)
  const quoted = all(body, /["`]([^"`\n]{1,80})["`]/g).filter((q) => !ids.includes(q))
  return [...parts, ...ids, ...quoted.map((q) => JSON.stringify(q))].join(' · ')
}

const LONG = 400

/** A document that is given for another id begins with a note of ours: its wording is free as well. */
const NOTE = /^> [^\n]*(?=\n\n---\n\n)/

function stableText(text) {
  const same = text
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, '<time>')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>')
    .replace(/\b[0-9a-f]{40}\b/g, '<commit>')
    .replace(/\b(?:127\.0\.0\.1|localhost):\d+/g, '<HOST>')
    .replace(/^\d+ ms$/, '<ms>')
    .replace(NOTE, (note) => `> ${tokens(note)}`)
  if (same.length <= LONG) return same
  const sum = createHash('sha256').update(same).digest('hex').slice(0, 16)
  return `${same.slice(0, 120)}… (${same.length} characters, sha256 ${sum})`
}

/** Descriptions that we wrote, not a user: those of schemas, functions, trigger types and the index resource. */
const DESCRIBED = ['trigger_request_format', 'request_format', 'request_schema', 'uriTemplate']
const describedByUs = (o) => DESCRIBED.some((k) => k in o) || o.uri === 'iii://skills'

const schema = (v) => {
  if (Array.isArray(v)) return v.map(schema)
  if (v === null || typeof v !== 'object') return v
  const ownText = ([k, x]) => (k === 'description' || k === 'title') && typeof x === 'string'
  return Object.fromEntries(Object.entries(v).filter((e) => !ownText(e)).map(([k, x]) => [k, schema(x)]))
}

/** A value without what changes from run to run, and without the wording of our messages and descriptions. */
export function stable(value) {
  if (value instanceof Message) return tokens(stableText(value.text))
  if (value === undefined) return '(absent)'
  if (typeof value === 'string') return stableText(value)
  if (Array.isArray(value)) return value.map(stable)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([k, v]) => {
      if (/_(format|schema)$/.test(k)) return [k, schema(v)]
      if (k === 'description' && describedByUs(value)) return [k, v ? '<text>' : v]
      const isMessage = typeof v === 'string' && ((k === 'message' && typeof value.code === 'string') || k === 'error')
      return [k, stable(isMessage ? new Message(v) : v)]
    }),
  )
}

/** {path: our value} of the differences of one line. */
export function pinsOf(differences) {
  const pins = {}
  for (const d of differences) {
    let path = d.path
    for (let n = 2; Object.hasOwn(pins, path); n++) path = `${d.path} #${n}`
    pins[path] = stable(d.actual)
  }
  return pins
}

const text = (v) => JSON.stringify(v)

/** What `deviation` does not account for: [{path, expected, actual}], expected being what was recorded as ours. */
export function unpinned(deviation, differences) {
  const now = pinsOf(differences)
  if (!deviation.ours) return [{ path: '(not recorded: run tests/conformance/record)', expected: undefined, actual: now }]
  const paths = new Set([...Object.keys(deviation.ours), ...Object.keys(now)])
  return [...paths]
    .filter((p) => text(now[p]) !== text(deviation.ours[p]))
    .map((path) => ({ path: `${path} (ours)`, expected: deviation.ours[path], actual: now[path] }))
}

export const readDeviations = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** One deviation on two lines: where and why, then what we answer. */
export function writeDeviations(file, list) {
  const one = ({ ours, ...rest }) => {
    const head = Object.entries(rest).map(([k, v]) => `${text(k)}: ${text(v)}`).join(', ')
    return ours ? `  {${head},\n    "ours": ${text(ours)}}` : `  {${head}}`
  }
  writeFileSync(file, `[\n${list.map(one).join(',\n')}\n]\n`)
}
