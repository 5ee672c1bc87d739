// What is registered beside what the published versions registered (tests/data/api): no function or trigger type is missing, no
// request is narrower, and no answer of ours could break their schema.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startDirectory } from './lib/directory.mjs'
import { call } from './lib/sdks.mjs'

const published = ['skills-0.1.5', 'iii-directory-0.4.1', 'iii-directory-0.8.0']
const recorded = (name) => JSON.parse(readFileSync(fileURLToPath(new URL(`../data/api/${name}.json`, import.meta.url)), 'utf8'))

/** Follows references, takes off wrappers of one, and says separately whether null is allowed. */
function plain(schema, root) {
  let nullable = false
  for (;;) {
    if (schema === true || schema === undefined) schema = {}
    if (schema.$ref) {
      schema = schema.$ref.split('/').slice(1).reduce((at, key) => at[key], root)
    } else if (schema.allOf?.length === 1) {
      schema = schema.allOf[0]
    } else if (schema.anyOf?.some((s) => s.type === 'null') && schema.anyOf.length === 2) {
      nullable = true
      schema = schema.anyOf.find((s) => s.type !== 'null')
    } else {
      break
    }
  }
  const types = [schema.type ?? []].flat()
  return { schema, nullable: nullable || types.includes('null') || !types.length, types: types.filter((t) => t !== 'null') }
}

/** Whether everything that `narrow` allows is allowed by `wide`, and `wide` has no property that `narrow` leaves out. */
function within(narrow, wide, where, problems) {
  const [n, w] = [plain(...narrow), plain(...wide)]
  const say = (what) => problems.push(`${where}: ${what}`)
  if (!w.types.length && !w.schema.properties && !w.schema.enum) return
  if (n.nullable && !w.nullable) say('null is allowed here and not there')
  if (!n.types.length && w.types.length) say(`any type, there only ${w.types}`)
  for (const type of n.types) {
    const fits = w.types.includes(type) || (type === 'integer' && w.types.includes('number'))
    if (w.types.length && !fits) say(`${type} is not among ${w.types}`)
  }
  if (w.schema.enum && !(n.schema.enum ?? []).every((word) => w.schema.enum.includes(word))) say('more words than there')
  if ((w.schema.minimum ?? -Infinity) > (n.schema.minimum ?? -Infinity)) say('smaller numbers than there')
  if ((w.schema.maximum ?? Infinity) < (n.schema.maximum ?? Infinity)) say('larger numbers than there')
  if ((w.schema.maxLength ?? Infinity) < (n.schema.maxLength ?? Infinity)) say('longer texts than there')
  if (w.schema.additionalProperties === false) say('other keys are refused')
  for (const key of w.schema.required ?? []) if (!(n.schema.required ?? []).includes(key)) say(`${key} is required there`)
  for (const [key, value] of Object.entries(w.schema.properties ?? {})) {
    const mine = n.schema.properties?.[key]
    if (mine === undefined) say(`${key} is missing`)
    else within([mine, narrow[1]], [value, wide[1]], `${where}.${key}`, problems)
  }
  if (w.schema.items) within([n.schema.items, narrow[1]], [w.schema.items, wide[1]], `${where}[]`, problems)
}

/** Requests: what they took must be taken by us, and known to us by name. */
function takes(theirs, ours, where, problems) {
  const known = Object.keys(plain(ours, ours).schema.properties ?? {})
  for (const key of Object.keys(plain(theirs, theirs).schema.properties ?? {})) if (!known.includes(key)) problems.push(`${where}: ${key} is missing`)
  // Keys that only we know are optional, so they do not count.
  const [a, b] = [plain(theirs, theirs).schema, plain(ours, ours).schema]
  const shared = Object.fromEntries(Object.entries(b.properties ?? {}).filter(([key]) => key in (a.properties ?? {})))
  for (const key of b.required ?? []) if (!(key in shared)) problems.push(`${where}: ${key} is required by us alone`)
  within([theirs, theirs], [{ ...b, properties: shared, definitions: ours.definitions }, ours], where, problems)
}

for (const name of published) {
  test(`${name}: nothing missing, nothing narrower`, async (t) => {
    const { functions, triggers } = recorded(name)
    const { node } = await startDirectory(t, { config: { auto_download: true, registry_url: 'http://127.0.0.1:1' } })
    const problems = []
    for (const theirs of functions) {
      const ours = await call(node, 'engine::functions::info', { function_id: theirs.name }).catch((error) => {
        problems.push(`${theirs.name}: ${error.message}`)
      })
      if (!ours) continue
      if (ours.worker_name !== 'iii-directory') problems.push(`${theirs.name}: offered by ${ours.worker_name}`)
      if (!ours.description) problems.push(`${theirs.name}: has no description`)
      if (theirs.metadata?.tool && JSON.stringify(ours.metadata) !== JSON.stringify(theirs.metadata)) problems.push(`${theirs.name}: metadata is ${JSON.stringify(ours.metadata)}`)
      if (theirs.request_schema) takes(theirs.request_schema, ours.request_schema ?? {}, `${theirs.name} in`, problems)
      const answers = theirs.response_schema
      if (answers) within([ours.response_schema ?? {}, ours.response_schema ?? {}], [answers, answers], `${theirs.name} out`, problems)
    }
    for (const theirs of triggers ?? []) {
      await call(node, 'engine::triggers::info', { id: theirs.name }).catch((error) => problems.push(`${theirs.name}: ${error.message}`))
    }
    assert.deepEqual(problems, [])
    assert.ok(functions.length >= 11)
  })
}
