// A workers registry that offers what a test puts there, and notes what it was asked for. Real HTTP on a free port.
import http from 'node:http'

/**
 * `bundles`: {worker: {version, skills: {path: text}, prompts: [...]}}; change it while it runs to publish something new.
 * A bundle with a promise `hold` is answered when that resolves, one with `status` by that status.
 */
export async function startShelf(t, bundles = {}) {
  const requests = []
  const shelf = { bundles, requests, anyVersion: false }
  const answer = (response, status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url, 'http://shelf')
    requests.push(`${url.pathname}?${url.searchParams}`)
    if (url.pathname === '/w') return answer(response, 200, { workers: Object.entries(bundles).map(([name, { version }]) => ({ name, version, description: `${name} worker` })) })
    const found = url.pathname.match(/^\/w\/([^/]+)(\/skills)?$/)
    const bundle = bundles[found?.[1]]
    const wanted = url.searchParams.get('version')
    const matches = bundle && (shelf.anyVersion || wanted === bundle.version || ['latest', 'next'].includes(wanted))
    await bundle?.hold
    if (bundle?.status) return answer(response, bundle.status, {})
    if (!matches) return answer(response, 404, { error: { code: 'worker_not_found', message: 'no' } })
    if (!found[2]) return answer(response, 200, { worker: { name: found[1], version: bundle.version } })
    const skills = Object.entries(bundle.skills ?? {}).map(([path, content]) => ({ path, content }))
    answer(response, 200, { name: found[1], version: bundle.version, skills, prompts: bundle.prompts ?? [] })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(shelf, { url: `http://127.0.0.1:${server.address().port}` })
}
