// The published SDKs behind one small face, so that one suite can run on each of them.
import { randomBytes } from 'node:crypto'
import * as sdk0221 from 'iii-sdk'
import { createChannel } from 'iii-sdk/helpers'
import * as sdk0116 from 'iii-sdk-0116'
import * as sdk090 from 'iii-sdk-090'
import { eventually } from './wait.mjs'

// The SDKs narrate every connection on the console, refused ones too: the test report is easier to read without.
console.debug = () => {}
const { error: printError } = console
console.error = (...words) => /^\[iii\] WebSocket error/.test(words[0]) || printError(...words)

const byId = (worker, id, handler, options) => worker.registerFunction(id, handler, options)

export const sdks = {
  '0.22.1': {
    version: '0.22.1',
    module: sdk0221,
    registerFunction: byId,
    createChannel,
    tellsProviderOfUnbind: true,
    reattaches: true,
    passesMetadata: true,
    isTimeout: (error) => error.code === 'TIMEOUT',
  },
  '0.11.6': {
    version: '0.11.6',
    module: sdk0116,
    registerFunction: byId,
    createChannel: (worker, size) => worker.createChannel(size),
    tellsProviderOfUnbind: false,
    reattaches: false,
    passesMetadata: false,
    isTimeout: (error) => error.code === 'TIMEOUT',
  },
  '0.9.0': {
    version: '0.9.0',
    module: sdk090,
    registerFunction: (worker, id, handler, options) => worker.registerFunction({ ...options, id }, handler),
    createChannel: (worker, size) => worker.createChannel(size),
    tellsProviderOfUnbind: false,
    reattaches: false,
    passesMetadata: false,
    isTimeout: (error) => /Invocation timeout after/.test(error.message),
  },
}

export const Void = sdk0221.TriggerAction.Void
export const Enqueue = sdk0221.TriggerAction.Enqueue

/** Ids of one run never meet those of another, also on an engine that others use. */
const run = randomBytes(4).toString('hex')
let count = 0
export const unique = (name) => `e2e-${run}-${++count}::${name}`

/** A worker of the given SDK that is shut down with the test. Reconnects fast; no telemetry. */
export function connect(t, sdk, url, options = {}) {
  const worker = sdk.module.registerWorker(url, {
    workerName: `e2e-${run}-${++count}`,
    otel: { enabled: false },
    enableMetricsReporting: false,
    reconnectionConfig: { initialDelayMs: 30, maxDelayMs: 60 },
    ...options,
  })
  t.after(async () => {
    // Old SDKs fall over when they are shut down in the middle of a handshake.
    const { ws } = worker
    if (ws && ws.readyState === ws.CONNECTING) await new Promise((resolve) => ws.once('open', resolve).once('close', resolve))
    await worker.shutdown()
  })
  return worker
}

export const call = (worker, function_id, payload, options = {}) => worker.trigger({ function_id, payload, ...options })

/** Resolves when every id can be called: registrations have no acknowledgement of their own. */
export const callable = (worker, ...ids) =>
  eventually(`functions ${ids} registered`, async () => {
    const { functions } = await call(worker, 'engine::functions::info', { function_ids: ids }, { timeoutMs: 5000 })
    return functions.every((row) => !row.error)
  })

/** Resolves when nobody offers `id` any more. */
export const gone = (worker, id) =>
  eventually(`function ${id} gone`, async () => {
    const { functions } = await call(worker, 'engine::functions::info', { function_ids: [id] }, { timeoutMs: 5000 })
    return functions[0].error === 'not_found'
  })

/** Resolves when the trigger type is registered. */
export const typeKnown = (worker, id) =>
  eventually(`trigger type ${id} registered`, () => call(worker, 'engine::triggers::info', { id }, { timeoutMs: 5000 }))

/** The error of a call that must fail. */
export async function failure(promise) {
  let value
  try {
    value = await promise
  } catch (error) {
    return error
  }
  throw new Error(`expected a failure, got ${JSON.stringify(value)}`)
}
