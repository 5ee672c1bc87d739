// What the command line says when something is missing or not there: the words that were typed, and what to do.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tree } from './lib/directory.mjs'
import { tempDir } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'

async function fails(words, { code = 1, cwd = tempDir() } = {}) {
  const end = await run(directoryBin, words, { cwd, env: { HOME: tempDir(), III_URL: '' } })
  assert.equal(end.code, code, end.stderr)
  assert.equal(end.stdout, '')
  return end.stderr
}

test('add: a folder that is not there, that is a file, that has no skill', async () => {
  const cwd = tempDir()
  mkdirSync(join(cwd, 'skills'))
  writeFileSync(join(cwd, 'file'), '')
  assert.match(await fails(['add', './x'], { cwd }), /there is no folder \.\/x \(.*\/x\)\. Next:/)
  assert.match(await fails(['add', './skillz'], { cwd }), /there is no folder \.\/skillz .*Did you mean skills\?/)
  assert.match(await fails(['add', './skills@pdf'], { cwd }), /there is no folder \.\/skills@pdf .*Did you mean `\.\/skills --skill pdf`\?/s)
  assert.match(await fails(['add', './file'], { cwd }), /\.\/file is not a folder/)
  const empty = await fails(['add', './skills'], { cwd })
  assert.match(empty, /the folder has no SKILL\.md/)
  assert.doesNotMatch(empty, /repository|--ref/)
})

test('add: a host that cannot be found is named', async () => {
  assert.match(await fails(['add', 'https://nobody.invalid/a/b']), /the host of the repository was not found, or is not a public address\. Next: check the repo URL/)
})

test('show: a name that does not exist is answered without waiting for an engine that is not there', async () => {
  const root = tree({ 'greeting/SKILL.md': '# Greeting\n\nText.\n' })
  // Longer than a test may take.
  const env = { HOME: tempDir(), III_URL: '', III_DIRECTORY_WORKER_LIST_TIMEOUT_MS: '86400000' }
  const end = await run(directoryBin, ['show', 'greting', '--skills', root], { env })
  assert.equal(end.code, 1)
  assert.match(end.stderr, /greeting/)
})

test('-v: the version is -V', async () => {
  assert.match(await fails(['-v'], { code: 2 }), /unexpected argument '-v'\. Did you mean -V \(--version\)\?/)
})

test('prompt: arguments without a value are named', async () => {
  const root = tree({ 'prompts/explain.md': '---\ndescription: d\n---\nExplain {{topic}} to {{who}}. $ARGUMENTS\n' })
  const prompt = (...words) => run(directoryBin, ['prompt', 'explain', ...words, '--skills', root], { env: { HOME: tempDir() } })
  const none = await prompt()
  assert.equal(none.code, 0)
  assert.match(none.stdout, /Explain \{\{topic\}\}/)
  assert.equal(none.stderr, 'Warning: no value for topic, who. Next: `iii-directory prompt explain topic=… who=…`\n')
  assert.match((await prompt('topic=x')).stderr, /no value for who\. /)
  assert.equal((await prompt('topic=x', 'who=y')).stderr, '')
})

test('what to do next is a command that exists for it', async () => {
  const root = tree({ 'a/SKILL.md': '# A\n\nText.\n' })
  assert.match(await fails(['show', 'a', '--file', 'nope', '--skills', root]), /D114 .* Next: `iii-directory show a --files` lists what it has\./)
  const why = await run(directoryBin, ['why', 'q7q7q7q7', '--skills', root], { env: { HOME: tempDir() } })
  assert.match(why.stderr, /`iii-directory search` .*`iii-directory registry search`/)
})

test('outdated: an edit of what came from a folder, which has no version', async () => {
  const source = tree({ 'one/SKILL.md': '# One\n\nText.\n' })
  const folder = tempDir()
  const cli = (...words) => run(directoryBin, [...words, '--skills', folder], { env: { HOME: tempDir() } })
  assert.equal((await cli('add', source)).code, 0)
  writeFileSync(join(folder, 'one', 'SKILL.md'), 'mine')
  writeFileSync(join(source, 'one', 'SKILL.md'), '# One\n\nNewer.\n')
  await cli('update')
  assert.match((await cli('outdated')).stdout, /kept {4}SKILL\.md \(edited here, older than its source; update --force replaces it\)/)
})

test('version: its own, also when the server that was named is away', async () => {
  const { code, stdout, stderr } = await run(directoryBin, ['version', '--url', 'ws://127.0.0.1:1'], { env: { HOME: tempDir() } })
  assert.equal(code, 1)
  assert.match(stdout, /^iii-directory \d+\.\d+\.\d+ /)
  assert.match(stderr, /Cannot reach an engine/)
})
