// The read side once more, as it is out of the box: lenient, with normalised ids. What then differs from 0.8.0 in
// addition to ../directory-deviations.json, or in another way, is on a list of its own, so that no lenience comes or goes unnoticed.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readDeviations, writeDeviations } from '../lib/pins.mjs'

const at = (name) => fileURLToPath(new URL(name, import.meta.url))
const recordings = ['read-list', 'read-get', 'read-get-forms', 'read-index', 'read-prompts', 'read-live']

const folder = mkdtempSync(join(tmpdir(), 'iii-lenient-'))
const allowed = join(folder, 'allowed.json')
const place = (d) => `${d.file}:${d.line}`
const own = readDeviations(at('../directory-lenient-deviations.json'))
const strict = readDeviations(at('../directory-deviations.json')).filter((d) => recordings.includes(d.file))
const listed = new Set(own.map(place))
writeDeviations(allowed, [...strict.filter((d) => !listed.has(place(d))), ...own])

const replay = spawn(
  process.execPath,
  [
    at('replay.mjs'), '--worker', `'${process.env.III_DIRECTORY_BIN}' --config {config} --url {url}`,
    '--only', recordings.join(), '--allow', allowed, '--max', '400', ...process.argv.slice(2),
  ],
  // The compiled-in documents would be in every list; they have tests of their own.
  { stdio: 'inherit', env: { ...process.env, III_DIRECTORY_BUILTIN_DOCS: 'false' } },
)
const code = await new Promise((resolve) => replay.on('close', resolve))
if (process.argv.includes('--record')) {
  const both = new Map(strict.map((d) => [place(d), JSON.stringify(d)]))
  const order = (d) => recordings.indexOf(d.file) * 1e6 + d.line
  const rest = readDeviations(allowed).filter((d) => both.get(place(d)) !== JSON.stringify(d))
  writeDeviations(at('../directory-lenient-deviations.json'), rest.sort((a, b) => order(a) - order(b)))
}
rmSync(folder, { recursive: true })
process.exit(code ?? 1)
