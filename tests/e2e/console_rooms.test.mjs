// The console used as a person would: rooms, search, reading, why something is missing, prompts, changes.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openConsole, statuses } from './lib/browser.mjs'
import { localFiles, skillFiles } from './lib/console_files.mjs'
import { put, putAtomically, tree } from './lib/directory.mjs'
import { needsOwnEngine, tempDir } from './lib/engine.mjs'
import { call, connect, sdks } from './lib/sdks.mjs'
import { deferred, eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
const ROOMS = ['Overview', 'Skills', 'Prompts', 'Doctor', 'Sources', 'Bus', 'Changes', 'Connect']
const title = (page) => page.locator('#title').textContent()
const rows = (page) => page.locator('.win .row:not(.wait) .id').allTextContents()

test('every room by click, by chord and by address; Back and reload', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  // Two keys are a chord when the second comes soon; on a machine that is busy it may not.
  await page.clock.setFixedTime(Date.now())
  await page.visit()
  for (const name of ROOMS) {
    await page.locator('#rooms a', { hasText: name }).click()
    assert.equal(await title(page), name)
    assert.match(await page.title(), new RegExp(name))
    assert.equal(new URL(page.url()).pathname, `/console/${name.toLowerCase()}`)
  }
  await page.goBack()
  assert.equal(await title(page), 'Changes')
  await page.goForward()
  assert.equal(await title(page), 'Connect')
  for (const [key, name] of Object.entries({
    o: 'Overview',
    s: 'Skills',
    p: 'Prompts',
    d: 'Doctor',
    r: 'Sources',
    b: 'Bus',
    c: 'Changes',
    n: 'Connect',
  })) {
    await page.locator('main').focus()
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    assert.equal(await title(page), name)
  }
  await page.visit('skills/database/query?tab=source&q=data')
  await page.locator('.src').waitFor()
  assert.equal(await page.locator('[role=tab][aria-selected=true]').textContent(), 'Source')
  await page.reload()
  await page.locator('.src').waitFor()
  assert.equal(await page.getByLabel('Search skills').inputValue(), 'data')
})

test('overview says what agents see, and the account adds up', own, async (t) => {
  const { page, server } = await openConsole(t, { files: skillFiles, local: localFiles, config: { builtin_docs: true } })
  await page.visit()
  assert.equal(await page.locator('#watch').textContent(), 'watching 2\u00a0folders', 'what is compiled in is no folder')
  const sentence = page.locator('.say')
  await sentence.waitFor()
  const node = connect(t, sdks['0.22.1'], server.url)
  const { roots } = await call(node, 'directory::doctor', {})
  const sum = (key) => roots.reduce((n, root) => n + root[key], 0)
  assert.match(await sentence.textContent(), new RegExp(`Agents see ${sum('skills')}\\s+skills and ${sum('prompts')}\\s+prompt`))
  assert.equal(sum('files'), sum('skills') + sum('prompts') + sum('supporting') + sum('skipped'))
  const total = await page.locator('.ledger .sum td').allTextContents()
  assert.deepEqual(total.slice(2).map(Number), ['files', 'skills', 'prompts', 'supporting', 'skipped'].map(sum))
  await sentence.locator('a').first().click()
  assert.equal(await title(page), 'Skills')
})

test('search finds as one types, facets count, nothing is lost without a word', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles, local: localFiles })
  await page.visit('skills')
  await page.locator('.win .row').first().waitFor()
  const search = page.getByLabel('Search skills')
  await search.pressSequentially('query')
  await eventually('the best hit comes first', async () => (await rows(page))[0] === 'database/query')
  // The answer to less than all of it has the same first row.
  await eventually('what was typed is marked', async () => (await page.locator('.win .row mark').first().textContent()) === 'query')
  assert.match(page.url(), /[?&]q=query/)
  await search.fill('no such words at all zzz')
  await page.getByText('Nothing matches').waitFor()
  await page.getByRole('button', { name: 'Why is it missing?' }).click()
  await page.locator('dialog .verdict').filter({ hasText: 'no such file' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.locator('.facet', { hasText: 'reference' }).click()
  await eventually('only references are listed', async () => (await rows(page)).join() === 'database/types')
  assert.match(page.url(), /type=reference/)
  await page.locator('.facet', { hasText: 'reference' }).click()
  await page.locator('.facet', { hasText: 'Hidden' }).click()
  await eventually('what is not served is a row, too', async () => (await rows(page)).some((id) => id.includes('images/resize')))
  assert.notEqual(await page.locator('.win .row .b').first().textContent(), '')
})

