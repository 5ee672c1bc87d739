// The official Python client (PyPI `mcp`, pinned): tests/drivers/mcp_client.py does what a harness does, over both transports, in both dialects.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { needsOwnEngine } from './lib/engine.mjs'
import { stdioArgs } from './lib/mcp.mjs'
import { serveJobs } from './lib/mcp_jobs.mjs'
import { directoryBin, start } from './lib/process.mjs'
import { pythonWithPackages } from './lib/python.mjs'
import { within } from './lib/wait.mjs'

const script = fileURLToPath(new URL('../drivers/mcp_client.py', import.meta.url))
const versions = { auto: '2026-07-28', legacy: '2025-11-25' }

for (const transport of ['http', 'stdio'])
  for (const [mode, version] of Object.entries(versions))
    test(`N05 N34 N61 N78 Python, ${mode}, ${transport}: browse, read, prompt, progress, cancel, hear of edits`, { skip: needsOwnEngine }, async (t) => {
      const python = await pythonWithPackages()
      const { folder, jobs, where } = await serveJobs(t, transport)
      const process = where.args && { command: directoryBin, args: stdioArgs(folder, where.args), env: { HOME: folder.root } }
      const settings = { mode, version, folder: folder.root, ...(process ?? { url: where.url }) }
      const client = start(python, ['-W', 'ignore', script, JSON.stringify(settings)])
      t.after(() => client.kill('SIGKILL'))
      const { code, stdout, stderr } = await within(client.exit, 'the Python client', 90_000)
      assert.equal(code, 0, stderr)
      assert.match(stdout, /done/)
      assert.equal(await jobs.ends.next('the end of the job'), 'cancelled')
    })
