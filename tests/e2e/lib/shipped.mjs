// The tests that the SDKs ship and that want an engine (III_URL), run as published.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { built, start } from './process.mjs'
import { within } from './wait.mjs'

const sdk = 'iii-sdk==0.25.0'
// What the tests import beside the SDK.
const tools = ['pytest>=8,<10', 'pytest-asyncio>=1.2,<2', 'aiohttp>=3.9,<4']

async function must(program, args, cwd) {
  const { code, stdout, stderr } = await within(start(program, args, { cwd }).exit, `${program} ${args[0]}`, 240_000)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}${stdout}`)
}

/** Runs files of the tests in the source distribution of the PyPI SDK; resolves to {name: 'passed' | 'failed' | …}. */
export async function pythonTests(url, files) {
  const folder = built('python-shipped')
  const python = join(folder, 'bin', 'python')
  const done = join(folder, 'installed')
  const wanted = [sdk, ...tools].join('\n')
  if (!existsSync(done) || readFileSync(done, 'utf8') !== wanted) {
    await must('python3', ['-m', 'venv', '--clear', folder])
    const pip = (...args) => must(python, ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...args], folder)
    await pip('install', sdk, ...tools)
    await pip('download', '--no-deps', '--no-binary', ':all:', sdk)
    await must('tar', ['xzf', readdirSync(folder).find((name) => name.endsWith('.tar.gz'))], folder)
    writeFileSync(done, wanted)
  }
  const source = join(folder, readdirSync(folder).find((name) => name.startsWith('iii_sdk-') && !name.endsWith('.gz')))
  const args = ['-m', 'pytest', '-o', 'addopts=', '-o', 'asyncio_default_fixture_loop_scope=function', '-q', '-rA', '-p', 'no:cacheprovider', ...files.map((name) => `tests/${name}.py`)]
  const { stdout } = await within(start(python, args, { cwd: source, env: { III_URL: url, III_TOKEN: '', III_NAMESPACE: '', III_WORKER_NAME: '' } }).exit, 'pytest', 240_000)
  return Object.fromEntries([...stdout.matchAll(/^(PASSED|FAILED|ERROR) tests\/\w+\.py::(\S+)/gm)].map(([, verdict, name]) => [name, verdict]))
}

// A million calls: on a slow machine it takes longer than the 10 s after which the SDK reports statistics, and then fails by itself.
const skipped = ['a_million_unobserved_local_calls_put_nothing_on_the_wire']

/** The same with one test program of the crate. */
export async function rustTests(url, program) {
  const { stdout } = await within(start(program, ['--test-threads', '4', ...skipped.flatMap((name) => ['--skip', name])], { env: { III_URL: url, III_TOKEN: '', III_NAMESPACE: '', III_WORKER_NAME: '' } }).exit, program, 240_000)
  return Object.fromEntries([...stdout.matchAll(/^test (\w+) \.\.\. (\w+)$/gm)].map(([, name, verdict]) => [name, verdict === 'ok' ? 'PASSED' : 'FAILED']))
}
