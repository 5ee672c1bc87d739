// The command line of the MCP Inspector (npm, pinned) against stdio and HTTP, in both protocol eras: `--verify` reads every
// file of every skill and compares digests, `--strict` judges the schemas of tools.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { skillsFolder, stdioArgs } from './lib/mcp.mjs'
import { directoryBin, start } from './lib/process.mjs'
import { within } from './lib/wait.mjs'

const inspector = fileURLToPath(new URL('./node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js', import.meta.url))

async function inspect(words) {
  const argv = [inspector, ...words, '--format', 'json']
  return within(start(process.execPath, argv, { env: { HOME: tempDir() } }).exit, 'the inspector', 90_000)
}

/** The words of its command line that name our server. */
async function target(t, transport, folder) {
  if (transport === 'stdio') return [directoryBin, ...stdioArgs(folder, ['--tools', 'all']), '--transport', 'stdio', '-e', `HOME=${folder.root}`]
  const config = join(tempDir(), 'config.yaml')
  writeFileSync(config, 'mcp_tools: all\n')
  const engine = await startEngine({ args: ['--skills', folder.root, '--config', config], env: { HOME: folder.root } })
  t.after(() => engine.stop())
  return [`${engine.http}/mcp`, '--transport', 'http']
}

for (const transport of ['stdio', 'http'])
  for (const era of ['legacy', 'modern'])
    test(`N68 Inspector, ${transport}, ${era}: --verify and --strict are clean`, { skip: transport === 'http' && needsOwnEngine }, async (t) => {
      const folder = skillsFolder()
      // N68: what may be changed on the way, byte for byte.
      folder.put('odd/SKILL.md', '---\r\nname: odd\r\ndescription: Odd bytes.\r\n---\r\nText.\r\n')
      folder.put('odd/bom.md', '\ufeff# With a byte order mark\n')
      folder.put('odd/empty.txt', '')
      folder.put('odd/no-newline.txt', 'x')
      folder.put('odd/latin.txt', Buffer.from([0x66, 0xfc, 0x72]))
      folder.put('odd/a & ü %41 [1].txt', 'odd name\n')
      const words = [...(await target(t, transport, folder)), '--protocol-era', era]

      const verified = await inspect([...words, '--method', 'skills/list', '--verify', '--require-digests'])
      assert.equal(verified.code, 0, `${verified.stdout}${verified.stderr}`)
      const reports = verified.stdout.trim().split('\n').map((line) => JSON.parse(line))
      assert.deepEqual(
        reports.filter((each) => !each.name.startsWith('iii')).map((each) => [each.uri, each.outcome, each.files.length]),
        [
          ['skill://demo/SKILL.md', 'verified', 3],
          ['skill://ns/other-one/SKILL.md', 'verified', 1],
          ['skill://odd/SKILL.md', 'verified', 6],
        ],
      )
      for (const { conformance, frontmatter, files } of reports) {
        assert.deepEqual([...conformance, ...frontmatter], [])
        assert.ok(files.every((file) => file.status === 'verified'))
      }

      const strict = await inspect([...words, '--method', 'tools/list', '--strict'])
      assert.equal(strict.code, 0, strict.stderr)
      assert.doesNotMatch(strict.stderr, /^(Warning|Error): /m) // exit 0 allows warnings
      const { tools } = JSON.parse(strict.stdout).result ?? JSON.parse(strict.stdout)
      assert.ok(tools.length > 10)
    })
