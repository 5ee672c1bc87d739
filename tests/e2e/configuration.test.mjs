// The configuration file, its reload, the folders that are named, and what the machine allows.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { put, startDirectory, tree } from './lib/directory.mjs'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run, start } from './lib/process.mjs'
import { call, connect, failure, sdks } from './lib/sdks.mjs'
import { startShelf } from './lib/shelf.mjs'

const page = '# A\n\nText.\n'
const own = { skip: needsOwnEngine }

test('SIGHUP with a broken file keeps what is in force, and says so', own, async (t) => {
  const { ask, file, root, proc } = await startDirectory(t, { files: { 'a/SKILL.md': page } })
  for (const broken of ['skills_folder: [\n', 'skills_folder: /nowhere\nlenient: perhaps\n']) {
    writeFileSync(file, broken)
    const seen = proc.out.stderr.length
    proc.child.kill('SIGHUP')
    await proc.printed('stderr', new RegExp(`^[^]{${seen},}configuration not reloaded: .*stays in force`))
    assert.match(proc.out.stderr.slice(seen), /config\.yaml, line [23]: /)
    assert.deepEqual((await ask('directory::skills::list')).skills.map((s) => s.id), ['a'])
  }
  writeFileSync(file, `skills_folder: ${root}\nfilter_unregistered: false\nbuiltin_docs: false\nmax_downloads: 9\nauto_download: false\n`)
  proc.child.kill('SIGHUP')
  await proc.printed('stderr', /restart to apply the new value of max_downloads/)
  assert.deepEqual((await ask('directory::skills::list')).skills.map((s) => s.id), ['a'])
})

test('one bad key costs itself only, and is named with its line', own, async (t) => {
  const data = tempDir()
  const config = join(data, 'c.yaml')
  const root = tree({ 'a/SKILL.md': page })
  writeFileSync(config, `skills_folder: ${root}\nmax_downloads: many\nbuiltin_docs: false\n`)
  const engine = await startEngine({ args: ['--config', config], env: { HOME: data, III_DIRECTORY_BUILTIN_DOC: 'true' } })
  t.after(() => engine.stop())
  await engine.printed('stderr', /error .*c\.yaml, line 2: max_downloads must be a whole number, 1 to 64, not "many"; the key is ignored/)
  await engine.printed('stderr', /warn .*III_DIRECTORY_BUILTIN_DOC is ignored\. Did you mean III_DIRECTORY_BUILTIN_DOCS\?/)
  const node = connect(t, sdks['0.22.1'], engine.url)
  assert.deepEqual((await call(node, 'directory::skills::list', {})).skills.map((s) => s.id), ['a'])
})

test('a file named with --config must exist, except in worker mode (engine_settings)', async () => {
  const home = tempDir()
  for (const words of [['serve', '--port', '0', '--data', home], ['mcp'], ['doctor'], ['verify'], ['config']]) {
    const end = await run(directoryBin, [...words, '--config', join(home, 'none.yaml')], { env: { HOME: home } })
    assert.equal(end.code, 2, words[0])
    assert.match(end.stderr, /none\.yaml cannot be read: No such file/)
  }
})

test('a door does not open without its rules: serve, mcp and verbs on folders end with the line and a caret', async () => {
  const home = tempDir()
  const file = join(home, 'iii-directory.yaml')
  const doors = [['serve', '--port', '0', '--http-port', '0', '--data', join(home, 'data')], ['mcp'], ['list']]
  for (const [yaml, message] of [
    ['skills_folder: /tmp\nmcp_hidden: [billing::\n', /iii-directory\.yaml, line 3: the file is not valid YAML: .*\n {2}3 \| \n {4}\| \^\n/],
    ['mcp_hidden: "billing::"\n', /line 1: mcp_hidden must be a list of texts, not "billing::"\n {2}1 \| mcp_hidden: "billing::"\n {4}\| {13}\^\n/],
    ['mcp_hiden: ["billing::"]\n', /line 1: unknown key `mcp_hiden`\. Did you mean mcp_hidden\?\n/],
  ])
    for (const door of doors)
      for (const named of [['--config', file], []]) {
        writeFileSync(file, yaml)
        const end = await run(directoryBin, [...door, ...named], { cwd: home, env: { HOME: home, III_URL: '' } })
        assert.equal(end.code, 1, `${door[0]}: ${end.stderr}`)
        assert.equal(end.stdout, '', 'never ready')
        assert.match(end.stderr, message)
        assert.match(end.stderr, /Next: correct this/)
      }
  // An engine's own file is not ours to judge.
  rmSync(file)
  writeFileSync(join(home, 'config.yaml'), 'modules: [&a 1, *a]\n')
  const foreign = await run(directoryBin, ['list'], { cwd: home, env: { HOME: home, III_URL: '' } })
  assert.equal(foreign.code, 0, foreign.stderr)
})

