// Search as agents use it: skills and functions over the bus, with the real SDK.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { getTokenizer } from '@anthropic-ai/tokenizer'
import { get_encoding } from 'tiktoken'
import { put, startDirectory } from './lib/directory.mjs'
import { callable, connect, gone, sdks } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const skill = (title, description, body = '') => `---\ntitle: ${title}\ndescription: ${JSON.stringify(description)}\n---\n# ${title}\n\n${body}\n`

const files = {
  'code-review/SKILL.md': skill('Code review', 'Review a pull request for bugs, style and missing tests.', 'Read the diff first. Look for race conditions.'),
  'pdf-forms/SKILL.md': skill('PDF forms', 'Fill in the fields of a PDF form and flatten it.'),
  'invoices/SKILL.md': skill('Invoices', 'Check an invoice before it is paid.', 'Compare the purchase order with the amount that the supplier demands.'),
  'invoices/README.md': '# Invoices\n\nInvoices for everybody.\n',
  'secret/SKILL.md': '---\ntitle: Deploy\ndescription: Deploy the service to production.\ndisable-model-invocation: true\n---\nDeploys.\n',
  'howto/rotate.md': '---\ntitle: Rotate keys\ndescription: Rotate the access keys of a service account.\ntype: how-to\n---\nSteps.\n',
}

const ids = (answer) => answer.skills.map((row) => row.id)

test('directory::skills::search', async (t) => {
  const { ask, root } = await startDirectory(t, { files })

  await t.test('finds by other words than the author used, with rank, score, reasons and a snippet', async () => {
    const answer = await ask('directory::skills::search', { query: 'check the pull requests' })
    const [first] = answer.skills
    assert.equal(first.id, 'code-review')
    assert.equal(first.rank, 1)
    assert.ok(first.score > 0 && first.score <= 1)
    assert.ok(first.why.some((why) => why.word === 'pull' && why.fields.includes('description')), JSON.stringify(first.why))
    const bytes = Buffer.from(first.snippet.text)
    assert.ok(first.snippet.highlights.some(([begin, end]) => /pull|request/i.test(bytes.subarray(begin, end).toString())))
    assert.deepEqual(answer.skills.map((row) => row.rank), answer.skills.map((_, i) => i + 1))
    assert.ok(answer.searched >= 4)
  })

  await t.test('finds by the body, and shows that part of it', async () => {
    const answer = await ask('directory::skills::search', { query: 'compare purchase order with supplier' })
    assert.equal(ids(answer)[0], 'invoices')
    assert.match(answer.skills[0].snippet.text, /purchase order/)
  })

  await t.test('understands typing errors', async () => {
    assert.equal(ids(await ask('directory::skills::search', { query: 'invoiices' }))[0], 'invoices')
  })

  await t.test('an edit, a new file and a removed one count in the same call', async () => {
    put(root, 'code-review/SKILL.md', skill('Code review', 'Bake sourdough bread.'))
    assert.equal(ids(await ask('directory::skills::search', { query: 'sourdough bread' }))[0], 'code-review')
    put(root, 'beekeeping/SKILL.md', skill('Beekeeping', 'Inspect a beehive in spring.', 'Look for the queen.'))
    assert.equal(ids(await ask('directory::skills::search', { query: 'inspect a beehive' }))[0], 'beekeeping')
    rmSync(join(root, 'beekeeping'), { recursive: true })
    assert.ok(!ids(await ask('directory::skills::search', { query: 'inspect a beehive' })).includes('beekeeping'))
    put(root, 'code-review/SKILL.md', files['code-review/SKILL.md'])
    assert.equal(ids(await ask('directory::skills::search', { query: 'review a pull request' }))[0], 'code-review')
  })

  await t.test('filters: prefix, type, kind, and what is kept for users', async () => {
    assert.deepEqual(ids(await ask('directory::skills::search', { query: 'invoice', prefix: 'pdf-forms' })), [])
    assert.deepEqual(ids(await ask('directory::skills::search', { query: 'rotate the keys', type: 'how-to' })), ['howto/rotate'])
    assert.ok(!ids(await ask('directory::skills::search', { query: 'invoices for everybody' })).includes('invoices/readme'))
    assert.deepEqual(ids(await ask('directory::skills::search', { query: 'invoices for everybody', kind: 'readme' })), ['invoices/readme'])
    assert.ok(!ids(await ask('directory::skills::search', { query: 'deploy the service to production' })).includes('secret'))
    const all = await ask('directory::skills::search', { query: 'deploy the service to production', include_user_only: true })
    assert.equal(all.skills[0].id, 'secret')
    assert.equal(all.skills[0].user_only, true)
  })

  await t.test('nothing fits is an answer with a next step', async () => {
    const answer = await ask('directory::skills::search', { query: 'quantum chromodynamics lattice' })
    assert.deepEqual(answer.skills, [])
    assert.ok(Array.isArray(answer.nearest))
    assert.match(answer.next, /directory::skills::index/)
  })

  await t.test('hostile input is refused with a reason, or answered', async () => {
    const refused = (input, reason) => assert.rejects(ask('directory::skills::search', input), reason)
    await refused({ query: 'x'.repeat(60 * 1024) }, /D130 invalid_input: the text is longer than 4096 bytes.*Next:/)
    await refused({ query: 'x'.repeat(64 * 1024) }, /D122 too_large: .*Next:/)
    await refused({ query: '   ' }, /D130 invalid_input: there is no text.*Next:/)
    await refused({ query: 'x', limit: 0 }, /D130 .*`limit`/)
    await refused({ query: 'x', limit: 101 }, /D130 .*`limit`/)
    await refused({ query: 'x', budget_tokens: 5 }, /D130 .*at least 100/)
    await refused({ query: 'x', kind: 'bird' }, /D121/)
    await refused({}, /D124 invalid_input: missing field `query`.*Next:/)
    await refused({ qery: 'x' }, /`qery` is not a field\. Did you mean: query\. Next: /)
    for (const query of ['\u202e\u0000\u200b', '̸'.repeat(1000), '𝕳𝖊𝖑𝖑𝖔', '龍'.repeat(1000), "'; DROP TABLE --", '%s%n', '🧨'.repeat(800)]) {
      const answer = await ask('directory::skills::search', { query }).catch((error) => error)
      assert.ok(Array.isArray(answer.skills) || /D130/.test(answer.message), `${query}: ${answer.message}`)
    }
  })
})

