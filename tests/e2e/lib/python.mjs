// A Python with the published SDK of requirements.txt, installed once per build folder.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { built, start } from './process.mjs'
import { within } from './wait.mjs'

async function must(program, args) {
  const { code, stderr } = await within(start(program, args).exit, `${program} ${args.join(' ')}`, 240_000)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`)
}

export async function pythonWithSdk() {
  const folder = built('python-sdk')
  const python = join(folder, 'bin', 'python')
  const done = join(folder, 'installed')
  if (!existsSync(done)) {
    await must('python3', ['-m', 'venv', '--clear', folder])
    const wanted = fileURLToPath(new URL('../requirements.txt', import.meta.url))
    await must(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', wanted])
    writeFileSync(done, '')
  }
  return python
}
