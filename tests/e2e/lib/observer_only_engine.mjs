// A small engine of the kind that is to come: observers, and no triggers. It ignores trigger frames without a word, and does not know the
// functions about them. Just enough for one worker under test; filters are not evaluated.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { eventually } from './wait.mjs'

const { WebSocketServer } = createRequire(import.meta.url)('ws')

/** `functions`: {id: (data) => result}, what the engine (or another worker on it) answers; may be changed while it runs. */
export async function startObserverOnlyEngine(t, functions = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  t.after(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const asked = [] // ids of functions, in the order of the calls
  const observers = new Map() // what the worker observes, by id
  const observes = [] // every `observe` and `unobserve` frame
  const registered = new Map() // function id → socket
  const waiting = new Map() // invocation id → what to do with the answer
  const listeners = new Map() // function id → observer of the test
  const triggerFrames = []

  const invoke = (function_id, data) =>
    new Promise((resolve) => {
      const invocation_id = randomUUID()
      waiting.set(invocation_id, resolve)
      registered.get(function_id).send(JSON.stringify({ type: 'invokefunction', invocation_id, function_id, data }))
    })

  server.on('connection', (socket) => {
    const worker_id = randomUUID()
    const send = (frame) => socket.send(JSON.stringify(frame))
    const handle = {
      registerfunction: ({ id }) => registered.set(id, socket),
      registertrigger: (frame) => triggerFrames.push(frame),
      registertriggertype: (frame) => triggerFrames.push(frame),
      invocationresult: (frame) => {
        waiting.get(frame.invocation_id)?.(frame)
        waiting.delete(frame.invocation_id)
      },
      observe: (frame) => {
        observes.push(frame)
        observers.set(frame.id, frame)
        send({ type: 'observeresult', id: frame.id, state: 'active' })
      },
      unobserve: (frame) => {
        observes.push(frame)
        observers.delete(frame.id)
        send({ type: 'observerstatechanged', id: frame.id, state: 'disposed', reason: { code: 'UNOBSERVED', message: '' }, fires: 0 })
      },
      invokefunction: async ({ invocation_id, function_id, data }) => {
        asked.push(function_id)
        const reply = { type: 'invocationresult', invocation_id, function_id }
        if (registered.has(function_id)) {
          const answer = await invoke(function_id, { ...data, _caller_worker_id: worker_id })
          if (!answer.error) listeners.get(function_id)?.({ input: data, output: answer.result })
          if (invocation_id) send({ ...reply, result: answer.result, error: answer.error })
          return
        }
        const known = functions[function_id] ?? (function_id === 'engine::workers::register' && (() => ({ success: true })))
        if (!invocation_id) return
        if (known) send({ ...reply, result: known(data) })
        else send({ ...reply, error: { code: 'function_not_found', message: `Function ${function_id} not found` } })
      },
    }
    socket.on('message', (data) => {
      const frame = JSON.parse(data)
      handle[frame.type]?.(frame)
    })
    send({ type: 'workerregistered', worker_id, reattach_token: randomUUID(), features: ['observe.v1', 'observe.v2'] })
  })

  return {
    url: `ws://127.0.0.1:${server.address().port}`,
    functions,
    observes,
    triggerFrames,
    count: (id) => asked.filter((one) => one === id).length,
    offered: (id) => eventually(`${id} is registered`, () => registered.has(id)),
    observed: (source) => eventually(`an observer of ${source}`, () => [...observers.values()].find((one) => one.source.function_id === source)),
    /** Observes a function of the worker, on behalf of somebody else. */
    listen: (function_id, heard) => listeners.set(function_id, heard),
    call: async (function_id, data) => {
      const { result, error } = await invoke(function_id, data)
      if (error) throw Object.assign(new Error(error.message), error)
      return result
    },
    /** The engine's source has an event: every observer of it is activated. */
    fire: (source, event) =>
      Promise.all([...observers.values()].filter((one) => one.source.function_id === source).map((one) => invoke(one.target.function_id, one.source.deliver === 'output' ? event : { output: event }))),
    drop: () => {
      for (const client of server.clients) client.terminate()
    },
  }
}