test('a server whose file vanishes keeps what it has read, and says so', own, async (t) => {
  const cwd = tempDir()
  const root = tree({ 'a/SKILL.md': page })
  writeFileSync(join(cwd, 'iii-directory.yaml'), `skills_folder: ${root}\nbuiltin_docs: false\n`)
  const engine = start(directoryBin, ['serve', '--port', '0', '--http-port', '0', '--data', tempDir()], { cwd, env: { HOME: tempDir(), III_TOKEN: '' } })
  t.after(() => engine.stop())
  const [, url] = await engine.printed('stdout', /^ready ws=(\S+)/m)
  rmSync(join(cwd, 'iii-directory.yaml'))
  engine.child.kill('SIGHUP')
  await engine.printed('stderr', /iii-directory\.yaml is not there any more\n.*configuration not reloaded: .*stays in force/)
  const node = connect(t, sdks['0.22.1'], url)
  assert.deepEqual((await call(node, 'directory::skills::list', {})).skills.map((s) => s.id), ['a'])
})

test('at start the folders that are read are named, with counts that add up', own, async (t) => {
  const root = tree({ 'a/SKILL.md': page, 'a/b.md': page, 'a/prompts/p.md': '---\ndescription: x\n---\nText.\n', 'a/run.sh': 'x' })
  const more = tree({ 'c/SKILL.md': page })
  const home = tempDir()
  const engine = await startEngine({ args: ['--skills', root, '--extra-skills', more], env: { HOME: home } })
  t.after(() => engine.stop())
  await engine.printed('stderr', new RegExp(`info  global folder ${root}: 2 skills, 1 prompt\n`))
  await engine.printed('stderr', new RegExp(`info  extra-1 folder ${more}: 1 skill, 0 prompts\n`))
  await engine.printed('stderr', /info {2}5 files: 3 skills, 1 prompt, 1 supporting file, 0 skipped; 2 compiled-in skills\n/)
})

test('a folder that is missing gives a warning, and is served when it appears', own, async (t) => {
  const root = join(tempDir(), 'later')
  const engine = await startEngine({ args: ['--skills', root], env: { HOME: tempDir() } })
  t.after(() => engine.stop())
  await engine.printed('stderr', new RegExp(`warn  global folder ${root} does not exist\n`))
  put(root, 'a/SKILL.md', page)
  const node = connect(t, sdks['0.22.1'], engine.url)
  assert.ok((await call(node, 'directory::skills::list', {})).skills.some((s) => s.id === 'a'))
})

test('what can never be a folder of skills is refused; doctor fails on it', async () => {
  const home = tempDir()
  const file = join(home, 'a.md')
  writeFileSync(file, page)
  const served = await run(directoryBin, ['serve', '--port', '0', '--data', join(home, 'data'), '--skills', file], { env: { HOME: home } })
  assert.equal(served.code, 2)
  assert.match(served.stderr, /--skills: .*a\.md is not a folder/)
  for (const folder of [file, join(home, 'none')]) {
    const end = await run(directoryBin, ['doctor', '--skills', folder], { cwd: home, env: { HOME: home } })
    assert.equal(end.code, 1, folder)
    assert.match(end.stderr, /Error: the global folder .* (is not a folder|does not exist)/)
  }
  assert.equal((await run(directoryBin, ['doctor'], { cwd: home, env: { HOME: home } })).code, 0, 'a default folder may be missing')
})

test('without HOME the home folder of the user is used, never a folder named ~', async () => {
  const cwd = tempDir()
  for (const words of [['doctor'], ['verify'], ['config']]) await run(directoryBin, words, { cwd, env: { HOME: '' } })
  assert.deepEqual(readdirSync(cwd), [])
  const end = await run(directoryBin, ['doctor'], { cwd, env: { HOME: '' } })
  assert.doesNotMatch(end.stdout, /folder .*~/)
  // A user without an entry in the list of users has no home folder. Only root can become one, if it may run the program.
  const nobody = ['--reuid', '54321', '--clear-groups', directoryBin]
  if (process.getuid() !== 0 || (await run('setpriv', [...nobody, '--version'])).code !== 0) return
  chmodSync(cwd, 0o777)
  const install = await run('setpriv', [...nobody, 'install', 'mail'], { cwd, env: { HOME: '', III_DIRECTORY_REGISTRY_URL: 'http://127.0.0.1:1' } })
  assert.equal(install.code, 1, install.stderr)
  assert.match(install.stderr, /skills_folder is "~\/\.iii\/skills", but HOME is not set.*III_DIRECTORY_SKILLS_FOLDER/)
  assert.equal(existsSync(join(cwd, '~')), false)
})

