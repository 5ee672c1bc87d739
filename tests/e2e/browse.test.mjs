// Everything is accounted for: each file that is not served is a row of browse, has a reason in explain and a column in the doctor's answer.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { put, startDirectory, tree } from './lib/directory.mjs'
import { engineFor } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'
import { callable, connect, sdks } from './lib/sdks.mjs'

const fine = '---\ntitle: Fine\ndescription: Use when all is well.\n---\n# Fine\n\nText.\n'

function folders() {
  const root = tree({
    'good/SKILL.md': fine,
    'good/reference.md': '---\ntype: reference\n---\n# Reference\n\nMore about [the overview](SKILL.md).\n',
    'good/run.sh': 'echo\n',
    'good/colon.md': '---\ndescription: Use when: always\n---\n# Colon\n\nText.\n',
    'web/clip.md': Buffer.from([0x23, 0x20, 0xff, 0xfe]),
    'web/large.md': `# Large\n\n${'word '.repeat(300_000)}\n`,
    'web/prompts/plain.md': 'Explain the plan.\n',
    'web/prompts/empty.md': '\n',
    'web/prompts/ask.md': '---\ndescription: Asks a table.\narguments:\n  - name: table\n    required: true\n---\nAsk {{table}}.\n',
    'mine/plan.md': '# The hidden plan\n\nText.\n',
    'pdf-forms/SKILL.md': '# Fill in forms\n\nText.\n',
    'secret/key.md': '# Nobody may read this\n\nText.\n',
  })
  symlinkSync('/etc/hosts', join(root, 'web/hosts.md'))
  const local = tree({ 'mine/plan.md': '# The plan\n\nText.\n', 'mine/picture.png': 'x' })
  chmodSync(join(root, 'secret/key.md'), 0)
  return { root, local }
}

const rowsOf = async (ask, input = {}) => (await ask('directory::skills::browse', { limit: 256, ...input })).rows
const counts = (facet) => Object.fromEntries(facet)

