// The worker of the published crate (tests/drivers/rust), built once and kept: what Cargo compiles is in the user's cache folder, so that another
// build folder does not compile it again. `left out` says why not where there is no suitable Cargo.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { built, start } from './process.mjs'
import { within } from './wait.mjs'

const project = fileURLToPath(new URL('../../drivers/rust', import.meta.url))
const oldest = [1, 85] // the `rust-version` of the crate
const PATH = [process.env.PATH, join(homedir(), '.cargo', 'bin')].join(delimiter)
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'iii-directory', 'cargo')
const env = { PATH, CARGO_TARGET_DIR: cache, CARGO_PROFILE_DEV_DEBUG: '0', CARGO_TERM_COLOR: 'never' }

function missing() {
  const { stdout } = spawnSync('cargo', ['--version'], { env: { ...process.env, PATH }, encoding: 'utf8' })
  const version = stdout?.match(/^cargo (\d+)\.(\d+)/)
  if (!version) return 'left out: cargo is not installed, so the crate cannot be built'
  const [major, minor] = version.slice(1).map(Number)
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    return `left out: cargo ${major}.${minor} is installed, and the crate needs ${oldest.join('.')}`
  return false
}

/** For the `skip` option of tests: false, or a sentence. */
export const withoutRust = missing()

async function cargo(cwd, args) {
  const { code, stdout, stderr } = await within(start('cargo', args, { cwd, env }).exit, `cargo ${args[0]}`, 900_000)
  if (code !== 0) throw new Error(`cargo ${args.join(' ')} failed: ${stderr}\n${stdout}`)
  return stdout
}

const withoutSources = (lock) => lock.replace(/^source = .*\n/gm, '')

/** Adds the `source` lines, which name the registry of this machine: Cargo itself says what it is called. */
async function completeLock(folder) {
  const lock = join(folder, 'Cargo.lock')
  const wanted = readFileSync(join(project, 'Cargo.lock'), 'utf8')
  if (existsSync(lock) && withoutSources(readFileSync(lock, 'utf8')) === wanted) return
  rmSync(lock, { force: true })
  await cargo(folder, ['generate-lockfile', '--quiet'])
  const [source] = readFileSync(lock, 'utf8').match(/^source = .*\n/m)
  writeFileSync(lock, wanted.replace(/^checksum = /gm, (checksum) => source + checksum))
}

/** The project outside the source tree, with a complete lock file. */
async function checkout() {
  const folder = built('rust-sdk', 'observer_worker')
  mkdirSync(folder, { recursive: true })
  for (const part of ['Cargo.toml', 'src']) cpSync(join(project, part), join(folder, part), { recursive: true, preserveTimestamps: true })
  await completeLock(folder)
  return folder
}

/** The program; the first call on a machine compiles about 200 crates. */
export async function rustWorker() {
  const folder = await checkout()
  await cargo(folder, ['build', '--locked', '--quiet'])
  const program = built('rust-sdk', 'program')
  // In one step: another test may start the program now, and a file that is being written cannot be started.
  cpSync(join(cache, 'debug', 'observer_worker'), `${program}.${process.pid}`)
  renameSync(`${program}.${process.pid}`, program)
  return program
}

/** The tests that the crate ships, which take the address of an engine from III_URL: their programs, by name. */
export async function shippedTests(names) {
  const worker = await checkout()
  const { packages } = JSON.parse(await cargo(worker, ['metadata', '--locked', '--format-version', '1']))
  const { manifest_path } = packages.find((one) => one.name === 'iii-sdk')
  const folder = built('rust-sdk', 'iii-sdk')
  // Outside the registry it is a package of its own, with the lock file that was published with it.
  cpSync(join(manifest_path, '..'), folder, { recursive: true, preserveTimestamps: true })
  const targets = names.flatMap((name) => ['--test', name])
  const lines = await cargo(folder, ['test', '--locked', '--no-run', '--quiet', '--message-format', 'json', ...targets])
  const programs = {}
  for (const line of lines.split('\n').filter(Boolean)) {
    const { executable, target } = JSON.parse(line)
    if (executable) programs[target.name] = executable
  }
  return programs
}
