// README.md and docs/getting-started.md, followed from top to bottom on a fresh copy of the repository: every command is run on a terminal, every
// block that shows output is compared with it.
//
// What is not as on a reader's machine: the program is the one that was built already (scripts/serve would build it), in a copy of the repository (`git clone` needs its address),
// ports are free ones, github.com and the workers registry are served on loopback (small_internet.mjs), `npm install` links the package of the lock
// file, and `claude` is a stand-in that connects with the official MCP client.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort, needsOwnEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { startSmallInternet } from './lib/small_internet.mjs'
import { programs, Reader } from './lib/walkthrough.mjs'

const repository = fileURLToPath(new URL('../../', import.meta.url))

const skill = (name, description) => `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n\nWhat to do.\n`
const internet = {
  repositories: {
    'anthropics/skills': {
      'skills/docx/SKILL.md': skill('docx', 'Use this skill for Word documents.'),
      'skills/mcp-builder/SKILL.md': skill('mcp-builder', 'Guide for building MCP servers.'),
      'skills/pdf/SKILL.md': skill('pdf', 'Use this skill whenever something is to be done with PDF files, such as filling in a form.'),
      'skills/pdf/scripts/fill.py': 'print("filled")\n',
    },
  },
  workers: { resend: { version: '1.2.3', description: 'Sends mail.', skills: { 'SKILL.md': skill('resend', 'Use when mail is to be sent.') } } },
}

/** A fresh copy of what the pages use, a home folder, and a reader. */
async function reader(t) {
  const copy = join(tempDir(), 'iii-directory')
  mkdirSync(copy)
  execFileSync('bash', ['-c', `git ls-files -z README.md docs examples scripts | tar c --null -T - | tar x -C ${copy}`], { cwd: repository })
  const home = join(tempDir(), 'home', 'me')
  mkdirSync(join(home, 'project'), { recursive: true })
  const registryUrl = (await run(directoryBin, ['config', 'get', 'registry_url'], { cwd: home, env: { HOME: home } })).stdout.trim()
  const { env, refused } = await startSmallInternet(t, { ...internet, registryHost: new URL(registryUrl).host })
  const ports = { 49134: await freePort(), 3111: await freePort() }
  const path = `${programs(join(home, '.programs'), directoryBin)}:${process.env.PATH}`
  const replace = (command) => {
    if (/^git clone URL\b/.test(command)) return null
    // What the script starts once it has built the program.
    if (/^scripts\/serve\b/.test(command)) return command.replace('scripts/serve', `iii-directory serve --extra-skills ${copy}/examples/skills`)
    return command
  }
  const options = { home, env: { ...env, PATH: path }, ports, replace }
  return { copy, refused, begin: (cwd) => new Reader(t, { ...options, cwd }), project: join(home, 'project') }
}

test('README.md', { skip: needsOwnEngine }, async (t) => {
  const { copy, begin } = await reader(t)
  await begin(dirname(copy)).follow(readFileSync(join(copy, 'README.md'), 'utf8'))
})

test('docs/getting-started.md', { skip: needsOwnEngine }, async (t) => {
  const { copy, begin, project } = await reader(t)
  await begin(project).follow(readFileSync(join(copy, 'docs', 'getting-started.md'), 'utf8'))
})