test('an unknown document: what is near as links, and why it is missing; nothing that a program would do', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles, allow: [statuses(404)] })
  await page.visit('skills/database/qury')
  const state = page.locator('.detail .state')
  await state.getByText('There is no such document').waitFor()
  assert.doesNotMatch(await state.textContent(), /::|Next/)
  await state.getByRole('button', { name: 'Why is it missing?' }).click()
  const sheet = page.locator('dialog.sheet')
  await sheet.locator('.verdict').waitFor()
  assert.doesNotMatch(await sheet.textContent(), /::|`near`|compose/)
  await sheet.getByRole('button', { name: 'database/query' }).click()
  await sheet.getByText('Agents see it.').waitFor()
  await page.keyboard.press('Escape')
  await state.getByRole('link', { name: 'database/query' }).click()
  await page.locator('.doc .h1', { hasText: 'Query a database' }).waitFor()

  // Nothing is near: the prompts that are least unlike it are not what was meant.
  await page.keyboard.press('w')
  await page.getByLabel('Id of a skill').fill('zebra/quantum-flux')
  await sheet.locator('.verdict', { hasText: 'no such file' }).waitFor()
  assert.doesNotMatch(await sheet.textContent(), /Did you mean|::/)
})

test('documents that disappear below leave the list at its new end, with rows', own, async (t) => {
  const folder = (name) => Array.from({ length: 1000 }, (_, i) => [`${name}/n${String(i).padStart(4, '0')}.md`, `# Number ${i}\n\nText.\n`])
  // The last one may be asked for as it goes: End shows it.
  const { page, server } = await openConsole(t, { files: Object.fromEntries([...folder('many'), ...folder('zzz')]), allow: [statuses(404)] })
  await page.visit('skills')
  await page.locator('.win .row:not(.wait)').first().waitFor()
  await page.locator('.win').focus()
  await page.keyboard.press('End')
  await page.locator('.win .row .id', { hasText: 'zzz/n0999' }).waitFor()
  rmSync(join(server.root, 'zzz'), { recursive: true })
  const seen = () =>
    page.locator('.win').evaluate((list) => {
      const box = list.getBoundingClientRect()
      const inside = (row) => row.getBoundingClientRect().top < box.bottom - 20 && row.getBoundingClientRect().bottom > box.top + 20
      return [...list.querySelectorAll('.row:not(.wait)')].filter(inside).map((row) => row.querySelector('.id').textContent)
    })
  await eventually('the list ends with what is left', async () => (await seen()).at(-1) === 'many/n0999')
  assert.ok((await seen()).length > 5)
})

