// Certificates made by openssl for one test, and servers that speak TLS with them.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import { tempDir } from './engine.mjs'

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/** An authority of its own; `ca.file` is its certificate, `ca.issue({names, days})` makes one for a server. */
export function newAuthority() {
  const dir = tempDir()
  const at = (name) => join(dir, name)
  const openssl = (...args) => execFileSync('openssl', args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] })
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=iii test authority', '-days', '2')
  let count = 0
  return {
    file: at('ca.pem'),
    issue({ names = 'DNS:localhost,IP:127.0.0.1', days = 1 } = {}) {
      const id = `server${++count}`
      openssl('req', '-new', ...newKey, '-keyout', `${id}.key`, '-out', `${id}.csr`, '-subj', '/CN=server', '-addext', `subjectAltName=${names}`)
      openssl('x509', '-req', '-in', `${id}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', String(days),
        '-copy_extensions', 'copy', '-out', `${id}.pem`)
      return { key: readFileSync(at(`${id}.key`)), cert: readFileSync(at(`${id}.pem`)) }
    },
  }
}

/** Listens on a port chosen by the OS until the test ends. */
export async function listening(t, server) {
  const sockets = new Set()
  for (const event of ['connection', 'secureConnection']) {
    server.on(event, (socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
    })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return server.address().port
}

/** Speaks TLS in front of a plain server, as a proxy in front of an engine does. `names` are what clients asked for. */
export async function tlsFront(t, { host, port }, certificate, options = {}) {
  const names = []
  const server = tls.createServer({ ...certificate, ...options }, (near) => {
    names.push(near.servername)
    const far = net.connect({ host, port })
    near.pipe(far).pipe(near)
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
  })
  return { port: await listening(t, server), names }
}
