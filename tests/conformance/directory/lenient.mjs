// The read side once more, as it is out of the box: lenient, with normalised ids. What then differs from 0.8.0 in
// addition to ../directory-deviations.json is on a list of its own, so that no lenience comes or goes unnoticed.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEngine } from '../../e2e/lib/engine.mjs'

const at = (name) => fileURLToPath(new URL(name, import.meta.url))
const read = (name) => JSON.parse(readFileSync(at(name), 'utf8'))
const recordings = ['read-list', 'read-get', 'read-get-forms', 'read-index', 'read-prompts', 'read-live']

const folder = mkdtempSync(join(tmpdir(), 'iii-lenient-'))
const allowed = join(folder, 'allowed.json')
const own = read('../directory-lenient-deviations.json')
const listed = new Set(own.map((d) => `${d.file}:${d.line}`))
const both = read('../directory-deviations.json').filter((d) => recordings.includes(d.file) && !listed.has(`${d.file}:${d.line}`))
writeFileSync(allowed, JSON.stringify([...both, ...own]))

const engine = await startEngine({ args: ['--engine-only', '--no-worker-manager'] })
const replay = spawn(
  process.execPath,
  [
    at('replay.mjs'), '--worker', `'${process.env.III_DIRECTORY_BIN}' --config {config} --url {url}`, '--engine', engine.url,
    '--only', recordings.join(), '--allow', allowed, '--max', '400', ...process.argv.slice(2),
  ],
  // The compiled-in documents would be in every list; they have tests of their own.
  { stdio: 'inherit', env: { ...process.env, III_DIRECTORY_BUILTIN_DOCS: 'false' } },
)
const code = await new Promise((resolve) => replay.on('close', resolve))
await engine.stop()
rmSync(folder, { recursive: true })
process.exit(code ?? 1)