test('each file that is not served is in browse, in explain and in the doctor', async (t) => {
  const { root, local } = folders()
  const { ask, url } = await startDirectory(t, { config: { skills_folder: root, local_skills_folder: local } })
  const rows = Object.fromEntries((await rowsOf(ask)).map((row) => [row.id, row]))
  const doctor = await ask('directory::doctor')

  // [id in browse, state, code, verdict]
  const expected = [
    ['good', 'served', undefined, 'served'],
    ['good/colon', 'finding', 'unquoted_colon', 'served'],
    ['web/clip', 'missing', 'not_utf8', 'missing'],
    ['web/large', 'finding', 'too_large', 'served'],
    ['web/hosts', 'missing', 'outside_root', 'missing'],
    ['web/prompts/empty.md', 'missing', 'prompt_undescribed', 'missing'],
    ['mine/plan', 'served', undefined, 'served'],
    ['global:mine/plan.md', 'shadowed', 'shadowed', 'shadowed'],
  ]
  if (process.getuid() !== 0) expected.push(['secret/key', 'missing', 'unreadable', 'missing'])
  for (const [id, state, code, verdict] of expected) {
    await t.test(`${id} is ${state}`, async () => {
      assert.ok(rows[id], `a row ${id} among ${Object.keys(rows)}`)
      assert.equal(rows[id].state, state)
      assert.equal(rows[id].code, code)
      const why = await ask('directory::skills::explain', { id })
      assert.equal(why.verdict, verdict)
      assert.equal(why.generation, doctor.generation)
      if (code) assert.match(why.reason, new RegExp(`\\[${code}\\]$`))
      const seen = await ask('directory::skills::inspect', { id })
      assert.equal(seen.id, id)
      assert.equal(seen.served, verdict === 'served')
    })
  }

  await t.test('a prompt without frontmatter is served, and has a finding', async () => {
    const { prompts } = await ask('directory::prompts::list', { details: true })
    const plain = prompts.find((each) => each.name === 'plain')
    assert.deepEqual([plain.root, plain.path, plain.finding], ['global', 'web/prompts/plain.md', true])
    assert.deepEqual(prompts.find((each) => each.name === 'ask').arguments, [{ name: 'table', required: true }])
    assert.equal((await ask('directory::skills::explain', { id: 'plain' })).verdict, 'served')
    assert.equal((await ask('directory::skills::explain', { id: 'empty' })).verdict, 'missing')
  })

  await t.test('the folders add up', async () => {
    const sum = { files: 0, skills: 0, prompts: 0, supporting: 0, skipped: 0 }
    for (const each of doctor.roots) {
      assert.equal(each.files, each.skills + each.prompts + each.supporting + each.skipped, each.root)
      const reasons = each.reasons.reduce((all, [, count]) => all + count, 0)
      assert.equal(reasons, each.skipped, `each skipped file of ${each.root} has a reason`)
      if (each.on_disk) for (const key of Object.keys(sum)) sum[key] += each[key]
    }
    for (const [key, value] of Object.entries(sum)) assert.equal(doctor[key], value, key)
    assert.equal(JSON.stringify(doctor.roots).includes(root), false, 'no path of this machine')
  })

  await t.test('facets count what directory::skills::list lists', async () => {
    const { skills } = await ask('directory::skills::list', { include_user_only: true })
    const { facets, all, total } = await ask('directory::skills::browse')
    const states = counts(facets.state)
    assert.equal(total, all)
    const listed = skills.length
    const unreadable = Object.values(rows).filter((row) => row.state === 'missing' && skills.some((each) => each.id === row.id)).length
    assert.equal(states.served + states.finding + unreadable, listed)
    for (const [type, count] of facets.type) {
      if (type === 'none') continue
      assert.equal(count, (await ask('directory::skills::list', { type })).skills.length, type)
    }
    const { facets: narrowed } = await ask('directory::skills::browse', { namespace: ['good'] })
    assert.equal(counts(narrowed.namespace).web, counts(facets.namespace).web, 'other values keep their count')
    assert.equal(counts(narrowed.root).local, 0)
  })

  await t.test('the digest is that of the file, the tree links to skills', async () => {
    const seen = await ask('directory::skills::inspect', { id: 'good/reference' })
    const bytes = readFileSync(join(root, 'good/reference.md'))
    assert.equal(seen.digest, `sha256:${createHash('sha256').update(bytes).digest('hex')}`)
    assert.equal(seen.source, bytes.toString())
    assert.match(JSON.stringify(seen.tree), /"kind":"skill","id":"good"/)
  })

  await t.test('an edit is in the next answer', async () => {
    put(root, 'web/clip.md', fine)
    const [row] = await rowsOf(ask, { q: 'clip' })
    assert.equal(row.state, 'served')
  })

  await t.test('iii-directory why', async () => {
    const served = await run(directoryBin, ['why', 'good', '--url', url])
    assert.equal(served.code, 0)
    assert.match(served.stdout, /good {2}served/)
    const missing = await run(directoryBin, ['explain', 'web/hosts.md', '--url', url, '--json'])
    assert.equal(missing.code, 1)
    assert.equal(JSON.parse(missing.stdout).verdict, 'missing')
    const absent = await run(directoryBin, ['why', 'goood', '--url', url])
    assert.equal(absent.code, 1)
    assert.match(absent.stderr, /Did you mean: good/)
  })
})

test('documents of a worker that is not installed are filtered', async (t) => {
  const engine = await engineFor(t, { args: ['--engine-only', '--no-worker-manager'] })
  const manager = connect(t, sdks['0.22.1'], engine.url)
  manager.registerFunction('worker::list', async () => ({ workers: [{ name: 'good' }] }))
  await callable(manager, 'worker::list')
  const { ask } = await startDirectory(t, {
    engine,
    files: { 'good/SKILL.md': fine, 'pdf-forms/SKILL.md': fine },
    config: { filter_unregistered: true },
  })
  const rows = Object.fromEntries((await rowsOf(ask)).map((row) => [row.id, row]))
  assert.equal(rows['pdf-forms'].state, 'filtered')
  assert.equal(rows.good.state, 'served')
  const why = await ask('directory::skills::explain', { id: 'pdf-forms' })
  assert.equal(why.verdict, 'filtered')
  assert.match(why.next, /filter_unregistered/)
  const { roots } = await ask('directory::doctor')
  assert.equal(roots.find((each) => each.root === 'global').hidden, 1)
})

