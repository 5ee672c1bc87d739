// One count of documents: whoever is asked about one tree says the same numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveConsole } from './lib/console.mjs'
import { configFile, tree } from './lib/directory.mjs'
import { needsOwnEngine } from './lib/engine.mjs'
import { directoryBin, run } from './lib/process.mjs'

const page = (title) => `---\ntitle: ${title}\ndescription: About it.\n---\n# ${title}\n\nText.\n`

test('list, browse, doctor, stats, health, metrics, console, log and command line count the same', { skip: needsOwnEngine }, async (t) => {
  const skills = tree({
    'mail/SKILL.md': page('Mail'),
    'mail/references/rules.md': '# Rules\n\nText.\n',
    'mail/README.md': '# Read me\n\nText.\n',
    'mail/run.sh': 'true\n',
    'mail/prompts/write.md': '---\ndescription: Writes.\n---\nWrite.\n',
    'mine/plan.md': page('Hidden by the local one'),
  })
  const local = tree({ 'mine/plan.md': page('Plan') })
  const config = configFile({ skills_folder: skills, local_skills_folder: local, builtin_docs: false })
  const site = await serveConsole(t, ['--config', config])
  const ask = async (id, input = {}) => (await site.call(id, input)).result
  const expected = { skills: 4, prompts: 1 }

  const { skills: rows } = await ask('directory::skills::list', { include_user_only: true })
  const { prompts } = await ask('directory::prompts::list')
  assert.deepEqual({ skills: rows.length, prompts: prompts.length }, expected)

  const { facets } = await ask('directory::skills::browse')
  const states = Object.fromEntries(facets.state)
  assert.deepEqual([states.served + states.finding, states.shadowed], [expected.skills, 1])

  const doctor = await ask('directory::doctor')
  assert.deepEqual({ skills: doctor.skills, prompts: doctor.prompts }, expected)
  assert.deepEqual([doctor.files, doctor.supporting, doctor.skipped, doctor.hidden], [7, 1, 1, 0])

  const stats = await ask('directory::stats')
  const health = await ask('directory::health')
  for (const { content } of [stats, health]) {
    assert.deepEqual({ skills: content.skills, prompts: content.prompts }, expected)
    assert.equal(content.skipped, doctor.skipped)
  }
  assert.equal(stats.content.files, doctor.files)

  const { counts } = JSON.parse((await site.get('/console/boot', site.own)).body)
  assert.deepEqual({ skills: counts.skills, prompts: counts.prompts }, expected)
  assert.equal(counts.findings, doctor.summary.filter((each) => each.code !== 'mcp_left_out').reduce((n, each) => n + each.count, 0))

  const metrics = (await site.get('/metrics')).body
  const metric = (name) => Number(new RegExp(`^iii_directory_${name} (\\d+)$`, 'm').exec(metrics)[1])
  assert.deepEqual({ skills: metric('skills'), prompts: metric('prompts') }, expected)
  assert.deepEqual([metric('files'), metric('skipped_documents')], [doctor.files, doctor.skipped])

  const sum = '7 files: 4 skills, 1 prompt, 1 supporting file, 1 skipped'
  await site.engine.printed('stderr', new RegExp(sum))
  const verb = await run(directoryBin, ['doctor', '--config', config], { env: { HOME: site.home } })
  assert.ok(verb.stdout.includes(sum), verb.stdout)
})
