// Progress and cancellation of tools, end to end: an official client, our server, and a worker on the bus that hears of both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsOwnEngine } from './lib/engine.mjs'
import { clients } from './lib/mcp.mjs'
import { serveJobs } from './lib/mcp_jobs.mjs'
import { Inbox, eventually } from './lib/wait.mjs'

const names = ['http', 'stdio'].flatMap((transport) =>
  Object.keys(clients({ folder: { root: '/' }, ...(transport === 'http' && { url: 'http://x' }) })).map((name) => [transport, name]),
)

for (const [transport, name] of names)
  test(`N34 N36 N61 ${name}: a tool reports progress, another is cancelled`, { skip: needsOwnEngine }, async (t) => {
    const { folder, jobs, where } = await serveJobs(t, transport)
    const { connect: open, old } = clients({ folder, ...where })[name]
    const client = await open()
    t.after(() => client.close())
    const wrong = []
    client.onerror = (error) => wrong.push(String(error))
    const callTool = (params, options) => (old ? client.callTool(params, undefined, options) : client.callTool(params, options))
    await eventually('the tools', async () => (await client.listTools()).tools.some((tool) => tool.name === 'jobs__wait'))

    const steps = new Inbox()
    const counted = callTool({ name: 'jobs__count', arguments: { to: 3 } }, { onprogress: (step) => steps.push(step) })
    await steps.until((seen) => seen.length === 3, 'three steps')
    await callTool({ name: 'jobs__release', arguments: {} })
    assert.deepEqual((await counted).structuredContent, { counted: 3 })
    assert.deepEqual(steps.items.map((step) => [step.progress, step.total, step.message]), [[1, 3, 'step 1'], [2, 3, 'step 2'], [3, 3, 'step 3']])

    const running = new Inbox()
    const stop = new AbortController()
    const call = callTool({ name: 'jobs__wait', arguments: {} }, { signal: stop.signal, onprogress: (step) => running.push(step) })
    const rejected = assert.rejects(call)
    await running.next('the first progress')
    stop.abort()
    await rejected
    assert.equal(await jobs.ends.next('the end of the job'), 'cancelled')
    // Its late answer goes nowhere, and the client can go on.
    assert.match((await callTool({ name: 'read', arguments: { id: 'demo' } })).content[0].text, /Do it\./)
    // Progress that was on its way when the client cancelled finds nobody there.
    assert.deepEqual(wrong.filter((text) => !/abort|progress notification for an unknown token/i.test(text)), [])
  })
