// Connect: what it tells people to write is read by its own format, and a client that does as told arrives.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { openConsole } from './lib/browser.mjs'
import { skillFiles } from './lib/console_files.mjs'
import { needsOwnEngine, tempDir } from './lib/engine.mjs'

const own = { skip: needsOwnEngine }
const TOKEN = 'a-secret-of-this-test'

const json = (text) => JSON.parse(text)
const toml = (text) =>
  JSON.parse(
    execFileSync('python3', ['-c', 'import json, sys, tomllib; print(json.dumps(tomllib.loads(sys.stdin.read())))'], { input: text }),
  )

/** The arguments that each program of a shell script gets, run by programs of these names that do nothing else. */
function shell(text) {
  const folder = tempDir()
  for (const program of ['claude', 'npx']) {
    writeFileSync(join(folder, program), `#!/bin/sh\nprintf '%s\\n' ${program} "$@"\n`)
    chmodSync(join(folder, program), 0o755)
  }
  const env = { PATH: `${folder}:/usr/bin:/bin`, III_TOKEN: TOKEN }
  return execFileSync('/bin/sh', ['-eu'], { input: text, env }).toString().trimEnd().split('\n')
}

const program = { command: 'iii-directory', args: ['mcp'] }
const bearer = (word) => ({ Authorization: `Bearer ${word}` })

/** For each harness: how its snippet is read, and what is in it. `http(url)` with a token, `stdio` without a server. */
const harnesses = {
  'claude-code': {
    read: shell,
    http: (url) => ['claude', 'mcp', 'add', '--transport', 'http', 'iii-directory', url, '--header', `Authorization: Bearer ${TOKEN}`],
    stdio: ['claude', 'mcp', 'add', 'iii-directory', '--', 'iii-directory', 'mcp'],
  },
  'claude-desktop': { read: json, stdio: { mcpServers: { 'iii-directory': program } } },
  cursor: {
    read: json,
    http: (url) => ({ mcpServers: { 'iii-directory': { url, headers: bearer('${env:III_TOKEN}') } } }),
    stdio: { mcpServers: { 'iii-directory': program } },
  },
  vscode: {
    read: json,
    http: (url) => ({ servers: { 'iii-directory': { type: 'http', url, headers: bearer('${env:III_TOKEN}') } } }),
    stdio: { servers: { 'iii-directory': { type: 'stdio', ...program } } },
  },
  codex: {
    read: toml,
    http: (url) => ({ mcp_servers: { 'iii-directory': { url, bearer_token_env_var: 'III_TOKEN' } } }),
    stdio: { mcp_servers: { 'iii-directory': program } },
  },
  gemini: {
    read: json,
    http: (url) => ({ mcpServers: { 'iii-directory': { httpUrl: url, headers: bearer('${III_TOKEN}') } } }),
    stdio: { mcpServers: { 'iii-directory': program } },
  },
  zed: {
    read: json,
    http: (url) => ({ context_servers: { 'iii-directory': { url, headers: bearer('${III_TOKEN}') } } }),
    stdio: { context_servers: { 'iii-directory': { source: 'custom', ...program } } },
  },
  windsurf: {
    read: json,
    http: (url) => ({ mcpServers: { 'iii-directory': { serverUrl: url, headers: bearer('${env:III_TOKEN}') } } }),
    stdio: { mcpServers: { 'iii-directory': program } },
  },
  inspector: {
    read: shell,
    http: (url) => [
      ...['npx', '@modelcontextprotocol/inspector', '--cli', url, '--transport', 'http', '--method', 'resources/list'],
      ...['--header', `Authorization: Bearer ${TOKEN}`],
    ],
    stdio: ['npx', '@modelcontextprotocol/inspector', 'iii-directory', 'mcp'],
  },
  other: {
    read: (text) => text.split('\n'),
    http: (url) => [url, 'Authorization: Bearer $III_TOKEN'],
    stdio: ['iii-directory mcp'],
  },
}

async function openWithToken(t) {
  const { page, server } = await openConsole(t, { files: skillFiles, args: ['--token', TOKEN] })
  await page.goto(`${server.http}/console/connect`)
  await page.locator('#dialog input').fill(TOKEN)
  await page.keyboard.press('Enter')
  await page.locator('.steps').waitFor()
  return { page, server }
}

async function snippet(page, harness, by) {
  await page.visit(`connect/${harness}?by=${by}`)
  return page.locator('.steps li').first().locator('pre').innerText()
}

test('each snippet is what its harness reads', own, async (t) => {
  const { page, server } = await openWithToken(t)
  const listed = await page.locator('.conn .side button').count()
  assert.equal(listed, Object.keys(harnesses).length + 1, 'each of them is here, and the worker')
  for (const [harness, { read, http, stdio }] of Object.entries(harnesses)) {
    if (http) {
      const text = await snippet(page, harness, 'http')
      assert.ok(!text.includes(TOKEN), `${harness}: the token itself is not in it`)
      assert.deepEqual(read(text), http(`${server.http}/mcp`), `${harness}, HTTP`)
    }
    assert.deepEqual(read(await snippet(page, harness, 'stdio')), stdio, `${harness}, stdio`)
  }
})

test('a client that does as a snippet says arrives in the page', own, async (t) => {
  const { page } = await openWithToken(t)
  const { servers } = json(await snippet(page, 'vscode', 'http'))
  const { url, headers } = servers['iii-directory']
  const expanded = { Authorization: headers.Authorization.replace('${env:III_TOKEN}', TOKEN) }
  const client = new Client({ name: 'as-told', version: '7' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: expanded } }))
  t.after(() => client.close())
  await page.locator('.steps', { hasText: 'as-told' }).waitFor()
  assert.ok((await client.listResources()).resources.length > 0)
})

test('the worker of the snippet is a program', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  await page.visit('connect/worker')
  const text = await page.locator('.steps li').nth(1).locator('pre').innerText()
  const file = join(tempDir(), 'worker.mjs')
  writeFileSync(file, text)
  execFileSync(process.execPath, ['--check', file])
})
