// docs/protocol says everything that is registered: each function and trigger type, and each key that they take and give, is
// named in a section of one of the documents that also names the function.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startDirectory } from './lib/directory.mjs'
import { engineFor } from './lib/engine.mjs'
import { call } from './lib/sdks.mjs'

const folder = fileURLToPath(new URL('../../docs/protocol/', import.meta.url))
const sections = readdirSync(folder)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .flatMap((name) => readFileSync(folder + name, 'utf8').split(/^(?=##+ )/m))

const word = (text, name) => new RegExp(`(?<![\\w-]|::)${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-]|::)`).test(text)

/** The keys of an object schema, and of the rows when the object is a list of rows. */
function keys(schema, root = schema) {
  const follow = (s) => (s?.$ref ? s.$ref.split('/').slice(1).reduce((at, key) => at[key], root) : s)
  const top = follow(schema)?.properties ?? {}
  const rows = Object.values(top).flatMap((value) => Object.keys(follow(follow(value)?.items)?.properties ?? {}))
  return [...Object.keys(top), ...rows]
}

test('every function, trigger type and key is in docs/protocol', async (t) => {
  const engine = await engineFor(t, { args: ['--engine-only'] })
  const { node } = await startDirectory(t, { engine })
  const { functions } = await call(node, 'engine::functions::list', { include_internal: true })
  const { triggers } = await call(node, 'engine::triggers::list', { include_internal: true })
  const problems = []
  const look = (id, parts) => {
    const text = sections.filter((section) => word(section, id)).join('\n')
    if (!text) return problems.push(`${id} is missing`)
    const missing = [...new Set(parts)].filter((key) => !word(text, key))
    if (missing.length) problems.push(`${id}: ${missing.join(', ')}`)
  }
  for (const { function_id: id } of functions) {
    const info = await call(node, 'engine::functions::info', { function_id: id })
    look(id, [...keys(info.request_schema ?? {}), ...keys(info.response_schema ?? {})])
  }
  for (const { id } of triggers) {
    const info = await call(node, 'engine::triggers::info', { id })
    look(id, [...keys(info.configuration_schema ?? {}), ...keys(info.request_schema ?? {})])
  }
  assert.ok(functions.length > 50)
  assert.deepEqual(problems, [])
})
