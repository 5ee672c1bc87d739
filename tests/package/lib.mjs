// Builds projects of strangers and tries the workers that come out.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { engineFor } from '../e2e/lib/engine.mjs'
import { built, directoryBin, start } from '../e2e/lib/process.mjs'
import { within } from '../e2e/lib/wait.mjs'

export const source = new URL('../..', import.meta.url).pathname.replace(/\/$/, '')
export const compiler = process.env.III_CXX
const longest = 540_000  // a machine with two busy cores and an empty ccache
export const flags = process.env.III_CXX_FLAGS ?? ''

/** A folder of the build that is empty now. Always the same one, so that ccache knows what is compiled in it. */
export function emptyFolder(name) {
  const folder = built('package-test', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Runs a program that must succeed; gives what it printed. */
export async function succeed(program, args, options) {
  const end = start(program, args, options).exit
  const { code, signal, stdout, stderr } = await within(end, `the end of ${program}`, longest)
  assert.equal(code, 0, `${program} ${args.join(' ')}: ${code ?? signal}\n${stdout}\n${stderr}`)
  return stdout
}

// What a stranger need not have cannot be found while the project is configured, neither by CMake nor by pkg-config.
const absent = ['GTest', 'CURL', 'SQLite3', 're2', 'yaml', 'md4c', 'utf8proc']
const env = { PKG_CONFIG_PATH: '', PKG_CONFIG_LIBDIR: '/nowhere' }

/** Configures and builds a project in a folder of its own. */
export async function buildProject(project, folder, settings, target) {
  const build = join(folder, 'build')
  const ccache = process.env.III_CCACHE ? [`-DCMAKE_CXX_COMPILER_LAUNCHER=${process.env.III_CCACHE}`] : []
  await succeed('cmake', ['-S', project, '-B', build, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Debug',
    `-DCMAKE_CXX_COMPILER=${compiler}`, `-DCMAKE_CXX_FLAGS=-O0 ${flags}`, '-DCMAKE_CXX_FLAGS_DEBUG=',
    ...ccache, ...absent.map((name) => `-DCMAKE_DISABLE_FIND_PACKAGE_${name}=ON`), ...settings], { env })
  await succeed('cmake', ['--build', build, '--target', target])
  return build
}

/** Starts the worker on an engine and calls one function of it. */
export async function answers(t, program, functionId, payload) {
  const engine = await engineFor(t, { args: ['--engine-only'] })
  const worker = start(program, [], { env: { III_URL: engine.url } })
  t.after(() => worker.stop())
  await worker.printed('stdout', /^ready$/m)
  const args = ['trigger', functionId, ...payload, '--address', engine.host, '--port', String(engine.port)]
  return { value: JSON.parse(await succeed(directoryBin, args)), worker }
}
