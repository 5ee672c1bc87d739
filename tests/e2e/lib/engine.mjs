// Starts the engine under test, or stands in for one that already runs (III_E2E_URL).
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directoryBin, start } from './process.mjs'

export const foreignUrl = process.env.III_E2E_URL?.replace(/\/$/, '')

/** For the `skip` option of tests that must start, stop, kill or configure the engine themselves. */
export const needsOwnEngine = foreignUrl ? 'left out: needs an engine of its own, and III_E2E_URL names one that already runs' : false

const tempDirs = []
process.on('exit', () => tempDirs.forEach((dir) => rmSync(dir, { recursive: true, force: true })))

export function tempDir() {
  tempDirs.push(mkdtempSync(join(tmpdir(), 'iii-e2e-')))
  return tempDirs.at(-1)
}

/** A port nobody listens on right now, for tests whose worker must know the address before the engine exists. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** Starts `iii-directory serve` on a port chosen by the OS and resolves when it says that it is ready. */
export async function startEngine({ args = [], port = 0, data = tempDir(), env = {} } = {}) {
  if (!directoryBin) throw new Error('III_DIRECTORY_BIN is not set: run the tests through ctest or scripts/test')
  const argv = ['serve', '--port', String(port), '--http-port', '0', '--data', data, ...args]
  const proc = start(directoryBin, argv, { env: { III_TOKEN: '', ...env } })
  const [readyLine, url, host, digits] = await proc.printed('stdout', /^ready ws=(ws:\/\/(\S+):(\d+)).*$/m)
  return {
    ...proc,
    readyLine,
    url,
    /** Where HTTP is served; undefined when it is not. */
    http: readyLine.match(/ http=(\S+)/)?.[1],
    host,
    data,
    port: Number(digits),
    /** Takes it down without a word, as a crash would. */
    crash: () => proc.kill('SIGKILL'),
    /** The same data folder on the same port again. */
    again: () => startEngine({ args, port: Number(digits), data, env }),
  }
}

const parts = foreignUrl && new URL(foreignUrl)
const foreignEngine = parts && { url: foreignUrl, host: parts.hostname, port: Number(parts.port), foreign: true }

/** The engine for one test: our own, stopped (and checked) at its end, or the foreign one. */
export async function engineFor(t, options) {
  if (foreignUrl) return foreignEngine
  const engine = await startEngine(options)
  t.after(() => engine.stop())
  return engine
}
