// Verbs without an address use the server on this machine's usual port. The tests run in a network of their own, where that port is free
// and nobody else finds the server.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { configFile, tree } from './lib/directory.mjs'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'

// Starts a program when the loopback device of the new network is up (ioctl SIOCSIFFLAGS with IFF_UP and IFF_RUNNING).
const WITH_LOOPBACK = `import fcntl, os, socket, struct, sys
fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 0x41))
os.execvp(sys.argv[1], sys.argv[1:])`
// Root needs no user namespace for it, and gets none in a chroot.
const inOwnNetwork = (...argv) => [process.getuid() === 0 ? '-n' : '-rn', 'python3', '-c', WITH_LOOPBACK, ...argv]

function whyNot() {
  if (needsOwnEngine) return needsOwnEngine
  try {
    execFileSync('unshare', inOwnNetwork('true'), { stdio: 'pipe' })
    return false
  } catch (error) {
    return `left out: this machine does not give a process a network of its own (${String(error.stderr ?? error.message).trim()})`
  }
}

if (!process.env.III_OWN_NETWORK) {
  test('in a network of its own', { skip: whyNot() }, async () => {
    const argv = [process.execPath, '--test', '--test-reporter=spec', fileURLToPath(import.meta.url)]
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    try {
      execFileSync('unshare', inOwnNetwork(...argv), { env: { ...env, III_OWN_NETWORK: '1' }, stdio: 'pipe' })
    } catch (error) {
      assert.fail(String(error.stdout))
    }
  })
} else {
  const skill = '---\nname: one\ndescription: About one.\n---\n# One\n\nText.\n'

  /** What a caller with an empty home sees and does. */
  function caller() {
    const home = tempDir()
    const env = { HOME: home, III_URL: '', III_TOKEN: '', NO_COLOR: '1' }
    const cli = async (...words) => {
      const end = await run(directoryBin, words, { cwd: home, env })
      return { ...end, all: end.stdout + end.stderr }
    }
    return { home, cli }
  }

  async function serveOnUsualPort(t, args = []) {
    const folder = tree({ 'there/SKILL.md': skill.replaceAll('one', 'there') })
    const settings = { skills_folder: folder, local_skills_folder: join(tempDir(), 'none'), builtin_docs: false }
    const server = await startEngine({ port: 49134, args: args.length ? args : ['--config', configFile(settings)], env: { HOME: tempDir() } })
    t.after(() => server.stop())
    return folder
  }

  test('reading and writing verbs use the server that is found, and say so', async (t) => {
    const folder = await serveOnUsualPort(t)
    const { home, cli } = caller()
    assert.match((await cli('list')).stdout, /^there\t/)
    const installed = () => readdirSync(folder).filter((name) => !name.startsWith('.'))
    const verified = await cli('verify')
    assert.equal(verified.code, 0, verified.stderr)
    assert.match(verified.all, /server ws:\/\/127\.0\.0\.1:49134/)
    const removed = await cli('remove', 'there', '--yes')
    assert.equal(removed.code, 1)
    assert.match(removed.stderr, /D310 .*there/)
    assert.deepEqual(installed(), ['there'])
    // A folder of the caller is not read by a server that was only found: this process does it, in its own folder.
    const source = tree({ 'one/SKILL.md': skill })
    const added = await cli('add', source)
    assert.equal(added.code, 0, added.stderr)
    assert.match(added.all, new RegExp(join(home, '.iii', 'skills', 'one')))
    assert.deepEqual(installed(), ['there'])
    assert.ok(existsSync(join(home, '.iii', 'skills', 'one', 'SKILL.md')))
    const named = await cli('verify', '--skills', join(home, '.iii', 'skills'))
    assert.match(named.stdout, /one: 1 intact/)
    assert.doesNotMatch(named.all, /server ws:/)
  })

  test('what this process does with its own sources is not said to be the server\'s work', async (t) => {
    const { home, cli } = caller()
    const source = tree({ 'one/SKILL.md': skill, 'two/SKILL.md': skill.replaceAll('one', 'two') })
    await serveOnUsualPort(t, ['--skills', join(home, '.iii', 'skills')])
    assert.equal((await cli('add', source, '--all')).code, 0)
    writeFileSync(join(source, 'one', 'SKILL.md'), skill + 'More.\n')
    for (const words of [['outdated'], ['update']]) assert.doesNotMatch((await cli(...words)).all, /server ws:/, words[0])
    assert.equal(readFileSync(join(home, '.iii', 'skills', 'one', 'SKILL.md'), 'utf8'), skill + 'More.\n')
  })

  test('an engine without a directory is not asked', async (t) => {
    await serveOnUsualPort(t, ['--engine-only'])
    const { home, cli } = caller()
    const added = await cli('add', tree({ 'one/SKILL.md': skill }))
    assert.equal(added.code, 0, added.stderr)
    const listed = await cli('list')
    assert.match(listed.stdout, /^one\t/m)
    const verified = await cli('verify')
    assert.match(verified.stdout, /one: 1 intact/)
    assert.ok(existsSync(join(home, '.iii', 'skills', 'one')))
  })
}