test('config shows every value and where it comes from', async () => {
  const home = tempDir()
  writeFileSync(join(home, 'config.yaml'), 'watch: false\nmax_downloads: 0\n')
  const options = { cwd: home, env: { HOME: home, III_DIRECTORY_LENIENT: 'false' } }
  const end = await run(directoryBin, ['config', '--skills', '/x'], options)
  assert.equal(end.code, 1)
  assert.match(end.stderr, /config\.yaml, line 2: max_downloads must be/)
  for (const line of [/^watch: false +# \.\/config\.yaml, line 1$/m, /^lenient: false +# III_DIRECTORY_LENIENT$/m, /^skills_folder: "\/x" +# --skills$/m, /^max_downloads: 4 +# default$/m]) {
    assert.match(end.stdout, line)
  }
  const { stdout } = await run(directoryBin, ['config', '--json'], options)
  assert.deepEqual(JSON.parse(stdout).lenient, { value: false, origin: 'III_DIRECTORY_LENIENT' })
  assert.match((await run(directoryBin, ['config', '--help'])).stdout, /max_downloads: whole number, 1 to 64; default 4; read at start only/)
})

test('config set leaves the file of an engine alone', async () => {
  const cwd = tempDir()
  const engines = 'workers:\nport: 1\n'
  writeFileSync(join(cwd, 'config.yaml'), engines)
  const set = async (value) => assert.equal((await run(directoryBin, ['config', 'set', 'log_level', value], { cwd, env: { HOME: cwd } })).code, 0)
  await set('debug')
  assert.equal(readFileSync(join(cwd, 'config.yaml'), 'utf8'), engines)
  assert.equal(readFileSync(join(cwd, 'iii-directory.yaml'), 'utf8'), 'log_level: "debug"\n')
  rmSync(join(cwd, 'iii-directory.yaml'))
  writeFileSync(join(cwd, 'config.yaml'), 'log_level: warn\n')
  await set('info')
  assert.equal(readFileSync(join(cwd, 'config.yaml'), 'utf8'), 'log_level: "info"\n')
  assert.equal(existsSync(join(cwd, 'iii-directory.yaml')), false)
})

test('config path and config check say when there is no file; the help has no links', async () => {
  const cwd = tempDir()
  const config = (...words) => run(directoryBin, ['config', ...words], { cwd, env: { HOME: cwd } })
  const path = await config('path')
  assert.equal(path.stdout, join(cwd, 'iii-directory.yaml') + '\n')
  assert.equal(path.stderr, 'It does not exist.\n')
  assert.match((await config('check')).stdout, /does not exist; defaults are used/)
  writeFileSync(join(cwd, 'iii-directory.yaml'), 'watch: false\n')
  assert.equal((await config('path')).stderr, '')
  assert.match((await config('check')).stdout, /no errors/)
  assert.doesNotMatch((await config('--help')).stdout, /\]\(#/)
})

test('reading leaves no data folder behind; the one that serve makes is its own', own, async (t) => {
  const home = tempDir()
  const { code, stderr } = await run('sh', ['-c', 'umask 002; exec "$0" list', directoryBin], { cwd: home, env: { HOME: home, III_URL: '' } })
  assert.equal(code, 0, stderr)
  const data = join(home, '.iii', 'directory')
  assert.equal(existsSync(data), false)
  const engine = await startEngine({ data, env: { HOME: home } })
  t.after(() => engine.stop())
  assert.equal(statSync(data).mode & 0o777, 0o700)
})

test('the soft limit of open files is raised; a hard one that is too low is an error', own, async (t) => {
  const shell = (limits, words) => start('bash', ['-c', `ulimit ${limits}; exec "$0" "$@"`, directoryBin, ...words], { env: { HOME: tempDir() } })
  const words = () => ['serve', '--port', '0', '--http-port', '0', '--data', tempDir()]
  for (const limit of [10, 16, 63]) {
    const end = await shell(`-n ${limit}`, words()).exit
    assert.equal(end.code, 1, `${limit}: ${end.signal} ${end.stderr}`)
    assert.match(end.stderr, new RegExp(`limit of open files is ${limit}, and at least 64 are needed`))
  }
  const raised = shell('-Sn 10', words())
  t.after(() => raised.stop())
  await raised.printed('stdout', /^ready/m)
  const few = shell('-n 100', words())
  t.after(() => few.stop())
  await few.printed('stdout', /^ready/m)
  await few.printed('stderr', /52 connections fit into the limit of 100 open files \(max_connections is 20000\)/)
})

test('health is not ok while writes are refused', own, async (t) => {
  const data = join(tempDir(), 'data')
  const engine = await startEngine({ data, env: { HOME: tempDir() } })
  t.after(() => engine.kill('SIGKILL'))
  const node = connect(t, sdks['0.22.1'], engine.url)
  await call(node, 'state::set', { scope: 's', key: 'k', value: 1 })
  assert.equal((await call(node, 'directory::health', {})).status, 'ok')
  assert.equal((await call(node, 'engine::health::check', {})).status, 'healthy')
  // The index of skills is written there some time after the start: into the folder while it is removed, or into one made for it.
  rmSync(data, { recursive: true, maxRetries: 5 })
  mkdirSync(data, { recursive: true })
  await failure(call(node, 'state::set', { scope: 's', key: 'k', value: 2 }))
  const health = await call(node, 'directory::health', {})
  assert.equal(health.status, 'degraded')
  assert.match(health.problem, /not stored/)
  assert.ok(!health.problem.includes(data))
  const engineHealth = await call(node, 'engine::health::check', {})
  assert.equal(engineHealth.status, 'unhealthy')
  assert.equal(engineHealth.components.store.status, 'unhealthy')
})

test('as a worker it says how many skills the filter hides, and doctor what depends on it', own, async (t) => {
  const files = { 'mail/SKILL.md': page, 'mail/send.md': page, 'notes/SKILL.md': page, 'top.md': page }
  const engine = await startEngine({ args: ['--engine-only'], env: { HOME: tempDir() } })
  t.after(() => engine.stop())
  connect(t, sdks['0.22.1'], engine.url, { workerName: 'notes' })
  const { proc, root } = await startDirectory(t, { engine, files, config: { filter_unregistered: true } })
  await proc.printed('stderr', /filter_unregistered hides \d of 4 skills, of \d workers? that (is|are) not installed: .*mail.*`filter_unregistered: false` shows all/)
  const doctor = (env) => run(directoryBin, ['doctor', '--skills', root], { cwd: tempDir(), env: { HOME: tempDir(), ...env } })
  assert.match((await doctor({})).stderr, /hides 3 skills while these workers are not installed: mail, notes\. `filter_unregistered: false` shows all/)
  assert.equal((await doctor({ III_DIRECTORY_FILTER_UNREGISTERED: 'false' })).stderr, '')
})

test('scripts/serve runs where you are, with your own folders; the examples come read-only beside them', async () => {
  const repository = tempDir()
  const cwd = tempDir()
  const program = (path, text) => {
    mkdirSync(dirname(join(repository, path)), { recursive: true })
    writeFileSync(join(repository, path), text, { mode: 0o755 })
  }
  program('scripts/serve', readFileSync(new URL('../../scripts/serve', import.meta.url)))
  program('scripts/setup', '#!/bin/sh\n')
  program('bin/cmake', '#!/bin/sh\n')
  program('build/build.ninja', '')
  program('build/iii-directory', '#!/bin/sh\necho "$PWD" "$@"\n')
  const { stdout, code } = await run(join(repository, 'scripts/serve'), ['--port', '0'], { cwd, env: { PATH: `${join(repository, 'bin')}:${process.env.PATH}` } })
  assert.equal(code, 0)
  assert.equal(stdout, `${cwd} serve --extra-skills ${repository}/examples/skills --port 0\n`)
})

test('serve shows the skills of the user and those of an extra folder; the former win, and downloads go there', own, async (t) => {
  const home = tempDir()
  put(join(home, '.iii/skills'), 'mine/SKILL.md', page)
  put(join(home, '.iii/skills'), 'notes/SKILL.md', '# My notes\n\nText.\n')
  const examples = tree({ 'notes/SKILL.md': '# Example\n\nText.\n', 'bus/SKILL.md': page })
  const shelf = await startShelf(t, { mail: { version: '1.0.0', skills: { 'SKILL.md': page } } })
  const env = { HOME: home, III_DIRECTORY_REGISTRY_URL: shelf.url, III_DIRECTORY_BUILTIN_DOCS: 'false' }
  const engine = await startEngine({ args: ['--extra-skills', examples], env })
  t.after(() => engine.stop())
  assert.equal((await run(directoryBin, ['install', 'mail'], { cwd: home, env })).code, 0)
  const node = connect(t, sdks['0.22.1'], engine.url)
  const { skills } = await call(node, 'directory::skills::list', {})
  assert.deepEqual(skills.map((s) => `${s.id} ${s.title}`), ['bus A', 'mail A', 'mine A', 'notes My notes'])
  assert.deepEqual(readdirSync(examples).sort(), ['bus', 'notes'])
})
