// The console of `serve` as its own page uses it, and as others might try to.
import { join } from 'node:path'
import { putAtomically } from './directory.mjs'
import { startEngine, tempDir } from './engine.mjs'
import { openStream, request } from './http.mjs'
import { deadlineMs } from './wait.mjs'

/** A server with a folder of skills of its own. */
export async function serveConsole(t, args = [], options = {}) {
  const home = options.home ?? tempDir()
  const engine = await startEngine({ args, env: { HOME: home, ...options.env }, ...options.engine })
  t.after(() => engine.stop())
  return consoleOf(engine, home)
}

export function consoleOf(engine, home) {
  const base = engine.http
  const own = { origin: base, 'x-console': '1', 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const put = (path, text) => putAtomically(join(home, '.iii/skills'), path, text)
  const send = (method, path, body, headers = {}) =>
    request(base + path, { method, headers: { ...own, ...headers }, body: typeof body === 'object' ? JSON.stringify(body) : body })
  return {
    engine,
    base,
    own,
    home,
    put,
    /** The frontmatter of a skill that is served without findings. */
    skill: (path, text) => put(path, `---\nname: ${path.split('/').at(-2)}\ndescription: ${text}\n---\n# Title\n\n${text}\n`),
    get: (path, headers = {}) => request(base + path, { headers }),
    send,
    /** {status, result | code, message, …} */
    call: async (function_id, payload = {}, more = {}, headers = {}) => {
      const answer = await send('POST', '/console/call', { function_id, payload, ...more }, headers)
      return { status: answer.status, ...JSON.parse(answer.body) }
    },
    cancel: (job, headers = {}) => send('POST', '/console/cancel', { job }, headers),
    /** The cookie of a new session. */
    login: async (token) => {
      const answer = await send('POST', '/console/session', { token })
      return answer.headers['set-cookie']?.[0].split(';')[0]
    },
    listen: (headers = {}) => openStream(`${base}/console/events`, { headers }).then(eventsOf),
  }
}

/** Adds to a stream: `events()` as {name, id, data}, `next(name, pred)` waits for one. */
export function eventsOf(stream) {
  stream.events = () =>
    stream.text
      .split('\n\n')
      .slice(0, -1)
      .filter((block) => !block.startsWith(':'))
      .map((block) => {
        const line = (field) => block.split('\n').find((each) => each.startsWith(`${field}: `))?.slice(field.length + 2)
        return { name: line('event'), id: line('id'), data: JSON.parse(line('data')) }
      })
  stream.next = async (name, pred = () => true) => {
    for (const end = Date.now() + deadlineMs; Date.now() < end; ) {
      const { length } = stream.text
      const found = stream.events().find((event) => event.name === name && pred(event.data))
      if (found) return found
      await stream.more(length)
    }
    throw new Error(`no such event: ${name}; there were ${JSON.stringify(stream.events())}`)
  }
  return stream
}
