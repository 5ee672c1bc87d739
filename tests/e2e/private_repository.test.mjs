// A private repository over https, with git's own credential helpers: those of the person at the terminal, or the one that the operator named.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { configFile } from './lib/directory.mjs'
import { tempDir } from './lib/engine.mjs'
import { makeRepository, startGitServer } from './lib/git_server.mjs'
import { directoryBin, run } from './lib/process.mjs'

const terminal = new URL('../drivers/terminal.py', import.meta.url).pathname
let server
let source

before(async () => {
  const repos = tempDir()
  makeRepository(repos, 'team', { files: { 'skills/deploy/SKILL.md': '---\nname: deploy\ndescription: How we deploy.\n---\n# Deploy\n\nWith care.\n' } })
  server = await startGitServer(repos)
  source = `${server.url('team.git', 'login')}`
})
after(() => server.close())

/** A home folder with git's configuration, and a store that knows the password. */
function homeWith(gitconfig) {
  const home = tempDir()
  const store = join(home, 'passwords')
  writeFileSync(store, `https://reader:s3cret@${new URL(server.origin).host}\n`)
  writeFileSync(join(home, '.gitconfig'), gitconfig(store))
  return { home, store }
}

/** `add` in a home folder; gives {code, output, folder}. */
async function add({ home, onTerminal = true, settings = {} }) {
  const folder = tempDir()
  const config = configFile({ skills_folder: folder, ca_file: server.caFile, git_private_hosts: ['localhost'], ...settings })
  const words = [directoryBin, 'add', source, '--skill', 'deploy', '--config', config]
  const env = { HOME: home, TERM: 'xterm', NO_COLOR: '1', III_URL: '' }
  if (!onTerminal) {
    const end = await run(words[0], words.slice(1), { env })
    return { code: end.code, output: end.stdout + end.stderr, folder }
  }
  const end = await run('python3', [terminal, '200', '[]', ...words], { env })
  return { ...JSON.parse(end.stdout), folder }
}

const installed = ({ code, output, folder }) => {
  assert.equal(code, 0, output)
  assert.match(readFileSync(join(folder, 'deploy', 'SKILL.md'), 'utf8'), /With care/)
  assert.doesNotMatch(readFileSync(join(folder, 'directory.lock'), 'utf8') + output, /s3cret/)
}
const refused = ({ code, output, folder }) => {
  assert.equal(code, 1, output)
  assert.match(output.replaceAll(/\s+/g, ' '), /D321 .*asks for a user name and a password\. Next: .*`git_credential_helper` in the configuration/)
  assert.ok(!existsSync(join(folder, 'deploy')))
}

const always = (store) => `[credential]\n\thelper = store --file=${store}\n`
const forThisServer = (store) => `[credential "${server.origin}"]\n\thelper =\n\thelper = store --file=${store}\n`
const forAnother = (store) => `[credential "https://example.invalid"]\n\thelper = store --file=${store}\n`

test('at a terminal the helpers of the person are asked, and told nothing', async () => {
  for (const gitconfig of [always, forThisServer]) {
    const { home, store } = homeWith(gitconfig)
    const before = readFileSync(store, 'utf8')
    installed(await add({ home }))
    assert.equal(readFileSync(store, 'utf8'), before)
  }
})

test('without a helper for this server the error says what to do', async () => {
  refused(await add({ home: tempDir() }))
  refused(await add({ home: homeWith(forAnother).home }))
})

test('a wrong password is refused and stays in the store', async () => {
  const { home, store } = homeWith(always)
  const wrong = readFileSync(store, 'utf8').replace('s3cret', 'wrong')
  writeFileSync(store, wrong)
  const { code, output } = await add({ home })
  assert.equal(code, 1)
  assert.match(output, /D321/)
  assert.doesNotMatch(output, /wrong/)
  assert.equal(readFileSync(store, 'utf8'), wrong)
})

test('a script uses no helper of a person; the operator allows one in the configuration', async () => {
  const { home, store } = homeWith(always)
  refused(await add({ home, onTerminal: false }))
  installed(await add({ home, onTerminal: false, settings: { git_credential_helper: `store --file=${store}` } }))
})