test('a document: rendered, as source, as agents get it, where it comes from', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  await page.visit('skills/database/query')
  const doc = page.locator('.doc')
  await doc.locator('.h1').waitFor()
  assert.equal(await doc.locator('.h1').textContent(), 'Query a database')
  assert.equal(await doc.locator('em').textContent(), 'in the rows')
  assert.match(await doc.locator('.pic').textContent(), /a diagram/)
  assert.equal(await page.locator('.doc img').count(), 0)
  const web = doc.locator('a', { hasText: 'the manual' })
  assert.equal(await web.getAttribute('target'), '_blank')
  assert.match(await web.getAttribute('rel'), /noopener noreferrer/)
  await doc.locator('a', { hasText: 'types' }).first().click()
  await page.locator('.doc .h1', { hasText: 'Column types' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/console/skills/database/types')
  await page.goBack()
  await page.locator('.doc .h1', { hasText: 'Query a database' }).waitFor()
  await page.locator('.doc a', { hasText: 'the overview' }).click()
  await page.locator('.doc .h1', { hasText: 'Database' }).waitFor()

  await page.visit('skills/database/query')
  await page.getByRole('tab', { name: 'Source' }).click()
  assert.equal(await page.locator('.ln-t').nth(1).textContent(), 'title: Query a database')
  await page.getByRole('tab', { name: 'As agents get it' }).click()
  await page.locator('.rd-body pre', { hasText: 'Query a database' }).first().waitFor()
  await page.getByRole('tab', { name: 'Where it comes from' }).click()
  const digest = createHash('sha256').update(skillFiles['database/query.md']).digest('hex')
  assert.equal(await page.locator('.facts code').first().getAttribute('title'), `sha256:${digest}`)
  assert.match(await page.locator('.chain .on').textContent(), /global.*serves it/)
})

test('links of a document: to documents, to a part of one, to files beside it', own, async (t) => {
  const filler = 'A line.\n\n'.repeat(80)
  const targets = {
    query: 'other.md?v=1',
    part: 'other.md#part-two',
    self: '#far-away',
    nowhere: '#no-such',
    script: 'scripts/run.py',
    up: '../shared/tool.sh',
    again: 'SKILL.md',
  }
  const links = Object.entries(targets)
    .map(([name, target]) => `[${name}](${target})`)
    .join(', ')
  const { page } = await openConsole(t, {
    files: {
      'guide/SKILL.md': `---\nname: guide\ndescription: A guide.\n---\n# Guide\n\n${links}\n\n${filler}## Far away!\n\nHere.\n`,
      'guide/other.md': `# Other\n\n${filler}## Part two\n\nThe second part.\n\n${filler}`,
      'guide/scripts/run.py': 'print(1)\n',
    },
  })
  const link = (name) => page.locator('.doc').getByRole('link', { name, exact: true })
  const inSight = (el) => el.getBoundingClientRect().top >= 0 && el.getBoundingClientRect().bottom <= innerHeight
  const seen = (words) =>
    eventually(`${words} is in sight`, () => page.locator('.doc .h2', { hasText: words }).evaluate(inSight))
  await page.visit('skills/guide')
  await link('self').click()
  await seen('Far away!')
  assert.equal(new URL(page.url()).hash, '#far-away')
  assert.equal(await link('nowhere').count(), 0)
  for (const [name, path] of Object.entries({ script: 'guide/scripts/run.py', up: 'shared/tool.sh' })) {
    assert.equal(await link(name).count(), 0)
    assert.equal(await page.locator('.doc .file', { hasText: name }).getAttribute('title'), `A file: ${path}`)
  }
  assert.doesNotMatch((await page.locator('.doc-more').allTextContents()).join(), /guide/, 'it is not beside itself')
  await link('part').click()
  await seen('Part two')
  assert.equal(new URL(page.url()).pathname + new URL(page.url()).hash, '/console/skills/guide/other#part-two')
  await page.reload()
  await seen('Part two')
  await page.goBack()
  await link('query').click()
  await page.locator('.doc .h1', { hasText: 'Other' }).waitFor()
})

test('what is missing has a row, a reason and a verdict', own, async (t) => {
  const big = `---\ntitle: Big\ndescription: d\n---\n${'x'.repeat(2_000_000)}`
  const files = { ...skillFiles, 'odd/large.md': big }
  const root = tree(files)
  writeFileSync(join(root, 'odd', 'bytes.md'), Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a]))
  mkdirSync(join(root, 'out'), { recursive: true })
  symlinkSync('/etc/hostname', join(root, 'out', 'link.md'))
  const local = { 'database/own.md': '# Own\n\nMine.\n' }
  const { page, server } = await openConsole(t, { local, config: { skills_folder: root } })
  const node = connect(t, sdks['0.22.1'], server.url)
  await page.visit('skills?state=missing&state=filtered&state=shadowed')
  await page.locator('.win .row:not(.wait)').first().waitFor()
  const { rows: unserved } = await call(node, 'directory::skills::browse', { state: ['missing', 'filtered', 'shadowed'] })
  assert.ok(unserved.length >= 2)
  for (const row of unserved) {
    assert.ok(row.reason, `${row.path} has a reason`)
    const { verdict } = await call(node, 'directory::skills::explain', { id: row.id })
    assert.notEqual(verdict, 'absent', row.path)
  }
  // Each can be opened, and says why it is not served.
  for (let i = 0; i < unserved.length; i++) {
    await page.locator('.win .row').nth(i).click()
    await page.locator('.detail .note', { hasText: /Not served|Hidden by another|Worker not installed/ }).waitFor()
  }
  await page.locator('.detail .note').getByRole('button', { name: 'Why?' }).first().click()
  await page.locator('dialog .lede', { hasText: /\[\w+\]/ }).waitFor()
  await page.keyboard.press('Escape')
})

