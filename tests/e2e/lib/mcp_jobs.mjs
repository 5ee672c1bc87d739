// Functions on the bus that take their time: one reports progress and ends when it is released (clients drop progress that
// arrives together with the answer), one runs until its request is cancelled.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEngine, tempDir } from './engine.mjs'
import { skillsFolder } from './mcp.mjs'
import { call, callable, connect, sdks } from './sdks.mjs'
import { Inbox, deferred, eventually } from './wait.mjs'

/** Registers them; `ends` gets what the cancelled function heard. */
async function registerJobs(t, url) {
  const worker = connect(t, sdks['0.22.1'], url, { workerName: 'jobs' })
  const ends = new Inbox()
  const say = ({ request, tell }, message) => call(worker, tell, { request, ...message })
  const released = deferred()
  worker.registerFunction('jobs::release', async () => void released.resolve(), { description: 'Lets jobs::count end.' })
  const metadata = { mcp: { context: true } }
  worker.registerFunction('jobs::count', async ({ to, _mcp }) => {
    for (let progress = 1; progress <= to; ++progress) await say(_mcp, { progress, total: to, message: `step ${progress}` })
    await released.promise
    return { counted: to }
  }, { description: 'Counts.', metadata, request_format: { type: 'object', properties: { to: { type: 'integer' } } } })
  worker.registerFunction('jobs::wait', async ({ _mcp }) => {
    let progress = 0
    const refused = await eventually('a cancellation', async () => {
      try {
        await say(_mcp, { progress: ++progress })
      } catch (error) {
        return error
      }
    })
    ends.push(refused.code ?? refused.message)
    return 'too late'
  }, { description: 'Runs until it is cancelled.', metadata })
  await callable(worker, 'jobs::count', 'jobs::release', 'jobs::wait')
  return { worker, ends }
}

/** An engine with the jobs, and how to reach it: over HTTP, or by a process that connects to it. */
export async function serveJobs(t, transport) {
  const folder = skillsFolder()
  const config = join(tempDir(), 'config.yaml')
  writeFileSync(config, 'mcp_tools: all\n')
  const engine = await startEngine({ args: ['--skills', folder.root, '--config', config], env: { HOME: folder.root } })
  t.after(() => engine.stop())
  const jobs = await registerJobs(t, engine.url)
  const where = transport === 'http' ? { url: `${engine.http}/mcp` } : { args: ['--url', engine.url, '--tools', 'all'] }
  return { folder, jobs, where }
}
