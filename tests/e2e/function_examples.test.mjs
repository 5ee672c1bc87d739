// docs/functions.md: every command that it shows is run against a server with a few documents, and answers.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tree } from './lib/directory.mjs'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { startSmallInternet } from './lib/small_internet.mjs'

const page = readFileSync(new URL('../../docs/functions.md', import.meta.url), 'utf8').split('\n# Functions of earlier versions')[0]
const examples = [...page.matchAll(/^## (\S+)\n.*?^\$ iii-directory (trigger [^\n]*)$/gms)].map(([, id, command]) => ({ id, command }))

const skill = (name) => `---\nname: ${name}\ndescription: Ask a table a question.\n---\n# ${name}\n\nText.\n`

test('every example of docs/functions.md can be run', { skip: needsOwnEngine }, async (t) => {
  const home = tempDir()
  const registryUrl = (await run(directoryBin, ['config', 'get', 'registry_url'], { cwd: home, env: { HOME: home } })).stdout.trim()
  const { env } = await startSmallInternet(t, {
    registryHost: new URL(registryUrl).host,
    repositories: { 'anthropics/skills': { 'skills/pdf/SKILL.md': skill('pdf') } },
    workers: { resend: { version: '1.0.0', description: 'Sends mail.', skills: { 'SKILL.md': skill('resend') } } },
  })
  const root = tree({ 'database/SKILL.md': skill('database'), 'database/schema.sql': 'select 1;\n', 'database/prompts/explain.md': '---\ndescription: d\n---\nText.\n' })
  const server = await startEngine({ args: ['--skills', root], env: { HOME: home, ...env } })
  t.after(() => server.stop())
  assert.ok(examples.length > 20)
  // A download comes before what is said about downloads, and its removal after that.
  const order = ({ id }) => (id.includes('::download') ? 0 : id.endsWith('::remove') ? 2 : 1)
  const downloaded = join(root, 'pdf', 'SKILL.md')
  for (const { id, command } of examples.toSorted((a, b) => order(a) - order(b))) {
    assert.ok(command.startsWith(`trigger ${id}`), command)
    if (id.endsWith('::remove')) assert.match(readFileSync(downloaded, 'utf8'), /name: pdf/)
    assert.doesNotMatch(command, /…/, `${id} has no example: src/app/daemon/verbs/function_examples.cpp`)
    const end = await run('bash', ['-c', `"${directoryBin}" ${command} --url ${server.url}`], { cwd: home, env: { HOME: home, III_TOKEN: '' } })
    assert.equal(end.code, 0, `${command}\n${end.stderr}`)
    JSON.parse(end.stdout)
  }
  assert.equal(existsSync(downloaded), false)
})
