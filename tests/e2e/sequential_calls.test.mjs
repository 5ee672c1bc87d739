// One caller, one worker that answers at once, one call after the other: every call gets its answer.
// III_E2E_CALLS=1000000 for the long form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFor } from './lib/engine.mjs'
import { RawPeer } from './lib/raw.mjs'
import { unique } from './lib/sdks.mjs'
import { deadlineMs, deferred } from './lib/wait.mjs'

const calls = Number(process.env.III_E2E_CALLS ?? 20_000)

test(`${calls} calls one after the other get ${calls} answers`, async (t) => {
  const { url } = await engineFor(t)
  const [caller, worker] = await Promise.all([RawPeer.open(url, { name: unique('caller') }), RawPeer.open(url, { name: unique('worker') })])
  const id = unique('now')
  worker.register(id)
  await worker.barrier()
  // Plain listeners from here on: the inboxes would keep a million frames.
  for (const peer of [caller, worker]) peer.ws.removeAllListeners('message')
  worker.ws.on('message', (data) => {
    const { invocation_id, data: n } = JSON.parse(data)
    worker.ws.send(`{"type":"invocationresult","invocation_id":"${invocation_id}","function_id":"${id}","result":${n}}`)
  })
  const done = deferred()
  let answered = 0
  const next = () => caller.invoke(id, answered)
  let open
  caller.ws.on('message', (data) => {
    const { invocation_id, result, error } = JSON.parse(data)
    if (invocation_id !== open || result !== answered) return done.reject(new Error(`call ${answered}: ${JSON.stringify({ result, error })}`))
    if (++answered === calls) done.resolve()
    else open = next()
  })
  // How long all of them take depends on the machine: only a call without an answer ends it.
  let before = -1
  const stuck = setInterval(() => {
    if (answered === before) done.reject(new Error(`still waiting for the answer to call ${answered}`))
    before = answered
  }, deadlineMs)
  t.after(() => clearInterval(stuck))
  open = next()
  await done.promise
  assert.equal(answered, calls)
  await Promise.all([caller.end(), worker.end()])
})
