// The schemas of --json, as the program writes them (`help --write`).
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv'
import { tempDir } from './engine.mjs'
import { directoryBin, run } from './process.mjs'

/** {verb: schema} of every verb that has --json. */
export async function verbSchemas() {
  const folder = tempDir()
  const end = await run(directoryBin, ['help', '--write', folder])
  assert.equal(end.code, 0, end.stderr)
  const names = readdirSync(join(folder, 'cli'))
  return Object.fromEntries(names.map((name) => [name.replace(/\.schema\.json$/, ''), JSON.parse(readFileSync(join(folder, 'cli', name)))]))
}

export function assertMatches(schema, value, what) {
  const check = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  assert.ok(check(value), `${what}: ${JSON.stringify(check.errors)}\n${JSON.stringify(value).slice(0, 500)}`)
}
