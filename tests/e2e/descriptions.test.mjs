// What agents read about functions: every function and every field of every request and response has a description.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDirectory } from './lib/directory.mjs'
import { call } from './lib/sdks.mjs'

/** The object behind references, wrappers and arrays, with the descriptions met on the way. */
function behind(schema, root) {
  const texts = []
  for (;;) {
    if (schema === true || schema === undefined) return { schema: {}, texts }
    if (schema.description) texts.push(schema.description)
    if (schema.$ref) schema = schema.$ref.split('/').slice(1).reduce((at, key) => at[key], root)
    else if (schema.allOf?.length === 1) schema = schema.allOf[0]
    else if (schema.anyOf) schema = schema.anyOf.find((s) => s.type !== 'null')
    else return { schema, texts }
  }
}

/** Every field below a schema as [path, description]: `skills[].id`. */
function fields(schema, root = schema, path = '', seen = []) {
  const found = behind(schema, root).schema
  if (seen.includes(found)) return []
  const deeper = [...seen, found]
  if (found.items) return fields(found.items, root, `${path}[]`, deeper)
  if (typeof found.additionalProperties === 'object') return fields(found.additionalProperties, root, `${path}{}`, deeper)
  return Object.entries(found.properties ?? {}).flatMap(([name, field]) => {
    const at = path ? `${path}.${name}` : name
    const { schema, texts } = behind(field, root)
    // The words of an enumeration speak for themselves; the published shape has no room for more.
    const said = texts.join(' ') || (schema.enum ?? []).join(' or ')
    return [[at, said], ...fields(field, root, at, deeper)]
  })
}

/** {id: {description, request: {path: text}, response: {path: text}}} of everything that is registered. */
async function registered(node) {
  const out = {}
  const { functions } = await call(node, 'engine::functions::list', { include_internal: true })
  for (const { function_id } of functions) {
    const info = await call(node, 'engine::functions::info', { function_id })
    out[function_id] = {
      worker: info.worker_name,
      description: info.description ?? '',
      request: Object.fromEntries(fields(info.request_schema ?? {})),
      response: Object.fromEntries(fields(info.response_schema ?? {})),
    }
  }
  const { triggers } = await call(node, 'engine::triggers::list', { include_internal: true })
  for (const { id } of triggers) {
    const info = await call(node, 'engine::triggers::info', { id })
    out[id] = {
      worker: info.worker_name,
      description: info.description ?? '',
      request: Object.fromEntries(fields(info.configuration_schema ?? {})),
      response: Object.fromEntries(fields(info.request_schema ?? {})),
    }
  }
  return out
}

test('every function, trigger type and field has a description, of the engine too', async (t) => {
  const { node } = await startDirectory(t, { config: { auto_download: true } })
  const all = await registered(node)
  const bare = Object.entries(all).flatMap(([id, entry]) => [
    ...(entry.description ? [] : [id]),
    ...['request', 'response'].flatMap((side) => Object.entries(entry[side]).flatMap(([path, text]) => (text ? [] : [`${id} ${side}.${path}`]))),
  ])
  assert.deepEqual(bare, [])
  const ours = Object.values(all).filter((entry) => entry.worker === 'iii-directory')
  assert.ok(ours.length > 50, `${ours.length} functions and types of ours`)
})
