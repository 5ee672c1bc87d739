// What was there when the bridge was recorded, and what counts as the same content in the form of today.
import { readFileSync } from 'node:fs'
import { call, callable, connect, sdks } from '../../e2e/lib/sdks.mjs'
import { diff } from '../lib/diff.mjs'

export const data = (name) => readFileSync(new URL(`../../data/mcp-g2/${name}`, import.meta.url), 'utf8')
export const lines = (name) => data(`${name}.jsonl`).trim().split('\n').map((line) => JSON.parse(line))
const fixtures = JSON.parse(data('fixtures.json'))

const typeOf = (value) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
const special = {
  'bdd::echo': async ({ msg }) => ({ echoed: msg }),
  'bdd::args': async (input) => ({ type: typeOf(input), keys: Object.keys(typeof input === 'object' ? (input ?? {}) : {}).filter((key) => key !== '_caller_worker_id') }),
  'demo::greet_prompt': async (input) => ({ content: `Greet ${input?.name ?? 'world'} warmly.` }),
}

function handlerOf(id, spec) {
  if (special[id]) return special[id]
  return async () => {
    if (spec.throws) throw new Error(spec.throws)
    return spec.returns // `after_ms` only delayed the recording
  }
}

/** Registers functions, skills and prompts of the recording. */
export async function populate(after, url) {
  const worker = connect({ after }, sdks['0.22.1'], url, { workerName: 'fixtures' })
  for (const [id, spec] of Object.entries(fixtures)) {
    const { description, metadata, request_format, response_format } = spec
    worker.registerFunction(id, handlerOf(id, spec), { description, metadata, request_format, response_format })
  }
  await callable(worker, ...Object.keys(fixtures))
  await call(worker, 'skills::register', { id: 'demo', skill: '# demo\n\nA demo worker.\n' })
  await call(worker, 'skills::register', { id: 'empty-title', skill: '# \n\nText.\n' })
  const greet = [{ name: 'name', description: 'Who to greet', required: true }]
  await call(worker, 'prompts::register', { name: 'greet', description: 'Compose a greeting.', arguments: greet, function_id: 'demo::greet_prompt' })
  await call(worker, 'prompts::register', { name: 'broken', description: 'Bad shape.', function_id: 'demo::json' })
  await call(worker, 'prompts::register', { name: 'infra', description: 'Infra.', function_id: 'state::list' }).catch(() => {})
  return worker
}

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const toolName = (id) => id.replaceAll('::', '__')
const byName = (rows) => Object.fromEntries(rows.map((row) => [row.name, row]))

/** Tools as the recording has them, without the engine's own: the names, and the rows of the functions `bdd::*`. */
function shortened(tools) {
  const known = new Set(Object.keys(fixtures).map(toolName))
  if (tools.$names) return { $names: tools.$names.filter((name) => known.has(name)), $fixtures: byName(tools.$fixtures) }
  const rows = tools.filter((tool) => known.has(tool.name) || tool.name.startsWith('x.'))
  return { $names: rows.map((tool) => tool.name), $fixtures: byName(rows.filter((tool) => tool.name.startsWith('bdd__'))) }
}

/** An answer of either side without the form: JSON in a text is a value, `isError: false` is the default, messages of errors are prose. */
function content(value) {
  if (Array.isArray(value)) return value.map(content)
  if (value === null || typeof value !== 'object') return value
  const out = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, content(each)]))
  if (out.isError === false) delete out.isError
  delete out.structuredContent // repeats the text
  if (out.arguments?.length === 0) delete out.arguments
  if (out.type === 'text' && typeof out.text === 'string') out.text = parsed(out.text)
  if (typeof out.instructions === 'string') out.instructions = '<prose>'
  if (typeof out.code === 'number' && typeof out.message === 'string') out.message = '<prose>'
  if (Array.isArray(out.tools) || out.tools?.$names) out.tools = shortened(out.tools)
  return out
}

/** Members that rows and results have besides the recorded ones: newer versions of the protocol added them. */
const added = new Set(['title', 'description', 'size', 'annotations', '_meta', 'data', 'outputSchema', 'extensions'])
const isAddition = ({ path, expected }) => expected === undefined && added.has(path.split('.').at(-1))

export const differences = (recorded, actual) => diff(content(recorded), content(actual)).filter((each) => !isAddition(each))
