// The workers registry, played: real HTTP on a free loopback port, old and new forms of its API, behaviour chosen by the
// worker's name (or the search text), every request noted. As a program it serves until it is ended:
//   tests/e2e/run tests/e2e/lib/registry.mjs [port]
import { createHash } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { fileURLToPath } from 'node:url'
import { createGzip, gzipSync } from 'node:zlib'

const doc = (path, title, text) => ({ path, content: `# ${title}\n\n${text}\n` })
const skill = (path) => ({ path, content: 'x' })

/** What `GET /w/<name>/skills` answers with 200. */
export const bundles = {
  resend: {
    name: 'resend',
    version: '1.2.3',
    skills: [doc('index.md', 'resend', 'Resend overview.'), doc('skills/emails/send-email.md', 'send', 'Send.')],
    prompts: [{ name: 'send-email', description: '  Compose and send.  ', args_schema: { type: 'object', properties: { to: { type: 'string' } } }, content: 'Write to {{to}}.' }],
  },
  plain: { skills: [doc('SKILL.md', 'plain', 'Plain.')] },
  both: { name: 'both', version: '2.0.0', skills: [doc('index.md', 'both index', 'I.'), doc('SKILL.md', 'both SKILL', 'S.')] },
  empty: { name: 'empty', version: '0.0.1', skills: [], prompts: [] },
  array: [],
  iii: { name: 'iii', version: '0.22.1', skills: [doc('SKILL.md', 'iii engine', 'Engine overview.')], prompts: [] },
  // Refused, each for a reason of its own.
  wrongname: { name: 'other', skills: [skill('a.md')] },
  trav: { name: 'trav', skills: [doc('ok.md', 'ok', 'ok.'), skill('../evil.md')] },
  abs: { name: 'abs', skills: [skill('/etc/x.md')] },
  nul: { name: 'nul', skills: [skill('a\0b.md')] },
  marker: { name: 'marker', skills: [doc('ok.md', 'ok', 'ok.'), skill('.iii-skill-complete')] },
  gitconfig: { name: 'gitconfig', skills: [skill('.git/config')] },
  casefold: { name: 'casefold', skills: [skill('a.md'), skill('A.md')] },
  unicode: { name: 'unicode', skills: [skill('\u00e9.md'), skill('e\u0301.md')] },
  folderfile: { name: 'folderfile', skills: [skill('a'), skill('a/b.md')] },
  deep: { name: 'deep', skills: [skill(`${'d/'.repeat(40)}x.md`)] },
  toomany: { name: 'toomany', skills: Array.from({ length: 1_001 }, (_, i) => skill(`f${i}.md`)) },
  bigfile: { name: 'bigfile', skills: [{ path: 'big.bin', content: 'x'.repeat(5 * 1024 * 1024) }] },
  badprompt: { name: 'badprompt', skills: [doc('ok.md', 'ok', 'ok.')], prompts: [{ name: 'Bad Name', description: 'd', content: 'c' }] },
  numcontent: { name: 'numcontent', skills: [{ path: 'a.md', content: 5 }] },
  nullskills: { name: 'nullskills', skills: null },
  // Taken in part.
  hidden: { name: 'hidden', skills: [doc('ok.md', 'ok', 'ok.'), doc('.hidden/h.md', 'h', 'h.')] },
  bigdoc: { name: 'bigdoc', skills: [doc('ok.md', 'ok', 'ok.'), { path: 'big.md', content: 'x'.repeat(300_000) }] },
}

/** A row of the list, in the newer spelling. */
export const row = (name, more = {}) => ({
  name,
  description: `${name} worker`,
  type: 'binary',
  version: '1.2.3',
  repo: `https://example.invalid/${name}`,
  config: {},
  supported_targets: ['x86_64-unknown-linux-gnu'],
  total_downloads: 42,
  dependencies: [{ name: 'iii-state', version: '^0.19' }],
  author: { name: 'acme', pfp: null, verified: true },
  ...more,
})
/** The same as registries before 0.5 spelled it. */
const olderRow = (name) => ({
  name,
  description: `${name} worker`,
  latest_version: '1.2.3',
  repository: `https://example.invalid/${name}`,
  author: { name: 'acme', profile_picture: null, is_verified: true },
})

const detail = (name) => ({
  ...row(name),
  readme: `# ${name}\n\nReadme.\n`,
  functions: [{ name: `${name}::send`, description: 'Send', request_schema: { type: 'object' }, response_schema: {}, metadata: {} }],
  triggers: [{ name: `${name}::on-bounce`, description: 'Bounce', invocation_schema: { type: 'object' }, return_schema: {}, metadata: {} }],
})

const error = (code) => ({ error: { code, message: 'not for callers' } })

