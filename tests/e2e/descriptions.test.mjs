// What agents read about functions: every fact that the published pages documented (tests/data/published_facts.json) is in the texts
// that are registered, and every function and every field of every request and response has a description.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startDirectory } from './lib/directory.mjs'
import { call } from './lib/sdks.mjs'

const checklist = JSON.parse(readFileSync(fileURLToPath(new URL('../data/published_facts.json', import.meta.url)), 'utf8'))

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

/** Where a fact must be written: the description, one field, or anywhere. */
function textAt(entry, place) {
  if (place === 'description') return entry.description
  const [side, path] = [place.slice(0, place.indexOf('.')), place.slice(place.indexOf('.') + 1)]
  return entry[side]?.[path]
}

test('the texts about functions and trigger types', async (t) => {
  const { node } = await startDirectory(t, { config: { auto_download: true } })
  const all = await registered(node)
  const ours = Object.entries(all).filter(([, entry]) => entry.worker === 'iii-directory')

  await t.test('every published fact is in them', () => {
    const missing = []
    for (const [id, facts] of Object.entries(checklist)) {
      if (id.startsWith('//')) continue
      if (!all[id]) missing.push(`${id} is not registered`)
      for (const [key, [place, words]] of Object.entries(all[id] ? facts : {})) {
        const text = textAt(all[id], place)
        if (text === undefined) missing.push(`${id} has no ${place} (${key})`)
        else if (!new RegExp(words, 'is').test(text)) missing.push(`${id} ${place} does not say ${key}: /${words}/ in "${text}"`)
      }
    }
    assert.deepEqual(missing, [])
  })

  await t.test('every function and every field has a description, of the engine too', () => {
    const bare = Object.entries(all).flatMap(([id, entry]) => [
      ...(entry.description ? [] : [id]),
      ...['request', 'response'].flatMap((side) => Object.entries(entry[side]).flatMap(([path, text]) => (text ? [] : [`${id} ${side}.${path}`]))),
    ])
    assert.deepEqual(bare, [])
    assert.ok(ours.length > 50, `${ours.length} functions and types of ours`)
  })
})
