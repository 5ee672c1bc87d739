// docs/connect.md and `mcp --print-config`: every snippet is parsed as its harness parses it, and what it names is started and answers.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { skillsFolder } from './lib/mcp.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { within } from './lib/wait.mjs'

const page = readFileSync(new URL('../../docs/connect.md', import.meta.url), 'utf8')

/** The words of a shell command. */
const shellWords = (line) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain)

/** `key = value` of one TOML table; the values of our snippets are JSON, too. */
function toml(text, table) {
  const [, body] = text.match(new RegExp(`^\\[${table}\\]\\n((?:.+\\n?)*)`, 'm'))
  return Object.fromEntries([...body.matchAll(/^(\w+) = (.*)$/gm)].map(([, key, value]) => [key, JSON.parse(value)]))
}
const json = (text) => JSON.parse(text.slice(text.indexOf('{')))
const stdio = (server) => [server.command, ...server.args]

/** How each harness reads its snippet: the command that it starts. */
const readers = {
  'claude-code': (text) => {
    const words = shellWords(text.match(/^claude mcp add .*$/m)[0])
    assert.deepEqual(words.slice(0, 5), ['claude', 'mcp', 'add', 'iii-directory', '--'])
    return words.slice(5)
  },
  'claude-desktop': (text) => stdio(json(text).mcpServers['iii-directory']),
  cursor: (text) => stdio(json(text).mcpServers['iii-directory']),
  vscode: (text) => {
    const server = json(text).servers['iii-directory']
    assert.equal(server.type, 'stdio')
    return stdio(server)
  },
  codex: (text) => stdio(toml(text, 'mcp_servers.iii-directory')),
  gemini: (text) => stdio(json(text).mcpServers['iii-directory']),
  zed: (text) => {
    const server = json(text).context_servers['iii-directory']
    assert.equal(server.source, 'custom')
    return stdio(server)
  },
  windsurf: (text) => stdio(json(text).mcpServers['iii-directory']),
  generic: (text) => stdio(json(text).mcpServers['iii-directory']),
}

/** Starts a command as a harness does, with little environment, and asks it for its name. */
async function nameOf([command, ...args], path = process.env.PATH) {
  const { root } = skillsFolder()
  const child = spawn(command, args, { cwd: root, env: { HOME: root, PATH: path }, stdio: ['pipe', 'pipe', 'ignore'] })
  const line = once(createInterface({ input: child.stdout }), 'line')
  child.stdin.end(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '0' } } }) + '\n')
  const [text] = await within(line, `an answer of ${command}`)
  const [code] = await once(child, 'close')
  assert.equal(code, 0)
  return JSON.parse(text).result.serverInfo.name
}