/** Words that break the exchange itself, by name of worker or search text. */
const faults = {
  hang: () => {},
  reset: (req) => req.socket.resetAndDestroy(),
  slow: (req, res, send) => setTimeout(send, 300),
  cut: (req, res) => {
    const text = '{"name":"cut","skills":['
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length + 50 })
    res.write(text, () => res.destroy())
  },
  nojson: (req, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html>not for callers</html>'),
  // The right JSON under a wrong name is taken all the same, as the published worker does.
  wrongtype: (req, res) => res.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify({ workers: [row('typed')], ...bundles.plain })),
  endless: (req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' })
    const block = Buffer.alloc(64 * 1024, ' ')
    const pump = () => {
      while (!res.destroyed && res.write(block));
    }
    res.on('drain', pump)
    pump()
  },
  // A small answer that unpacks to 1 GB.
  bomb: (req, res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    const gzip = createGzip({ level: 1 })
    gzip.pipe(res)
    res.on('close', () => gzip.destroy())
    const block = Buffer.alloc(1024 * 1024, ' ')
    let left = 1024
    const pump = () => {
      while (!gzip.destroyed && left-- > 0) if (!gzip.write(block)) return gzip.once('drain', pump)
      if (!gzip.destroyed) gzip.end()
    }
    pump()
  },
  loop: (req, res) => res.writeHead(302, { location: req.url }).end(),
  private: (req, res) => res.writeHead(302, { location: 'http://10.255.255.1/w' }).end(),
  metadata: (req, res) => res.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  tohttp: (req, res) => res.writeHead(302, { location: `http://${req.headers.host}/w` }).end(),
  toscheme: (req, res) => res.writeHead(302, { location: 'file:///etc/passwd' }).end(),
}

class Registry {
  requests = []
  headers = []
  /** How often each word was asked for; `429` and the like answer well the second time. */
  seen = new Map()
  /** `down`: every request is answered 503. `older`: only the routes and shapes of 0.4.x. */
  /** `tls`: {key, cert}, for https. */
  constructor({ older = false, gzip = false, etag = true, tls } = {}) {
    Object.assign(this, { older, gzip, etag, down: false, bundles: { ...bundles } })
    const answer = (req, res) => this.#answer(req, res)
    this.scheme = tls ? 'https' : 'http'
    this.server = tls ? https.createServer(tls, answer) : http.createServer(answer)
  }

  get url() {
    return `${this.scheme}://127.0.0.1:${this.server.address().port}`
  }

  close() {
    this.server.closeAllConnections()
    return new Promise((resolve) => this.server.close(resolve))
  }

  #json(req, res, status, body) {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json' }
    if (this.etag && status === 200) {
      headers.etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`
      if (req.headers['if-none-match'] === headers.etag) return res.writeHead(304, headers).end()
    }
    const zip = this.gzip && /gzip/.test(req.headers['accept-encoding'] ?? '')
    if (zip) headers['content-encoding'] = 'gzip'
    res.writeHead(status, headers).end(zip ? gzipSync(text) : text)
  }

  #answer(req, res) {
    this.requests.push(`${req.method} ${req.url}`)
    this.headers.push(req.headers)
    const url = new URL(req.url, 'http://x')
    const [root, name, leaf, ...rest] = url.pathname.split('/').filter(Boolean)
    const word = name ?? url.searchParams.get('search') ?? url.searchParams.get('q') ?? ''
    if (this.down) return this.#json(req, res, 503, error('down'))
    const send = () => this.#route(req, res, { url, root, name, leaf, rest, word })
    if (faults[word]) return faults[word](req, res, send)
    const status = /^(e|once)(\d{3})$/.exec(word)
    if (!status) return send()
    // `e500` always; `once429` only the first time.
    this.seen.set(req.url, (this.seen.get(req.url) ?? 0) + 1)
    if (status[1] === 'once' && this.seen.get(req.url) > 1) return send()
    if (status[2] === '429') res.setHeader('retry-after', '1')
    return this.#json(req, res, Number(status[2]), error('boom'))
  }

  #route(req, res, { url, root, name, leaf, rest, word }) {
    if (req.method !== 'GET' || rest.length) return this.#json(req, res, 404, error('route'))
    if (root === 'search' && !name) return this.#json(req, res, 200, [olderRow('resend'), olderRow('shell')])
    if (root !== 'w' || (leaf && leaf !== 'skills')) return this.#json(req, res, 404, error('route'))
    if (!name) return this.older ? this.#json(req, res, 404, error('route')) : this.#list(req, res, url, word)
    const version = url.searchParams.get('version') ?? url.searchParams.get('tag') ?? 'latest'
    const once = /^once\d/.test(name) ? { name, skills: [doc('SKILL.md', name, 'At last.')] } : undefined
    const bundle = name === 'slow' ? { name, skills: [doc('SKILL.md', 'slow', 'Slow.')] } : (once ?? this.bundles[name])
    if (!bundle || ['99.99.99', 'no-such-tag'].includes(version)) {
      if (!(name === 'nobundle' && !leaf)) return this.#json(req, res, 404, error('worker_not_found'))
    }
    if (leaf) return this.#json(req, res, 200, bundle)
    if (!this.older) return this.#json(req, res, 200, { worker: detail(name) })
    const { functions, triggers, ...flat } = detail(name)
    this.#json(req, res, 200, { ...flat, api_reference: { functions, triggers } })
  }

  #list(req, res, url, word) {
    const cursor = url.searchParams.get('cursor')
    if (cursor) return this.#json(req, res, 200, { workers: [row(`page2-${cursor}`)], pagination: { next_cursor: null, has_more: false, page_size: 20 } })
    if (word === 'odd') return this.#json(req, res, 200, { workers: [{ name: 'odd', supported_targets: null, total_downloads: -1, version: 3 }, { no_name: 1 }] })
    this.#json(req, res, 200, { workers: [row('resend'), row('shell', { total_downloads: 7 })], pagination: { next_cursor: 'next-page', has_more: true, page_size: 20 } })
  }
}

/** Listening, on a port of the system's choice unless one is named. */
export async function startRegistry(options = {}, port = 0) {
  const registry = new Registry(options)
  await new Promise((resolve) => registry.server.listen(port, '127.0.0.1', resolve))
  return registry
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const registry = await startRegistry({}, Number(process.argv[2] ?? 0))
  console.log(registry.url)
}