test('words that no row has are looked for by meaning', async (t) => {
  const page = (title, text) => `---\ntitle: ${title}\ndescription: ${title} step by step.\n---\n# ${title}\n\n${text}\n`
  const { ask } = await startDirectory(t, {
    files: {
      'sea/harbour.md': page('Enter a port', 'Call the pilot and agree on a berth before mooring the vessel.'),
      'air/harbour.md': page('Land a plane', 'Ask for a berth at the terminal, as a vessel does for mooring.'),
      'mail/send.md': page('Send a letter', 'Write the address on the envelope.'),
    },
  })
  const browse = (input) => ask('directory::skills::browse', input)
  const { rows, total, all } = await browse({ q: 'mooring a vessel' })
  assert.deepEqual(rows.map((row) => row.id).sort(), ['air/harbour', 'sea/harbour'])
  assert.ok(rows.every((row) => row.by === 'meaning'))
  assert.equal(total, 2)
  assert.equal(all, 3)
  const narrowed = await browse({ q: 'mooring a vessel', namespace: ['sea'] })
  assert.deepEqual(narrowed.rows.map((row) => row.id), ['sea/harbour'], 'filters hold for them as well')
  assert.equal(Object.fromEntries(narrowed.facets.namespace).air, 1)
  // A row that has the words comes without those that only fit.
  const literal = await browse({ q: 'letter' })
  assert.deepEqual(literal.rows.map((row) => [row.id, row.by]), [['mail/send', undefined]])
  assert.deepEqual((await browse({ q: 'zzzz qqqq' })).rows, [])
})

test('hostile documents are data', async (t) => {
  const { ask } = await startDirectory(t, {
    files: {
      'evil/SKILL.md': `# <script>x</script>\n\n[a](JaVa&Tab;Script:alert(1)) <svg onload=x>\n\na\u202eb \u{e0041}\n`,
      'evil/deep.md': `${'- '.repeat(5000)}a\n${'\n'.repeat(100_000)}`,
      'evil/__proto__.md': '# Proto\n\n[x](../../x)\n',
      'evil/line.md': `# Line\n\n${'a'.repeat(1_000_000)}\n`,
    },
  })
  const seen = await ask('directory::skills::inspect', { id: 'evil' })
  assert.match(JSON.stringify(seen.tree), /"kind":"refused","scheme":"javascript"/)
  assert.deepEqual(seen.risks.map((each) => each.code).filter((code) => code.startsWith('hidden_')).sort(), ['hidden_bidi', 'hidden_tags'])
  assert.equal((await ask('directory::skills::inspect', { id: 'evil/deep' })).tree_cut, true)
  assert.equal((await ask('directory::skills::inspect', { id: 'evil/line' })).tree_cut, true)
  const proto = (await rowsOf(ask, { q: 'proto' }))[0]
  assert.equal((await ask('directory::skills::inspect', { id: proto.id })).title, 'Proto')
  for (const id of ['../x', '__proto__', 'global:../../etc/passwd', '\u0000', '/etc/passwd', 'x'.repeat(1024)]) {
    const why = await ask('directory::skills::explain', { id })
    assert.equal(why.verdict, 'absent', id)
    await assert.rejects(ask('directory::skills::inspect', { id }), /D11/)
  }
  for (const name of ['explain', 'inspect']) await assert.rejects(ask(`directory::skills::${name}`, { id: 'x'.repeat(1025) }), /D123 invalid_input: `id`.* Next: /)
})

test('explain and get mean the same file, also where names differ only in case or are not ASCII', async (t) => {
  const skill = (title) => `# ${title}\n\nText.\n`
  const { ask } = await startDirectory(t, {
    files: { 'CaseA/SKILL.md': skill('upper'), 'casea/SKILL.md': skill('lower'), '日本語/請求書/SKILL.md': skill('bill') },
  })
  for (const id of ['CaseA', 'casea', 'CaseA/SKILL.md', '日本語/請求書']) {
    const [why, got] = [await ask('directory::skills::explain', { id }), await ask('directory::skills::get', { id })]
    assert.deepEqual([why.verdict, why.id], ['served', got.id], id)
  }
})