test('the names in the help, in the documentation and here are the same', async () => {
  const { stderr } = await run(directoryBin, ['mcp', '--print-config', '?'])
  const [, known] = stderr.match(/is not one of ([^.]*)\./)
  assert.deepEqual(known.trim().split(', '), Object.keys(readers))
  const [, documented] = page.match(/Names: ([^.]*)\./)
  assert.deepEqual([...documented.matchAll(/`([^`]+)`/g)].map(([, name]) => name), Object.keys(readers))
})

for (const [harness, read] of Object.entries(readers))
  test(`--print-config ${harness}: the snippet is valid and starts our program`, async () => {
    const { code, stdout } = await run(directoryBin, ['mcp', '--print-config', harness])
    assert.equal(code, 0)
    const command = read(stdout)
    assert.deepEqual(command, [directoryBin, 'mcp'])
    assert.equal(await nameOf(command), 'iii-directory')
  })

test('--print-config keeps the other options, with whole paths', async () => {
  const cwd = tempDir()
  const given = ['--skills', './my skills', '--extra-skills', 'a', '--extra-skills=/b', '--config', 'c.yaml', '--url', 'ws://h:1', '--tools', 'all']
  const expected = ['--config', join(cwd, 'c.yaml'), '--skills', join(cwd, 'my skills'), '--extra-skills', join(cwd, 'a'), '--extra-skills', '/b', '--url', 'ws://h:1', '--tools', 'all']
  for (const [harness, read] of Object.entries(readers)) {
    const { stdout } = await run(directoryBin, ['mcp', '--print-config', harness, ...given], { cwd })
    assert.deepEqual(read(stdout), [directoryBin, 'mcp', ...expected], harness)
  }
  assert.equal((await run(directoryBin, ['mcp', '--print-config', 'cursor', '--tools', 'none'])).code, 2)
})

test('a path with blanks and quotes survives every snippet', async () => {
  const folder = join(tempDir(), "it's a \"folder\" ü")
  mkdirSync(folder)
  const copy = join(folder, 'iii directory')
  writeFileSync(copy, readFileSync(directoryBin), { mode: 0o755 })
  for (const [harness, read] of Object.entries(readers)) {
    const { stdout } = await run(copy, ['mcp', '--print-config', harness])
    // A shell reads '…'\''…' as one word; this reader of ours does not.
    const words = harness === 'claude-code' ? (await run('sh', ['-c', `claude() { shift 4; printf '%s\\n' "$@"; }\n${stdout}`])).stdout.trimEnd().split('\n') : read(stdout)
    assert.deepEqual(words, [copy, 'mcp'], harness)
  }
})

test('every snippet of docs/connect.md starts the program that is in the PATH', async () => {
  const bin = tempDir()
  symlinkSync(directoryBin, join(bin, 'iii-directory'))
  const path = bin + delimiter + process.env.PATH
  const sections = new Map(page.split(/^## /m).slice(1).map((text) => [text.slice(0, text.indexOf('\n')), text]))
  const titles = { 'claude-code': 'Claude Code', 'claude-desktop': 'Claude Desktop', cursor: 'Cursor', vscode: 'VS Code', codex: 'Codex', gemini: 'Gemini CLI', zed: 'Zed', windsurf: 'Windsurf' }
  for (const [harness, title] of Object.entries(titles)) {
    const [, block] = sections.get(title).match(/```\w*\n([\s\S]*?)```/)
    const command = readers[harness](block)
    assert.deepEqual(command, ['iii-directory', 'mcp'], title)
    assert.equal(await nameOf(command, path), 'iii-directory')
  }
})

test('every snippet for HTTP in docs/connect.md is valid, and sends the token', () => {
  const address = 'http://127.0.0.1:3111/mcp'
  const sections = new Map(page.split(/^## /m).slice(1).map((text) => [text.slice(0, text.indexOf('\n')), text]))
  const block = (title) => [...sections.get(title).matchAll(/```\w*\n([\s\S]*?)```/g)].at(-1)[1]
  const server = {
    Cursor: [(text) => json(text).mcpServers, 'url'],
    'VS Code': [(text) => json(text).servers, 'url'],
    'Gemini CLI': [(text) => json(text).mcpServers, 'httpUrl'],
    Zed: [(text) => json(text).context_servers, 'url'],
    Windsurf: [(text) => json(text).mcpServers, 'serverUrl'],
  }
  for (const [title, [servers, member]] of Object.entries(server)) {
    const { [member]: url, headers } = servers(block(title))['iii-directory']
    assert.equal(url, address, title)
    assert.match(headers.Authorization, /^Bearer \S+$/, title)
  }
  assert.deepEqual(toml(block('Codex'), 'mcp_servers.iii-directory'), { url: address, bearer_token_env_var: 'III_TOKEN' })
  assert.match(block('Claude Code'), /^claude mcp add --transport http iii-directory \S+ --header "Authorization: Bearer \$III_TOKEN"$/m)
})

test('the HTTP addresses of docs/connect.md are those of serve', { skip: needsOwnEngine }, async (t) => {
  const { root } = skillsFolder()
  const engine = await startEngine({ args: ['--skills', root], env: { HOME: root } })
  t.after(() => engine.stop())
  const addresses = new Set([...page.matchAll(/http:\/\/127\.0\.0\.1:\d+\S*?(?=["`\s])/g)].map(([url]) => url))
  assert.deepEqual([...addresses], ['http://127.0.0.1:3111/mcp'])
  const help = (await run(directoryBin, ['serve', '--help'])).stdout
  assert.match(help, /--http-port[\s\S]{0,200}3111/)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '0' } } })
  const answer = await fetch(`${engine.http}${new URL([...addresses][0]).pathname}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  assert.equal((await answer.json()).result.serverInfo.name, 'iii-directory')
})
