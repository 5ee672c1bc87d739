// A Python with the published packages of requirements.txt, installed once per build folder. Tests that use it have the same
// RESOURCE_LOCK, so that they do not install it at the same time.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { built, start } from './process.mjs'
import { within } from './wait.mjs'

async function must(program, args) {
  const { code, stderr } = await within(start(program, args).exit, `${program} ${args.join(' ')}`, 240_000)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`)
}

export async function pythonWithPackages() {
  const folder = built('python-sdk')
  const python = join(folder, 'bin', 'python')
  const done = join(folder, 'installed')
  const wanted = fileURLToPath(new URL('../requirements.txt', import.meta.url))
  const versions = readFileSync(wanted, 'utf8')
  if (!existsSync(done) || readFileSync(done, 'utf8') !== versions) {
    await must('python3', ['-m', 'venv', '--clear', folder])
    await must(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', wanted])
    writeFileSync(done, versions)
  }
  return python
}
