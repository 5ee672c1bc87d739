// Starts the engine under test, or stands in for one that already runs (III_E2E_URL).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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

// Below the range from which the OS chooses, so that no other program is given one of them while nobody listens on it: an engine that is
// stopped gets its port back. Test files that run at the same time take theirs from different blocks.
const FIRST_PORT = 10_240
const BLOCK = 256
const [lowestOfTheOs] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/).map(Number)
const blocks = Math.floor((lowestOfTheOs - FIRST_PORT) / BLOCK)
let taken = process.pid % BLOCK

/** Whether `port` is free; the port, or null. 0 lets the OS choose. */
function tryPort(port) {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.on('error', (error) => (error.code === 'EADDRINUSE' && port ? resolve(null) : reject(error)))
    server.listen(port, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** A port that nobody listens on, and that stays this test's own. */
export async function freePort() {
  for (let i = 0; i < BLOCK && blocks > 0; i++) {
    const port = await tryPort(FIRST_PORT + (process.pid % blocks) * BLOCK + (taken++ % BLOCK))
    if (port) return port
  }
  return tryPort(0)
}

/** Starts `iii-directory serve` and resolves when it says that it is ready. */
export async function startEngine({ args = [], port, data = tempDir(), env = {} } = {}) {
  if (!directoryBin) throw new Error('III_DIRECTORY_BIN is not set: run the tests through ctest or scripts/test')
  const argv = ['serve', '--port', String(port ?? (await freePort())), '--http-port', '0', '--data', data, ...args]
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