test('an edit on disk appears: in the list, in the open document, in the feed', own, async (t) => {
  const { page, server } = await openConsole(t, { files: skillFiles })
  await page.visit('skills/mail/send')
  await page.locator('.doc .h1', { hasText: 'Send a mail' }).waitFor()
  putAtomically(
    server.root,
    'mail/send.md',
    skillFiles['mail/send.md']
      .replace('Say what is needed first.', 'Say it in one line.')
      .replace('Send one mail', 'Send exactly one mail'),
  )
  await page.getByText(/It changed on disk, generation/).waitFor()
  await eventually('the list has the new description', async () =>
    (await page.locator('.win .row[aria-selected=true] .b').textContent()).startsWith('Send exactly one'),
  )
  await page.getByRole('button', { name: 'Show' }).click()
  await page.locator('.doc', { hasText: 'Say it in one line.' }).waitFor()
  await page.getByRole('tab', { name: 'Where it comes from' }).click()
  const since = page.locator('.facts dd', { hasText: 'unchanged since' }).locator('a')
  const now = (await page.locator('#gen').textContent()).replace('generation ', '')
  assert.equal(await since.textContent(), now)
  assert.equal(new URL(await since.evaluate((a) => a.href)).searchParams.get('since'), String(now - 1))

  await page.locator('#rooms a', { hasText: 'Changes' }).click()
  await page.locator('.gen .mono', { hasText: 'mail/send' }).waitFor()
  putAtomically(server.root, 'mail/new.md', '# New\n\nNew.\n')
  await page.locator('.gen.fresh .mono', { hasText: 'mail/new' }).waitFor()
  await page.getByRole('button', { name: /Pause/ }).click()
  rmSync(join(server.root, 'mail/new.md'))
  await page.getByRole('button', { name: /Resume\s*1/ }).waitFor()
  await page.getByRole('button', { name: /Resume/ }).click()
  await page.locator('.gen .sgn[title=removed]').waitFor()
})

test('replay shows what somebody missed, as directory::changes has it', own, async (t) => {
  const { page, server } = await openConsole(t, { files: skillFiles })
  const node = connect(t, sdks['0.22.1'], server.url)
  const from = (await call(node, 'directory::changes', {})).generation
  putAtomically(server.root, 'a/one.md', '# One\n\nOne.\n')
  await eventually('the first is seen', async () => (await call(node, 'directory::changes', {})).generation > from)
  const after = (await call(node, 'directory::changes', {})).generation
  putAtomically(server.root, 'a/two.md', '# Two\n\nTwo.\n')
  await eventually('the second is seen', async () => (await call(node, 'directory::changes', {})).generation > after)
  await page.visit(`changes?since=${from}`)
  const note = page.locator('.replay')
  await note.waitFor()
  const { changes } = await call(node, 'directory::changes', { since: from })
  const generations = [...new Set(changes.map((c) => c.generation))]
  assert.match(await note.textContent(), new RegExp(`has missed ${generations.length}\\s+generation`))
  assert.match(await note.textContent(), /2 added, 0 changed, 0 removed/)
  assert.deepEqual(
    await page.locator('.gen .g').allTextContents(),
    generations.map(String).sort((a, b) => b - a),
  )
})

test('a change that is told while the feed is being read is in it', own, async (t) => {
  const { page, server } = await openConsole(t, { files: skillFiles })
  await page.visit('skills')
  const [read, shown] = [deferred(), deferred()]
  await page.route('**/console/call', async (route) => {
    if (route.request().postDataJSON().function_id !== 'directory::changes') return route.continue()
    const answer = await route.fetch()
    read.resolve()
    await shown.promise
    await route.fulfill({ response: answer })
  })
  await page.locator('#rooms a', { hasText: 'Changes' }).click()
  await read.promise
  const before = await page.locator('#gen').textContent()
  putAtomically(server.root, 'mail/new.md', '# New\n\nNew.\n')
  await eventually('the change is told', async () => (await page.locator('#gen').textContent()) !== before)
  shown.resolve()
  await page.locator('.gen .mono', { hasText: 'mail/new' }).waitFor()
  assert.equal(await page.locator('.gen .mono', { hasText: 'mail/new' }).count(), 1)
})

test('replay from a generation that is still to come, and from one that the log has forgotten', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  await page.visit('changes?since=99999')
  await page.locator('.replay', { hasText: /There is no generation 99999 yet: the newest is \d+\./ }).waitFor()
  assert.doesNotMatch(await page.locator('#room-changes').textContent(), /reach back|Nothing was missed/)
  await page.route('**/console/call', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    if (route.request().postDataJSON().function_id === 'directory::changes') Object.assign(body.result, { truncated: true, groups: [] })
    await route.fulfill({ response: answer, json: body })
  })
  await page.visit('changes?since=0')
  await page.locator('.replay', { hasText: 'The log does not reach back to 0' }).waitFor()
  await page.getByText('What was missed is not known').waitFor()
  assert.doesNotMatch(await page.locator('#room-changes').textContent(), /Nothing was missed/)
  // A change that the log has no room for is not "no change".
  await page.visit('changes')
  await page.locator('#room-changes', { hasText: 'too large for the log' }).waitFor()
  await page.visit('')
  await page.locator('#room-overview', { hasText: 'too large for the log' }).waitFor()
})

