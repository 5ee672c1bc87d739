// Reading and examining a large tree takes a while: a terminal shows how far it is, a pipe gets nothing but the answer.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { tempDir } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'

const terminal = new URL('../drivers/terminal.py', import.meta.url).pathname
const files = 30_000
const root = tempDir()

before(() => {
  for (let i = 0; i < files; i++) {
    const folder = join(root, `ns${Math.floor(i / 500)}`)
    if (i % 500 === 0) mkdirSync(folder)
    writeFileSync(join(folder, `skill-${i}.md`), `---\ntitle: Skill ${i}\ndescription: Says what to do about case ${i}.\n---\n# Skill ${i}\n\nText.\n`)
  }
})

test('doctor: counts and time on a terminal, and the line is taken away again', async () => {
  const env = { HOME: tempDir(), TERM: 'xterm', NO_COLOR: '1', III_URL: '' }
  const end = await run('python3', [terminal, '80', '[]', directoryBin, 'doctor', root], { env })
  const { code, output } = JSON.parse(end.stdout)
  assert.equal(code, 0, output)
  assert.match(output, /\r\u001b\[Kreading folders \d+ files|\r\u001b\[Kscanning \[#*-*\] \d+ %, \d+ of \d+ files/)
  assert.match(output, new RegExp(`\\r\\u001b\\[K${files} files: ${files} skills`))
  for (const line of output.split(/[\r\n]/)) assert.ok(line.length <= 83 || !/scanning|reading/.test(line), line)
  const piped = await run(directoryBin, ['doctor', root], { env })
  assert.doesNotMatch(piped.stdout + piped.stderr, /reading|scanning|\u001b/)
})

test('list without an index: no progress in a pipe, and every row once', async () => {
  const env = { HOME: tempDir(), III_URL: '' }
  const { stdout, stderr } = await run(directoryBin, ['list', '--skills', root], { env })
  assert.equal(stderr, '')
  const ids = stdout.trimEnd().split('\n').map((line) => line.split('\t')[0])
  assert.equal(new Set(ids).size, ids.length)
  assert.equal(ids.filter((id) => id.startsWith('ns')).length, files)
  const json = JSON.parse((await run(directoryBin, ['list', '--json', '--skills', root], { env })).stdout)
  assert.deepEqual(json.skills.map((row) => row.id), ids)
  assert.deepEqual(Object.keys(json), ['skills'])
  const page = JSON.parse((await run(directoryBin, ['list', '--json', '--limit', '2', '--skills', root], { env })).stdout)
  assert.equal(page.skills.length, 2)
  assert.equal(typeof page.next_cursor, 'string')
})
