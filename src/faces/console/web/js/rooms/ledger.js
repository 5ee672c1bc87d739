// The account of every file as people read it: what agents cannot read is not served, whether lists keep its row or not.
import { call } from '../backend.js'

const lost = (r) => (r.hidden || 0) + (r.unreadable || 0)

/** {roots, sum(key), index, generation} */
export async function readLedger() {
  const account = await call('directory::account')
  const roots = account.roots.map((r) => ({ ...r, skills: r.skills - lost(r), skipped: r.skipped + lost(r) }))
  return { ...account, roots, sum: (key) => roots.reduce((n, r) => n + (r[key] || 0), 0) }
}
