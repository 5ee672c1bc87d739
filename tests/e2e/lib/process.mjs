// Child processes: start, collect what they print, wait for them, never leave one behind.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { deferred, within } from './wait.mjs'

export const directoryBin = process.env.III_DIRECTORY_BIN
export const binDir = process.env.III_BIN_DIR

// The program takes variables with this prefix for its configuration.
const inherited = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('III_DIRECTORY_')))

const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Path of another program of the build, e.g. built('examples', 'hello_worker'). */
export function built(...parts) {
  if (!binDir) throw new Error('III_BIN_DIR is not set: run the tests through ctest or scripts/test')
  return join(binDir, ...parts)
}

/** Starts a program. `exit` resolves to {code, signal, stdout, stderr}; `line(pred)` waits for a line on stdout. */
export function start(program, args = [], { env = {}, cwd, input } = {}) {
  const child = spawn(program, args, { cwd, env: { ...inherited(), ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  running.add(child)
  const out = { stdout: '', stderr: '' }
  const watchers = new Set()
  const ended = deferred()
  let closed = false
  const gather = (name) => (chunk) => {
    out[name] += chunk
    for (const check of [...watchers]) check()
  }
  child.stdout.setEncoding('utf8').on('data', gather('stdout'))
  child.stderr.setEncoding('utf8').on('data', gather('stderr'))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  child.on('error', (error) => {
    running.delete(child)
    ended.reject(error)
  })
  child.on('close', (code, signal) => {
    running.delete(child)
    closed = true
    ended.resolve({ code, signal, ...out })
    for (const check of [...watchers]) check()
  })
  ended.promise.catch(() => {})

  const printed = async (stream, pattern) => {
    const found = deferred()
    const check = () => {
      const match = out[stream].match(pattern)
      if (match) found.resolve(match)
      // Not when it has exited: the rest of what it printed may be on its way.
      else if (closed)
        found.reject(new Error(`${program} ended (${child.exitCode ?? child.signalCode}) before it printed ${pattern}: ${out.stderr}`))
    }
    watchers.add(check)
    ended.promise.catch(found.reject)
    check()
    try {
      return await within(found.promise, `${pattern} on ${stream}`)
    } finally {
      watchers.delete(check)
    }
  }

  const kill = (signal = 'SIGTERM') => {
    child.kill(signal)
    return within(ended.promise, `the end of ${program}`)
  }
  return {
    child,
    pid: child.pid,
    out,
    exit: ended.promise,
    printed,
    kill,
    /** Ends it as a service manager would and insists on a clean exit; one that has ended by itself is left alone. */
    async stop() {
      const over = child.exitCode !== null || child.signalCode !== null
      const end = await kill('SIGTERM')
      if (!over && end.code !== 0) throw new Error(`${program} ended with ${end.code ?? end.signal}: ${end.stderr}`)
      if (/Sanitizer|runtime error:/.test(end.stderr)) throw new Error(end.stderr)
      return end
    },
  }
}

/** Runs a program to its end. */
export const run = (program, args, options) => within(start(program, args, options).exit, `the end of ${program}`)
