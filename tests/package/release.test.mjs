// What cpack makes of the release build: the tarball for the iii worker manager, the Debian packages, and the debug symbols of both.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { binDir } from '../e2e/lib/process.mjs'
import { emptyFolder, source, succeed } from './lib.mjs'

const program = join(binDir, 'package', 'iii-directory')
const env = { SOURCE_DATE_EPOCH: '1700000000' }

/** The packages of one kind, in a folder of their own. */
async function pack(generator) {
  const folder = emptyFolder(`release-${generator}`)
  await succeed('cpack', ['-G', generator, '--config', join(binDir, 'CPackConfig.cmake'), '-B', folder], { env, cwd: binDir })
  return folder
}

/** The pages of the repository are there, and lead nowhere that is not; so are the schemas of --json. */
async function documentsAreWhole(folder) {
  for (const page of readdirSync(join(source, 'docs')).filter((name) => name.endsWith('.md')))
    assert.ok(existsSync(join(folder, 'docs', page)), page)
  await succeed(join(source, 'tests', 'checks', 'links.py'), [folder])
  const pictures = readFileSync(join(folder, 'README.md'), 'utf8').match(/docs\/images\/[\w.-]+/g)
  for (const picture of pictures) assert.ok(existsSync(join(folder, picture)), picture)
  assert.ok(JSON.parse(readFileSync(join(folder, 'docs/cli/list.schema.json'), 'utf8')).properties.skills)
}

/** A manual page for the program and for each verb that `help` lists. */
async function manualIsWhole(folder) {
  const verbs = [...(await succeed(program, ['help'])).matchAll(/^  ([a-z]+) {2,}/gm)].map((match) => match[1])
  assert.ok(verbs.includes('serve') && verbs.includes('add'), verbs.join())
  const wanted = ['iii-directory.1', ...verbs.map((verb) => `iii-directory-${verb}.1`)]
  assert.deepEqual(readdirSync(folder).sort(), wanted.sort())
}

/** The file is what the packed program prints for this shell. */
async function completes(shell, file) {
  assert.equal(readFileSync(file, 'utf8'), await succeed(program, ['completion', shell]))
}

const buildId = async (file) => (await succeed('readelf', ['--notes', file])).match(/Build ID: ([0-9a-f]+)/)[1]

test('the program has no symbols, and its build id leads to them', async () => {
  const id = await buildId(program)
  const debug = join(binDir, 'package', 'debug', '.build-id', id.slice(0, 2), `${id.slice(2)}.debug`)
  assert.equal(await buildId(debug), id)
  const sections = await succeed('readelf', ['--sections', '--wide', program])
  assert.doesNotMatch(sections, / \.debug_| \.symtab /)
  assert.match(sections, / \.gnu_debuglink /)
  assert.match(await succeed('nm', [debug]), /^[0-9a-f]+ T main$/m) // scripts/package builds line tables, too
})

test('the worker manager installs and starts the worker of the tarball', async () => {
  const folder = await pack('TGZ')
  const [worker] = readdirSync(folder).filter((name) => /^iii-directory-[a-z0-9_]+-unknown-linux-gnu(eabihf)?\.tar\.gz$/.test(name))
  assert.ok(worker, readdirSync(folder).join())
  assert.match(await succeed(join(source, 'packaging', 'try_tarball'), [join(folder, worker)]), /^installed and answered/m)
  const unpacked = emptyFolder('release-tarball')
  await succeed('tar', ['-xzf', join(folder, worker), '-C', unpacked])
  await documentsAreWhole(unpacked)
  await manualIsWhole(join(unpacked, 'man'))
  for (const [shell, name] of [['bash', 'iii-directory.bash'], ['zsh', '_iii-directory'], ['fish', 'iii-directory.fish']])
    await completes(shell, join(unpacked, 'completion', name))
  const debug = (await succeed('tar', ['-tzf', join(folder, worker.replace('.tar', '-debug.tar'))])).trim().split('\n')
  assert.match(debug.at(-1), /^lib\/debug\/\.build-id\/..\/[0-9a-f]+\.debug$/)
})

test('the Debian package asks for what the program needs at run time, and the symbols have one of their own', async () => {
  const folder = await pack('DEB')
  const packages = readdirSync(folder).filter((name) => name.endsWith('.deb')).sort()
  assert.equal(packages.length, 2, packages.join())
  const field = async (file, name) => (await succeed('dpkg-deb', ['--field', join(folder, file), name])).trim()
  const [symbols, main] = packages
  assert.equal(await field(symbols, 'Package'), 'iii-directory-dbgsym')
  assert.equal(await field(main, 'Package'), 'iii-directory')
  const architecture = (await succeed('dpkg', ['--print-architecture'])).trim()
  for (const file of packages) assert.equal(await field(file, 'Architecture'), architecture)
  const depends = (await field(main, 'Depends')).split(', ').map((entry) => entry.split(' ')[0])
  for (const name of ['adduser', 'ca-certificates', 'git', 'libc6', 'libcurl4', 'libssl3']) assert.ok(depends.includes(name), name)
  const told = readFileSync(join(source, 'packaging', 'INSTALL.md'), 'utf8').match(/^apt install (.*)$/m)[1].split(' ')
  const packagesOnly = ['adduser', 'init-system-helpers', 'libc6', 'libgcc-s1']  // every system has the last two
  const needed = depends.filter((name) => !packagesOnly.includes(name))
  assert.deepEqual(told.sort(), needed.sort(), 'packaging/INSTALL.md names what the program needs')
  assert.equal(await field(symbols, 'Depends'), `iii-directory (= ${await field(main, 'Version')})`)
  const unpacked = emptyFolder('release-debian')
  await succeed('dpkg-deb', ['--extract', join(folder, main), unpacked])
  const share = join(unpacked, 'usr', 'share')
  await documentsAreWhole(join(share, 'doc', 'iii-directory'))
  await manualIsWhole(join(share, 'man', 'man1'))
  await completes('bash', join(share, 'bash-completion', 'completions', 'iii-directory'))
  await completes('zsh', join(share, 'zsh', 'vendor-completions', '_iii-directory'))
  await completes('fish', join(share, 'fish', 'vendor_completions.d', 'iii-directory.fish'))
})
