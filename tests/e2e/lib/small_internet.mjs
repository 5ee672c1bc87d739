// The two places of the internet that the documentation's commands reach, on loopback: repositories of github.com (git's own http-backend) and
// the workers registry, behind TLS with a throw-away certificate and a proxy that leads their names here. Everything else is refused, so a program
// with `env` as its environment cannot leave the machine.
import { mkdirSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { join } from 'node:path'
import { tempDir } from './engine.mjs'
import { backend, makeCertificate, makeRepository } from './git_server.mjs'

const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))

/** `repositories`: {'owner/repo': {path: text}}; `workers`: {name: {version, description, skills: {path: text}}}. */
export async function startSmallInternet(t, { registryHost, repositories = {}, workers = {} }) {
  const folder = tempDir()
  const repos = join(folder, 'repos')
  for (const [name, files] of Object.entries(repositories)) {
    mkdirSync(join(repos, name.split('/')[0]), { recursive: true })
    makeRepository(repos, name, { files })
  }
  const { caFile, tls } = makeCertificate(folder, ['github.com', registryHost])

  const registry = (request, response) => {
    const url = new URL(request.url, `https://${registryHost}`)
    const answer = (status, body) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const row = (name) => ({ name, version: workers[name].version, description: workers[name].description })
    if (url.pathname === '/w') return answer(200, { workers: Object.keys(workers).map(row) })
    const [, name, skills] = url.pathname.match(/^\/w\/([^/]+)(\/skills)?$/) ?? []
    if (!workers[name]) return answer(404, { error: { code: 'worker_not_found', message: 'no' } })
    if (!skills) return answer(200, { worker: row(name) })
    answer(200, { name, version: workers[name].version, skills: Object.entries(workers[name].skills).map(([path, content]) => ({ path, content })), prompts: [] })
  }
  const server = https.createServer(tls, (request, response) => {
    if (request.headers.host === registryHost) return registry(request, response)
    const path = request.url.replace(/^\/([^/]+\/[^/]+?)(\.git)?\//, '/$1.git/')
    backend(repos, path, request, response).catch(() => response.destroy())
  })
  const port = await listen(server)
  const refused = []
  const proxy = http.createServer((request, response) => response.writeHead(403).end())
  proxy.on('connect', (request, socket) => {
    socket.on('error', () => {})
    if (!['github.com:443', `${registryHost}:443`].includes(request.url)) {
      refused.push(request.url)
      return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    }
    const inner = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      inner.pipe(socket).pipe(inner)
    })
    inner.on('error', () => socket.destroy())
  })
  const proxyPort = await listen(proxy)
  t.after(() => {
    server.closeAllConnections()
    server.close()
    proxy.closeAllConnections()
    proxy.close()
  })
  return { refused, env: { https_proxy: `http://127.0.0.1:${proxyPort}`, no_proxy: '127.0.0.1,localhost', III_DIRECTORY_CA_FILE: caFile } }
}