test('budgets hold by real tokenizers, and the answer says what was left out', async (t) => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`skill-${i}/SKILL.md`, skill(`Report ${i}`, `Write the report number ${i} about sales in region ${i * 7}, with a table and a chart.`)]),
  )
  const { ask } = await startDirectory(t, { files: many })
  const encodings = ['o200k_base', 'cl100k_base'].map((name) => get_encoding(name))
  const anthropic = getTokenizer()
  const cost = (value) => Math.max(...encodings.map((e) => e.encode(JSON.stringify(value)).length), anthropic.encode(JSON.stringify(value).normalize('NFKC')).length)

  for (const budget_tokens of [100, 200, 400, 1000, 4000]) {
    const found = await ask('directory::skills::search', { query: 'write a sales report', limit: 50, budget_tokens })
    assert.ok(cost(found) <= budget_tokens * 1.05, `${cost(found)} of ${budget_tokens}`)
    if (found.skills.length < 50) assert.ok(found.left_out > 0)
  }
  for (const budget_tokens of [150, 300, 1000, 20000]) {
    for (const task of [undefined, 'write a sales report']) {
      const page = await ask('directory::skills::index', { task, budget_tokens })
      assert.ok(cost(page) <= budget_tokens * 1.05, `${cost(page)} of ${budget_tokens}`)
      const lines = page.body.match(/^- `skill-/gm) ?? []
      assert.equal(page.workers_count, lines.length)
      assert.deepEqual(await ask('directory::skills::index', { task, budget_tokens }), page)
      const more = page.body.match(/(\d+) left out\. More: call `directory::skills::index (\{.*\})`/)
      if (budget_tokens === 20000) assert.equal(more, null)
      if (!more) continue
      // The call that it names shows everything.
      const all = await ask('directory::skills::index', JSON.parse(more[2]))
      assert.equal(all.workers_count, lines.length + Number(more[1]))
      assert.doesNotMatch(all.body, /left out/)
    }
  }
  await assert.rejects(ask('directory::skills::index', { budget_tokens: 10 }), /D130 .*at least 150/)
  const nothing = await ask('directory::skills::index', { task: 'quantum chromodynamics lattice' })
  assert.equal(nothing.workers_count, 0)
  assert.match(nothing.body, /No skill fits the task/)
})

const described = (iii, id, description, properties = {}) =>
  iii.registerFunction(id, async () => ({}), { description, request_format: { type: 'object', properties } })

const found = (answer) =>
  answer.workers
    .flatMap((worker) => worker.functions)
    .sort((a, b) => a.rank - b.rank)
    .map((row) => row.function_id)

test('directory::search_functions over workers that come and go', async (t) => {
  const { ask, url } = await startDirectory(t, { files })

  const worker = connect(t, sdks['0.22.1'], url)
  described(worker, 'mail::send', 'Send an email to one or more people.', { to: { type: 'string', description: 'Who receives it.' } })
  described(worker, 'mail::list', 'List messages in a mailbox.')
  described(worker, 'geo::distance', 'Compute the distance between two places.')
  const node = connect(t, sdks['0.22.1'], url)
  await callable(node, 'mail::send', 'mail::list', 'geo::distance')

  const answer = await ask('directory::search_functions', { capabilities: ['email somebody', 'how far is it between two cities'] })
  assert.deepEqual(found(answer).slice(0, 2).sort(), ['geo::distance', 'mail::send'])
  for (const key of ['guidance', 'workers', 'installable', 'skills', 'triggers', 'search_mode', 'latency_ms']) assert.ok(key in answer, key)
  assert.equal(typeof answer.latency_ms, 'number')
  assert.equal(answer.registry, 'not_needed')
  assert.equal(answer.search_mode, 'hybrid')
  const mail = answer.workers.find((each) => each.namespace === 'mail').functions[0]
  assert.deepEqual([mail.function_id, mail.description, mail.capability], ['mail::send', 'Send an email to one or more people.', 0])
  assert.match(answer.guidance, /engine::functions::info/)

  await t.test('skills about the task come along', async () => {
    const { skills } = await ask('directory::search_functions', { capabilities: ['fill in a PDF form'] })
    assert.equal(skills[0].id, 'pdf-forms')
  })

  await t.test('a new function is found at once, one that is gone is not', async () => {
    described(worker, 'weather::forecast', 'Tell the weather of the next days.')
    await callable(node, 'weather::forecast')
    assert.deepEqual(found(await ask('directory::search_functions', { capabilities: ['weather of tomorrow'] }))[0], 'weather::forecast')
    await worker.shutdown()
    await gone(node, 'weather::forecast')
    assert.deepEqual(found(await ask('directory::search_functions', { capabilities: ['weather of tomorrow'] })), [])
  })

  await t.test('nothing fits: no guesses, and the registry is said to be away', async () => {
    const nothing = await ask('directory::search_functions', { capabilities: ['brew a cup of coffee'] })
    assert.deepEqual(nothing.workers, [])
    assert.equal(nothing.unmatched[0].capability, 'brew a cup of coffee')
    assert.ok(Array.isArray(nothing.nearest))
    assert.equal(nothing.registry, 'unreachable')
    assert.match(nothing.guidance, /No function here fits/)
    assert.match(nothing.guidance, /registry did not answer/)
  })

  await t.test('an exact id is that function alone', async () => {
    assert.deepEqual(found(await ask('directory::search_functions', { capabilities: ['directory::health'] })), ['directory::health'])
  })

  await t.test('hostile input is refused with a reason', async () => {
    const refused = (capabilities, reason) => assert.rejects(ask('directory::search_functions', { capabilities }), reason)
    await refused(Array.from({ length: 10_000 }, (_, i) => `capability ${i}`), /D130 .*10000 entries, and 1 to 64.*Next:/)
    await refused([], /D130 .*0 entries/)
    await refused(['x'.repeat(64 * 1024)], /D130 .*longer than 4096 bytes/)
    await refused([' '], /D130 .*no text/)
    await refused('send an email', /capabilities/)
    const odd = await ask('directory::search_functions', { capabilities: ['\u202e🧨龍̸'] }).catch((error) => error)
    assert.ok(Array.isArray(odd.workers) || /D130/.test(odd.message))
  })
})

test('functions that a skill names, in get and in the doctor', async (t) => {
  const how = (id, more = '') => `---\ntitle: ${id}\ndescription: How to use it.\ntype: how-to\nfunction_id: ${id}\n${more}---\nText.\n`
  const { ask, url } = await startDirectory(t, {
    files: { 'mail/send.md': how('mail::send', 'requires: [mail::list, "calendar::find"]\n'), 'mail/gone.md': how('mail::gone'), 'plain/SKILL.md': skill('Plain', 'Nothing is named here.') },
  })
  const worker = connect(t, sdks['0.22.1'], url)
  described(worker, 'mail::send', 'Send an email.')
  described(worker, 'mail::list', 'List messages.')
  await callable(connect(t, sdks['0.22.1'], url), 'mail::send', 'mail::list')
  const sent = await eventually('the functions are known', async () => {
    const answer = await ask('directory::skills::get', { id: 'mail/send' })
    return answer.functions[0].state === 'callable' && answer
  })
  assert.deepEqual(sent.functions, [
    { function_id: 'mail::send', state: 'callable' },
    { function_id: 'mail::list', state: 'callable' },
    { function_id: 'calendar::find', state: 'missing' },
  ])
  assert.equal((await ask('directory::skills::get', { id: 'plain' })).functions, undefined)
  const { findings } = await ask('directory::doctor', { code: 'unknown_function' })
  assert.deepEqual(findings.map((f) => [f.served_as, f.severity]), [['mail/gone', 'info']])
  assert.match(findings[0].message, /mail::gone/)
})
