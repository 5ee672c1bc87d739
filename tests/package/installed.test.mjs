// The SDK as it is installed: a project outside this repository finds it with CMake and with pkg-config.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { binDir } from '../e2e/lib/process.mjs'
import { answers, buildProject, compiler, emptyFolder, flags, source, succeed } from './lib.mjs'

const standalone = join(source, 'examples', 'standalone')
const prefix = join(emptyFolder('installed'), 'prefix')

test('the package is installed with everything that its headers include', async () => {
  await succeed('cmake', ['--install', binDir, '--prefix', prefix, '--component', 'iii-sdk'])
  assert.deepEqual(readdirSync(join(prefix, 'include')), ['iii'])
  const headers = readdirSync(join(prefix, 'include'), { recursive: true }).filter((name) => name.endsWith('.h'))
  assert.ok(headers.includes('iii/sdk/worker.h'))
  for (const header of headers) {
    const text = readFileSync(join(prefix, 'include', header), 'utf8')
    for (const [, included] of text.matchAll(/^\s*#\s*include\s+"([^"]+)"/gm))
      assert.ok(existsSync(join(prefix, 'include', included)), `${header} includes ${included}`)
  }
})

test('a project that uses find_package builds a worker that answers', async (t) => {
  const build = await buildProject(standalone, emptyFolder('found'), [`-DCMAKE_PREFIX_PATH=${prefix}`], 'shout_worker')
  const { value, worker } = await answers(t, join(build, 'shout_worker'), 'shout::say', ['--json', '"hello"'])
  assert.equal(value, 'HELLO!')
  await worker.stop()
  assert.equal(worker.out.stderr, worker.out.stderr.replace(/^(?!shout ).+$/gm, ''), 'every log line went to the sink')
})

test('a compiler that is told by pkg-config builds it too', async (t) => {
  const folder = emptyFolder('pkg-config')
  const env = { PKG_CONFIG_PATH: join(prefix, 'lib', 'pkgconfig') }
  const told = (await succeed('pkg-config', ['--cflags', '--libs', 'iii-sdk'], { env })).trim().split(/\s+/)
  const program = join(folder, 'shout_worker')
  const own = flags.split(' ').filter(Boolean)
  await succeed(compiler, ['-std=c++23', '-O0', ...own, join(standalone, 'shout_worker.cpp'), '-o', program, ...told])
  const { value } = await answers(t, program, 'shout::say', ['--json', '"hello"'])
  assert.equal(value, 'HELLO!')
})
