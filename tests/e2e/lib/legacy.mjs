// What the tests of the earlier generations share.
import assert from 'node:assert/strict'
import { startDirectory } from './directory.mjs'
import { call, callable, failure, typeKnown, unique } from './sdks.mjs'
import { eventually, Inbox } from './wait.mjs'

/** A legal id or name that nobody else uses. */
export const scoped = (name) => unique(name).replaceAll('::', '-')

/** The directory with scopes of its own in `state::*`, so that nothing but this test's registrations is there. */
export async function startWithScopes(t, { config = {}, ...options } = {}) {
  const scopes = { skills: scoped('skills'), prompts: scoped('prompts') }
  const directory = await startDirectory(t, { ...options, config: { scopes, ...config } })
  return { ...directory, scopes }
}

/** The call fails with our code, and its text holds the words callers look for. */
export async function refused(node, function_id, payload, ...words) {
  const error = await failure(call(node, function_id, payload))
  assert.equal(error.code, 'invocation_failed')
  for (const word of words) assert.ok(error.message.includes(word), `${error.message} has no ${word}`)
}

/** A function of the test's own worker. */
export async function offer(node, handler, name = 'fn') {
  const id = unique(name)
  node.registerFunction(id, handler)
  await callable(node, id)
  return id
}

/** A function that keeps what it is told, bound to a trigger type. */
export async function subscribe(node, type, { config = {}, answer = async () => null } = {}) {
  const heard = new Inbox()
  const id = await offer(node, async (event) => {
    heard.push(event)
    return answer(event)
  })
  await typeKnown(node, type)
  const binding = node.registerTrigger({ type, function_id: id, config })
  const bound = async () => {
    const { registered_triggers } = await call(node, 'engine::registered-triggers::list', { function_id: id })
    return registered_triggers.length
  }
  await eventually('bound', bound)
  return { id, heard, binding, bound }
}

/** An event without what the engine adds. */
export const plain = ({ _caller_worker_id, ...event }) => event

export const ids = (rows, key = 'id') => rows.map((row) => row[key])
export const isSorted = (list) => list.every((x, i) => i === 0 || Buffer.compare(Buffer.from(list[i - 1]), Buffer.from(x)) <= 0)
