// A small engine that records a call only after it has forwarded it, and drops an answer that comes in between, as the public one does.
// There the gap is short and depends on the scheduler; here it lasts until the first answer has been dropped.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'

const { WebSocketServer } = createRequire(import.meta.url)('ws')

/** isLate(n): whether the n-th call is recorded too late for its first answer. */
export async function startLateEngine(t, { isLate = () => false } = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  t.after(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const owners = new Map()
  const pending = new Map()
  const unrecorded = new Map()
  const waiting = new Set()
  const seen = { forwarded: 0, dropped: 0 }

  server.on('connection', (socket) => {
    const send = (frame) => socket.send(JSON.stringify(frame))
    const handle = {
      registerfunction: ({ id }) => {
        owners.set(id, socket)
        for (const look of [...waiting]) look()
      },
      invokefunction: ({ invocation_id, function_id }) => {
        if (!invocation_id) return
        const reply = { type: 'invocationresult', invocation_id, function_id }
        if (function_id === 'engine::workers::register') send({ ...reply, result: { success: true } })
        else send({ ...reply, error: { code: 'function_not_found', message: `Function ${function_id} not found` } })
      },
      invocationresult: (frame) => {
        const id = frame.invocation_id
        const resolve = pending.get(id)
        pending.delete(id)
        if (resolve) return resolve(frame)
        seen.dropped++
        if (unrecorded.has(id)) pending.set(id, unrecorded.get(id))
        unrecorded.delete(id)
      },
    }
    socket.on('message', (data) => {
      const frame = JSON.parse(data)
      handle[frame.type]?.(frame)
    })
    send({ type: 'workerregistered', worker_id: randomUUID(), reattach_token: randomUUID() })
  })

  return {
    url: `ws://127.0.0.1:${server.address().port}`,
    seen,
    /** Resolves when a worker has registered the function. */
    offered: (id) =>
      new Promise((resolve) => {
        const look = () => owners.has(id) && waiting.delete(look) | resolve()
        waiting.add(look)
        look()
      }),
    /** Resolves to the answer, or never. */
    call: (function_id, data) =>
      new Promise((resolve) => {
        const invocation_id = randomUUID()
        owners.get(function_id).send(JSON.stringify({ type: 'invokefunction', invocation_id, function_id, data }))
        const calls = isLate(seen.forwarded++) ? unrecorded : pending
        calls.set(invocation_id, resolve)
      }),
  }
}
