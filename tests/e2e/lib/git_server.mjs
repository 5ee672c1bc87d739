// Real git servers on loopback: `git http-backend` behind https with a throw-away certificate, and sshd.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './engine.mjs'
import { start } from './process.mjs'

const identity = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'test',
  GIT_AUTHOR_EMAIL: 'test@example.invalid',
  GIT_COMMITTER_NAME: 'test',
  GIT_COMMITTER_EMAIL: 'test@example.invalid',
}

/**
 * A repository under `repos` (bare, `<name>.git`) and its working tree beside it.
 * `files`: {path: text or Buffer}, `links`: {path: target}. `git(...args)` runs in the working tree; `push()` publishes.
 */
export function makeRepository(repos, name, { files = {}, links = {}, branch = 'main' } = {}) {
  const bare = join(repos, `${name}.git`)
  const work = join(repos, `${name}.work`)
  mkdirSync(work, { recursive: true })
  const git = (...args) =>
    execFileSync('git', args, { cwd: work, env: { ...process.env, ...identity }, stdio: 'pipe', encoding: 'utf8' }).trim()
  const put = (more) => {
    for (const [path, bytes] of Object.entries(more)) {
      mkdirSync(dirname(join(work, path)), { recursive: true })
      writeFileSync(join(work, path), bytes)
    }
  }
  const push = () => {
    git('add', '-A', '-f')
    git('commit', '-q', '--allow-empty', '-m', 'x')
    git('push', '-q', '--force', '--all', bare)
    git('push', '-q', '--force', '--tags', bare)
    return git('rev-parse', 'HEAD')
  }
  git('init', '-q', '-b', branch)
  git('init', '-q', '--bare', '-b', branch, bare)
  put(files)
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    symlinkSync(target, join(work, path))
  }
  return { bare, work, git, put, push, commit: push() }
}

export function makeCertificate(dir, hosts = []) {
  const key = join(dir, 'key.pem')
  const cert = join(dir, 'cert.pem')
  const names = ['subjectAltName=DNS:localhost,IP:127.0.0.1', ...hosts.map((host) => `DNS:${host}`)].join(',')
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost',
      '-addext', names, '-keyout', key, '-out', cert],
    { stdio: 'pipe' },
  )
  return { caFile: cert, tls: { key: readFileSync(key), cert: readFileSync(cert) } }
}

// One request through git's own CGI program. `settings` are git settings of the server side.
export function backend(repos, path, req, res, { settings = {}, protocol = true, chunkDelayMs = 0 } = {}) {
  const url = new URL(path, 'https://x')
  const all = { 'uploadpack.allowFilter': 'true', ...settings }
  const env = {
    PATH: process.env.PATH,
    ...identity,
    GIT_PROJECT_ROOT: repos,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: url.pathname,
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: req.method,
    CONTENT_TYPE: req.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: req.headers['content-encoding'] ?? '',
    GIT_PROTOCOL: protocol ? (req.headers['git-protocol'] ?? '') : '',
    REMOTE_ADDR: '127.0.0.1',
    GIT_CONFIG_COUNT: String(Object.keys(all).length),
  }
  Object.entries(all).forEach(([key, value], i) => {
    env[`GIT_CONFIG_KEY_${i}`] = key
    env[`GIT_CONFIG_VALUE_${i}`] = value
  })
  const cgi = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  cgi.stdin.on('error', () => {})
  res.on('close', () => cgi.kill('SIGKILL'))
  req.pipe(cgi.stdin)
  return answer(cgi.stdout, res, chunkDelayMs)
}

// Turns the CGI answer into an HTTP one.
async function answer(stream, res, chunkDelayMs) {
  let head = Buffer.alloc(0)
  let started = false
  for await (const chunk of stream) {
    if (started) {
      res.write(chunk)
      continue
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) continue
    started = true
    let status = 200
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon)
      const value = line.slice(colon + 1).trim()
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10)
      else res.setHeader(name, value)
    }
    res.writeHead(status)
    const body = head.subarray(end + 4)
    if (!chunkDelayMs) res.write(body)
    else
      for (let at = 0; at < body.length; at += 64) {
        res.write(body.subarray(at, at + 64))
        await pause(chunkDelayMs)
      }
  }
  res.end()
}

const plain = (res, status, headers = {}) => {
  res.writeHead(status, headers)
  res.end('no')
}