test('an open document that is deleted says so, and is still there to read', own, async (t) => {
  const { page, server } = await openConsole(t, { files: skillFiles })
  await page.visit('skills/mail/send')
  await page.locator('.doc .h1', { hasText: 'Send a mail' }).waitFor()
  rmSync(join(server.root, 'mail/send.md'))
  const note = page.locator('.doc-changed .note')
  await note.getByText(/It was removed, generation \d+/).waitFor()
  assert.equal(await note.getByRole('button', { name: 'Show' }).count(), 0)
  assert.equal(await page.locator('.doc .h1').textContent(), 'Send a mail')
  await note.getByRole('button', { name: 'Why?' }).click()
  await page.locator('dialog .verdict', { hasText: 'There is no such file.' }).waitFor()
  await page.keyboard.press('Escape')
  put(server.root, 'mail/send.md', skillFiles['mail/send.md'])
  await note.getByText(/It changed on disk/).waitFor()
})

test('a prompt with its arguments', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  await page.visit('prompts')
  await page.locator('.msg').waitFor()
  assert.equal(await page.locator('.item[aria-current=true] .mono').textContent(), '/compose')
  assert.equal(await page.locator('.hole').first().textContent(), 'to')
  await page.locator('#arg-0').fill('Ada <b>')
  await page.locator('.msg', { hasText: 'Write a mail to Ada <b>.' }).waitFor()
  await page.locator('#arg-1').selectOption('warm')
  await page.locator('.msg', { hasText: 'Keep it warm.' }).waitFor()
  await page.getByRole('button', { name: 'Copy request' }).click()
  await eventually('the request is on the clipboard', async () => {
    const request = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))
    return request.method === 'prompts/get' && request.params.arguments.tone === 'warm'
  })
})

test('the palette finds skills, functions, prompts and rooms', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles })
  await page.visit()
  await page.locator('.say').waitFor()
  await page.keyboard.press('Control+k')
  await page.locator('#palette input').fill('compose')
  await page.locator('#palette .opt', { hasText: '/compose' }).waitFor()
  await page.locator('#palette input').fill('skills get')
  await page.locator('#palette .opt', { hasText: 'directory::skills::get' }).first().click()
  await page.locator('h2', { hasText: 'directory::skills::get' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.locator('#palette input').fill('database/query')
  await page.locator('#palette .opt', { hasText: 'database/query' }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.doc .h1', { hasText: 'Query a database' }).waitFor()
})

test('an empty directory says how to begin', own, async (t) => {
  const { page, server } = await openConsole(t, {})
  await page.visit()
  await page.getByText('Nothing is here yet').waitFor()
  // The folder is the one of this server; the local one does not exist.
  assert.equal(await page.locator('#watch').textContent(), 'watching 1\u00a0folder')
  const folder = await page.evaluate(() => JSON.parse(document.querySelector('#boot').textContent).roots.find((r) => r.root === 'global').folder)
  assert.notEqual(folder, '~/.iii/skills')
  await page.locator('.over .why code', { hasText: folder }).waitFor()
  assert.equal(await page.locator('.over .code').count(), 0, 'no commands without a path')
  await page.visit('skills')
  await page.getByText('No skills yet').waitFor()
  await page.locator('.state code', { hasText: folder }).waitFor()
  await page.visit('prompts')
  await page.getByText('No prompts yet').waitFor()
  await page.visit('sources')
  await page.getByText('Nothing is downloaded').waitFor()
  await page.visit('changes')
  await page.getByText('Nothing changed yet').waitFor()
  await page.visit('')
  put(server.root, 'first/SKILL.md', '---\nname: first\ndescription: The first.\n---\n# First\n')
  await page.locator('.say', { hasText: /Agents see 1\s+skill/ }).waitFor()
})

test('the first commands name the folder of this server', own, async (t) => {
  const home = tempDir()
  const { page } = await openConsole(t, { config: { skills_folder: join(home, 'my skills') }, env: { HOME: home } })
  await page.visit()
  await page.locator('.over .code', { hasText: "mkdir -p ~/'my skills'/notes" }).waitFor()
  assert.equal(await page.locator('#watch').textContent(), '', 'a folder that does not exist is not watched')
})

test('an id that is not there: the server says what is near', own, async (t) => {
  const { page } = await openConsole(t, { files: skillFiles, allow: [statuses(404, 400, 422)] })
  await page.visit('skills/database/querry')
  await page.getByRole('alert').waitFor()
  await page.getByRole('alert').locator('a', { hasText: 'database/query' }).first().click()
  await page.locator('.doc .h1', { hasText: 'Query a database' }).waitFor()
})
