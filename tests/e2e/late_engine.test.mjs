// Answers on an engine that records a call after it has forwarded it. What holding them back or repeating them costs is printed, not
// asserted: III_E2E_CALLS sets the number of calls that are timed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFile } from './lib/directory.mjs'
import { tempDir } from './lib/engine.mjs'
import { startLateEngine } from './lib/late_engine.mjs'
import { directoryBin, start } from './lib/process.mjs'
import { within } from './lib/wait.mjs'

const health = 'directory::health'

async function worker(t, options, config = {}) {
  const engine = await startLateEngine(t, options)
  const folders = { skills_folder: tempDir(), local_skills_folder: `${tempDir()}/none`, auto_download: false, filter_unregistered: false }
  const proc = start(directoryBin, ['--url', engine.url, '--config', configFile({ ...folders, ...config })], { env: { III_URL: '', III_TOKEN: '', HOME: tempDir() } })
  t.after(() => proc.stop())
  await within(engine.offered(health), 'the directory registers its functions')
  return engine
}

test('an answer that comes before its call is recorded is not lost', async (t) => {
  const engine = await worker(t, { isLate: (n) => n % 10 === 9 })
  for (let n = 0; n < 200; n++) {
    const answer = await within(engine.call(health, {}), `the answer to call ${n}`)
    assert.equal(answer.error, undefined)
  }
  assert.ok(engine.seen.dropped >= 20)
})

test('many at once', async (t) => {
  const engine = await worker(t, { isLate: (n) => n % 3 > 0 })
  const answers = await within(Promise.all(Array.from({ length: 300 }, () => engine.call(health, {}))), '300 answers')
  assert.equal(answers.filter((a) => a.error).length, 0)
})

test('what it costs when nothing is late', async (t) => {
  const engine = await worker(t)
  const times = []
  for (let n = 0; n < Number(process.env.III_E2E_CALLS ?? 500); n++) {
    const begun = performance.now()
    await within(engine.call(health, {}), 'an answer')
    times.push(performance.now() - begun)
  }
  times.sort((a, b) => a - b)
  const at = (share) => `${Math.round(times[Math.floor(times.length * share)] * 1000)} us`
  t.diagnostic(`${times.length} calls, one after the other: median ${at(0.5)}, 99 % ${at(0.99)}`)
})
