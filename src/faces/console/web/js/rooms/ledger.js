// The account of every file as people read it: what agents cannot read is not served, whether lists keep its row or not.

const lost = (r) => (r.hidden || 0) + (r.unreadable || 0)

/** {roots, sum(key)} of an answer of directory::doctor */
export function ledgerOf(report) {
  const roots = report.roots.map((r) => ({ ...r, skills: r.skills - lost(r), skipped: r.skipped + lost(r) }))
  return { roots, sum: (key) => roots.reduce((n, r) => n + (r[key] || 0), 0) }
}
