// A TCP proxy in front of the engine: cuts the worker's side of a connection while the engine's side stays open,
// which is what a dead network looks like from the engine.
import { once } from 'node:events'
import net from 'node:net'

export async function startProxy(t, { host, port }) {
  const pairs = []
  const server = net.createServer((near) => {
    const far = net.connect({ host, port })
    const pair = { near, far, cut: false }
    pairs.push(pair)
    near.on('data', (chunk) => far.write(chunk))
    far.on('data', (chunk) => near.destroyed || near.write(chunk))
    near.on('close', () => pair.cut || far.destroy())
    far.on('close', () => near.destroy())
    near.on('error', () => {})
    far.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const { near, far } of pairs) {
      near.destroy()
      far.destroy()
    }
    server.close()
  })
  return {
    url: `ws://127.0.0.1:${server.address().port}`,
    connections: () => pairs.length,
    /** The workers lose their sockets; the engine hears nothing of it. */
    cutWorkers() {
      for (const pair of pairs) {
        pair.cut = true
        pair.near.destroy()
      }
    },
    /** Lets the engine know at last. */
    dropStale() {
      for (const pair of pairs) if (pair.cut) pair.far.destroy()
    },
  }
}