/** What the first part of the path asks for: https://localhost:PORT/<mode>/<repo>.git */
const modes = {
  git: {},
  slow: { chunkDelayMs: 1 },
  nofilter: { settings: { 'uploadpack.allowFilter': 'false' } },
  // The oldest protocol, from a server that gives out nothing but tips.
  old: { protocol: false },
  hang: () => {},
  e401: (req, res) => plain(res, 401, { 'www-authenticate': 'Basic realm="x"' }),
  e500: (req, res) => plain(res, 500),
  e404: (req, res) => plain(res, 404),
}

/** An https server over the bare repositories of one folder. `elsewhere`: where mode `away` redirects to. */
export async function startGitServer(repos, { elsewhere = '' } = {}) {
  mkdirSync(repos, { recursive: true })
  const { caFile, tls } = makeCertificate(repos)
  const seen = []
  const sockets = new Set()
  let closedBytes = 0
  const server = https.createServer(tls, (req, res) => {
    const [, mode, rest] = req.url.match(/^\/([^/]+)(\/.*)$/) ?? []
    seen.push({ method: req.method, url: req.url, authorization: req.headers.authorization })
    if (mode === 'away') return plain(res, 302, { location: `${elsewhere}/git${rest}` })
    // As some servers do with repositories named without `.git`.
    if (mode === 'suffix' && !rest.includes('.git/')) return plain(res, 301, { location: `/suffix${rest.replace('/info', '.git/info')}` })
    // For `reader` with the password `s3cret` only.
    if (mode === 'login' && req.headers.authorization !== `Basic ${btoa('reader:s3cret')}`) return modes.e401(req, res)
    const how = mode === 'suffix' || mode === 'login' ? modes.git : mode === 'stall' && req.method === 'GET' ? modes.git : mode === 'stall' ? modes.hang : modes[mode]
    if (how === undefined) return plain(res, 404)
    if (typeof how === 'function') return how(req, res)
    backend(repos, rest, req, res, how).catch(() => res.destroy())
  })
  server.on('secureConnection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      closedBytes += socket.bytesWritten
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `https://localhost:${server.address().port}`
  return {
    origin,
    caFile,
    seen,
    url: (name, mode = 'git') => `${origin}/${mode}/${name}`,
    /** Bytes sent to clients so far. */
    sent: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, closedBytes),
    connections: () => sockets.size,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * An sshd of our own over the same repositories. `home` is a folder for the HOME of the client: its ssh configuration names
 * the key and the known host. `stranger` is one whose ssh has never seen the server, `keyless` one without a key.
 */
export async function startSshServer(dir, repos) {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  for (const name of ['host', 'user', 'other'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(dir, name)])
  // Just before it is used: until then anybody may take it.
  const port = await freePort()
  writeFileSync(join(dir, 'authorized'), readFileSync(join(dir, 'user.pub')), { mode: 0o600 })
  const settings = [
    `Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${join(dir, 'host')}`, `AuthorizedKeysFile ${join(dir, 'authorized')}`,
    'PidFile none', 'UsePAM no', 'StrictModes no', 'PasswordAuthentication no', 'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password', 'AcceptEnv GIT_PROTOCOL', 'LogLevel INFO',
  ]
  writeFileSync(join(dir, 'sshd_config'), `${settings.join('\n')}\n`)
  // Where sshd runs as root, it wants this folder, which a service manager would have made.
  if (process.getuid() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const program = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find(existsSync)
  if (!program) throw new Error('sshd is missing: scripts/setup test installs it')
  const sshd = start(program, ['-D', '-e', '-f', join(dir, 'sshd_config')])
  await sshd.printed('stderr', /Server listening/)

  const known = `[127.0.0.1]:${port} ${readFileSync(join(dir, 'host.pub'), 'utf8')}`
  const makeHome = (name, key, hosts) => {
    const home = join(dir, name)
    mkdirSync(join(home, '.ssh'), { recursive: true, mode: 0o700 })
    writeFileSync(join(home, '.ssh', 'known_hosts'), hosts)
    const config = `Host *\n  IdentityFile ${join(dir, key)}\n  IdentitiesOnly yes\n  UserKnownHostsFile ${join(home, '.ssh', 'known_hosts')}\n  GlobalKnownHostsFile none\n`
    writeFileSync(join(home, '.ssh', 'config'), config)
    chmodSync(join(home, '.ssh', 'config'), 0o600)
    return home
  }
  return {
    port,
    home: makeHome('home', 'user', known),
    stranger: makeHome('stranger', 'user', ''),
    keyless: makeHome('keyless', 'other', known),
    url: (name) => `ssh://${userInfo().username}@127.0.0.1:${port}${join(repos, name)}`,
    close: () => sshd.kill('SIGTERM'),
  }
}
