// The judged set over the bus: functions registered by a real SDK, skills in files. Nothing between the engine of `src/directory/search` and a
// caller may change the order of rows, so the figures are those that it reaches by itself (src/directory/search/judged_test.cpp); the functions of
// the directory and the engine are in the catalogue as well, which costs a little.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startDirectory } from './lib/directory.mjs'
import { callable, connect, sdks } from './lib/sdks.mjs'

const judged = JSON.parse(readFileSync(fileURLToPath(new URL('../data/search/judged.json', import.meta.url)), 'utf8'))
const files = Object.fromEntries(
  judged.skills.map((s) => [`${s.id}/SKILL.md`, `---\ntitle: ${JSON.stringify(s.title)}\ndescription: ${JSON.stringify(s.description)}\n---\n${s.body}\n`]),
)
const mean = (numbers) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length

/** `rows`: ids best first; `relevant`: one {id: grade} per capability. */
function score(rows, relevant) {
  const right = new Set(relevant.flatMap((each) => Object.keys(each)))
  const first = rows.findIndex((id) => right.has(id))
  const hits = rows.slice(0, 12 * Math.ceil(relevant.length / 6)).filter((id) => right.has(id)).length
  return { top: first === 0 ? 1 : 0, mrr: first < 0 ? 0 : 1 / (first + 1), recall: hits / right.size, covered: relevant.every((each) => rows.some((id) => id in each)) }
}

test('the judged set over the bus', async (t) => {
  const { ask, url } = await startDirectory(t, { files, config: { registry_search: false } })
  const worker = connect(t, sdks['0.22.1'], url)
  for (const f of judged.functions) {
    const properties = Object.fromEntries(Object.entries(f.parameters ?? {}).map(([name, description]) => [name, { type: 'string', description }]))
    worker.registerFunction(f.id, async () => ({}), { description: f.description, request_format: { type: 'object', properties } })
  }
  const node = connect(t, sdks['0.22.1'], url)
  await callable(node, judged.functions.at(-1).id) // they are registered in order

  const functions = judged.queries.filter((q) => q.lane === 'functions')
  const rows = async (q) => {
    const answer = await ask('directory::search_functions', { capabilities: q.capabilities })
    const all = answer.workers.flatMap((w) => w.functions).sort((a, b) => a.rank - b.rank)
    assert.deepEqual(all.map((row) => row.rank), all.map((_, i) => i + 1))
    return all.map((row) => row.function_id)
  }
  const fits = (q) => q.relevant.some((each) => Object.keys(each).length > 0)

  const scores = []
  let falseAnswers = 0
  for (const q of functions) {
    const found = await rows(q)
    if (fits(q)) scores.push({ class: q.class, ...score(found, q.relevant) })
    else if (found.length > 0) falseAnswers++
  }
  const nothing = functions.filter((q) => !fits(q)).length
  const figure = (key) => mean(scores.map((s) => s[key]))
  console.log(`# functions: ${scores.length} queries, top 1 ${figure('top').toFixed(2)}, recall@12 ${figure('recall').toFixed(2)}, MRR ${figure('mrr').toFixed(2)}, ` +
    `answered though nothing fits ${falseAnswers}/${nothing}`)
  assert.ok(figure('top') >= 0.75, `top 1 ${figure('top')}`)
  assert.ok(figure('recall') >= 0.75, `recall@12 ${figure('recall')}`)
  assert.ok(figure('mrr') >= 0.76, `MRR ${figure('mrr')}`)
  assert.ok(falseAnswers <= 3, `${falseAnswers} of ${nothing} answered though nothing fits`)

  const skills = []
  for (const q of judged.queries.filter((each) => each.lane === 'skills' && fits(each))) {
    const answer = await ask('directory::skills::search', { query: q.capabilities[0], limit: 12 })
    skills.push(score(answer.skills.map((row) => row.id), q.relevant))
  }
  const of = (key) => mean(skills.map((s) => s[key]))
  console.log(`# skills: ${skills.length} queries, top 1 ${of('top').toFixed(2)}, recall@12 ${of('recall').toFixed(2)}, MRR ${of('mrr').toFixed(2)}`)
  assert.ok(of('mrr') >= 0.85, `MRR ${of('mrr')}`)
})
