// The official MCP conformance suite (npm, pinned) against `serve`.
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { test } from 'node:test'
import { needsOwnEngine, startEngine, tempDir } from './lib/engine.mjs'
import { registerFixtures, skillsFolder } from './lib/mcp_fixtures.mjs'
import { start } from './lib/process.mjs'
import { within } from './lib/wait.mjs'

const suite = fileURLToPath(new URL('./node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url))
const skillScenarios = ['sep-2640-skills-enumeration', 'sep-2640-skills-directory', 'sep-2640-skills-manifest']

const runs = [
  ['--requirements', '2025-11-25'],
  ['--requirements', '2026-07-28'],
  ['--suite', 'active'],
  ['--suite', 'draft'],
  ...skillScenarios.map((name) => ['--scenario', name]),
  ...skillScenarios.map((name) => ['--scenario', name, '--spec-version', '2025-11-25', '--force']),
]

test('the official conformance suite', { skip: needsOwnEngine }, async (t) => {
  const config = join(tempDir(), 'config.yaml')
  writeFileSync(config, 'mcp_tools: all\n')
  const engine = await startEngine({ args: ['--skills', skillsFolder(), '--config', config] })
  t.after(() => engine.stop())
  await registerFixtures(t, engine)
  for (const words of runs)
    await t.test(words.join(' '), async () => {
      const results = mkdtempSync(join(tempDir(), 'results-'))
      const argv = [suite, 'server', '--url', `${engine.http}/mcp`, ...words, '-o', results]
      const { code, stdout, stderr } = await within(start(process.execPath, argv).exit, 'the suite', 200_000)
      assert.equal(code, 0, `${stdout}\n${stderr}`.split('\n').slice(-80).join('\n'))
    })
})
