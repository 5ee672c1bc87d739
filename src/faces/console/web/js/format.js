// Numbers and times as a person reads them. Quantities are grouped by a narrow space; names that look like numbers
// (generations, ports, versions) are not quantities.

export const num = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, '\u202f')

export const plural = (n, one, many = one + 's') => `${num(n)}\u00a0${n === 1 ? one : many}`

export function bytes(n) {
  if (n < 1000) return `${n} B`
  return n < 1e6 ? `${(n / 1000).toFixed(1)} KB` : `${(n / 1e6).toFixed(1)} MB`
}

export function ms(n) {
  if (n < 1) return `${(n * 1000).toFixed(0)} µs`
  if (n < 10) return `${n.toFixed(1)} ms`
  return n < 1000 ? `${n.toFixed(0)} ms` : `${(n / 1000).toFixed(1)} s`
}

/** A share between 0 and 1. */
export const percent = (share) => (share > 0 && share < 0.01 ? '<1 %' : `${Math.round(share * 100)} %`)

export const rate = (n) => (n < 10 ? n.toFixed(1) : num(n))

/** A number of seconds. */
export function span(t) {
  t = Math.max(0, Math.floor(t))
  if (t < 60) return `${t} s`
  if (t < 3600) return `${Math.floor(t / 60)} min`
  if (t < 86400) return `${Math.floor(t / 3600)} h ${Math.floor((t % 3600) / 60)} min`
  return `${Math.floor(t / 86400)} d`
}

/** How long ago, from an ISO time or milliseconds. */
export function since(at) {
  const t = (Date.now() - (typeof at === 'number' ? at : Date.parse(at))) / 1000
  if (!Number.isFinite(t)) return ''
  if (t < 5) return 'now'
  if (t < 86400 && t >= 3600) return `${Math.floor(t / 3600)} h ago`
  return `${span(t)} ago`
}

/** Both forms of a moment: local clock, and UTC for those who compare logs. */
export const clock = (iso) => (iso ? new Date(iso).toTimeString().slice(0, 8) : '')
export const utc = (iso) => (iso ? `${String(iso).slice(0, 19).replace('T', ' ')} UTC` : 'unknown')

export const capital = (t) => t.slice(0, 1).toUpperCase() + t.slice(1)

const WORDS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ')
export const numberWord = (n) => WORDS[n] || num(n)

export const shortDigest = (digest) => String(digest).replace(/^(sha256:.{8}).*(.{6})$/, '$1…$2')

/** One word of a command line. */
export const shellWord = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${String(word).replaceAll("'", `'\\''`)}'`)

/** A folder as one word of a command line; the shell has to see the tilde. */
export const shellFolder = (folder) =>
  folder.startsWith('~/') ? `~/${shellWord(folder.slice(2))}` : shellWord(folder)

/** Of an id: what it is called within its folder. */
export const lastPart = (id) => id.split('/').pop()
