// Sources in the browser: install from a registry and from a git repository with progress, stop, update, restore, remove.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openConsole, statuses } from './lib/browser.mjs'
import { putAtomically } from './lib/directory.mjs'
import { needsOwnEngine, tempDir } from './lib/engine.mjs'
import { makeRepository, startGitServer } from './lib/git_server.mjs'
import { startShelf } from './lib/shelf.mjs'
import { deferred, eventually } from './lib/wait.mjs'

const own = { skip: needsOwnEngine }
// The dialog asks the registry first, and here there is none.
const noRegistry = [statuses(422, 502, 503)]
const repos = tempDir()
let git
before(async () => {
  git = await startGitServer(repos)
})
after(() => git.close())

const skill = (title) => `---\nname: alpha\ndescription: What ${title} is for.\n---\n# ${title}\n\nText.\n`

const tools = {
  version: '1.0.0',
  skills: { 'SKILL.md': '---\nname: tools\ndescription: Tools.\n---\n# Tools\n', 'use.md': '# Use\n\nUse it.\n' },
}

/** Returns when the server has heard of it: what a test holds back until then must not arrive first. */
async function stop(page) {
  const heard = page.waitForResponse('**/console/cancel')
  await page.locator('dialog.sheet').getByRole('button', { name: 'Stop' }).click()
  await heard
}

const stageStates = (page) => page.locator('.stages li').evaluateAll((items) => items.map((li) => li.className))

test('install from a git repository: what it has, the stages, the result, the row', own, async (t) => {
  const alpha = makeRepository(repos, 'first', {
    files: { 'skills/alpha/SKILL.md': skill('one'), 'skills/beta/SKILL.md': skill('two').replace('alpha', 'beta') },
  })
  const { page, server } = await openConsole(t, { config: { ca_file: git.caFile, git_private_hosts: ['localhost'] }, allow: noRegistry })
  await page.visit('sources')
  await page.getByText('Nothing is downloaded').waitFor()
  await page.getByRole('banner').getByRole('button', { name: 'Install' }).click()
  await page.getByRole('button', { name: 'Git repository' }).click()
  await page.getByLabel('Repository').fill(git.url('first.git'))
  await page.getByRole('button', { name: 'Show what it has' }).click()
  await page.locator('.reg button', { hasText: 'alpha' }).click()
  assert.match(await page.locator('.command').textContent(), /^iii-directory install .*first\.git.* alpha/)
  await page.locator('dialog').getByRole('button', { name: 'Install', exact: true }).click()
  await page.locator('dialog', { hasText: /alpha: 1\s+skill/ }).waitFor()
  assert.deepEqual(await stageStates(page), Array(6).fill('done'))
  assert.equal(readFileSync(join(server.root, 'alpha/SKILL.md'), 'utf8'), skill('one'))
  await page.getByRole('button', { name: 'Close' }).last().click()
  const line = page.locator('tr[data-ns=alpha]')
  await line.waitFor()
  assert.match(await line.textContent(), new RegExp(alpha.commit.slice(0, 7)))

  // A new commit: found when asked, installed with one click, and the edited file is kept and named.
  alpha.put({ 'skills/alpha/SKILL.md': skill('three') })
  const next = alpha.push()
  await page.getByRole('button', { name: /^Check/ }).click()
  await line.getByText('newer upstream').waitFor()
  await line.getByRole('button', { name: 'Update' }).click()
  await page.locator('dialog', { hasText: /alpha: 1\s+skill/ }).waitFor()
  assert.equal(readFileSync(join(server.root, 'alpha/SKILL.md'), 'utf8'), skill('three'))
  await page.getByRole('button', { name: 'Close' }).last().click()
  await page.locator('tr[data-ns=alpha]', { hasText: next.slice(0, 7) }).waitFor()
})

test('restore names every line that would be lost; remove keeps what is yours', own, async (t) => {
  makeRepository(repos, 'second', { files: { 'skills/alpha/SKILL.md': skill('one'), 'skills/alpha/more.md': '# More\n\nMore.\n' } })
  const { page, server } = await openConsole(t, { config: { ca_file: git.caFile, git_private_hosts: ['localhost'] }, allow: noRegistry })
  await page.visit('sources')
  await page.getByRole('banner').getByRole('button', { name: 'Install' }).click()
  await page.getByRole('button', { name: 'Git repository' }).click()
  await page.getByLabel('Repository').fill(git.url('second.git'))
  await page.getByLabel('Skill', { exact: true }).fill('alpha')
  await page.locator('dialog').getByRole('button', { name: 'Install', exact: true }).click()
  await page.locator('dialog', { hasText: /alpha: 2\s+skills/ }).waitFor()
  await page.getByRole('button', { name: 'Close' }).last().click()

  const edited = `${skill('one')}\nMine.\n`
  writeFileSync(join(server.root, 'alpha/SKILL.md'), edited)
  const line = page.locator('tr[data-ns=alpha]')
  await line.getByText('edited here').waitFor()
  await line.getByRole('button', { name: 'Restore' }).click()
  const sheet = page.locator('dialog.sheet')
  await sheet.getByText('your lines are lost').waitFor()
  assert.match(await sheet.textContent(), /alpha\/SKILL\.md/)
  await sheet.getByRole('button', { name: 'Keep as it is' }).click()
  assert.equal(readFileSync(join(server.root, 'alpha/SKILL.md'), 'utf8'), edited)
  await line.getByRole('button', { name: 'Restore' }).click()
  await sheet.getByRole('button', { name: 'Restore' }).click()
  await eventually('the file is as it was downloaded', () => readFileSync(join(server.root, 'alpha/SKILL.md'), 'utf8') === skill('one'))
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await line.getByText(/up to date|not asked/).waitFor()

  await line.getByRole('button', { name: 'Remove' }).click()
  await sheet.getByRole('button', { name: 'Remove' }).click()
  await line.waitFor({ state: 'detached' })
  assert.ok(!existsSync(join(server.root, 'alpha/SKILL.md')))
})

test('install from the registry; stopped before the swap, nothing has changed', own, async (t) => {
  const registry = await startShelf(t, { tools: { ...tools } })
  const { page, server } = await openConsole(t, { config: { registry_url: registry.url }, allow: [statuses(409, 422, 499)] })
  await page.visit('sources')
  await page.keyboard.press('i')
  await page.locator('.reg button', { hasText: 'tools' }).click()
  assert.equal(await page.locator('.command').textContent(), 'iii-directory install tools')
  const held = deferred()
  registry.bundles.tools.hold = held.promise
  await page.locator('dialog').getByRole('button', { name: 'Install', exact: true }).click()
  await page.locator('.stages li.running').waitFor()
  await stop(page)
  held.resolve()
  await page.getByText('Stopped. The folder is as it was.').waitFor()
  assert.ok(!existsSync(join(server.root, 'tools')))
  registry.bundles.tools.hold = undefined
  await page.getByRole('button', { name: 'Close' }).last().click()

  await page.keyboard.press('i')
  await page.locator('.reg button', { hasText: 'tools' }).click()
  await page.locator('dialog').getByRole('button', { name: 'Install', exact: true }).click()
  await page.locator('dialog', { hasText: /tools: 2\s+skills/ }).waitFor()
  await page.getByRole('button', { name: 'Close' }).last().click()
  await page.locator('tr[data-ns=tools]', { hasText: '1.0.0' }).waitFor()
  rmSync(join(server.root, 'tools/use.md'))
  await page.locator('tr[data-ns=tools]', { hasText: 'files are missing' }).waitFor()
})

test('an install goes on without its sheet: seen in the status bar, opened again, stopped', own, async (t) => {
  const registry = await startShelf(t, { tools: { ...tools } })
  const { page, server } = await openConsole(t, { config: { registry_url: registry.url }, allow: [statuses(409, 499)] })
  const job = page.locator('#job')
  const sheet = page.locator('dialog.sheet')
  let held
  const install = async () => {
    held = deferred()
    await page.keyboard.press('i')
    await page.locator('.reg button', { hasText: 'tools' }).click()
    registry.bundles.tools.hold = held.promise
    await sheet.getByRole('button', { name: 'Install', exact: true }).click()
    await page.locator('.stages li.running').waitFor()
  }
  const free = () => {
    registry.bundles.tools.hold = undefined
    held.resolve()
  }
  t.after(() => held.resolve())
  await page.visit('sources')
  await install()
  await page.keyboard.press('Escape')
  await job.filter({ hasText: /^Install tools: / }).click()
  await stop(page)
  free()
  await sheet.getByText('Stopped. The folder is as it was.').waitFor()
  assert.deepEqual([await page.locator('.stages .running').count(), await page.locator('.stages .ended').count()], [0, 1])
  await page.keyboard.press('Escape')
  await job.waitFor({ state: 'hidden' })

  // The result waits in the status bar.
  await install()
  await page.keyboard.press('Escape')
  await job.waitFor()
  free()
  await page.locator('#said', { hasText: 'Install tools: done' }).waitFor()
  await job.filter({ hasText: 'Install tools: done' }).click()
  await sheet.getByText(/tools: 2\s+skills/).waitFor()
  await page.keyboard.press('Escape')
  await job.waitFor({ state: 'hidden' })
  await page.locator('tr[data-ns=tools]').getByRole('button', { name: 'Remove' }).click()
  await sheet.getByRole('button', { name: 'Remove' }).click()
  await eventually('it is removed', () => !existsSync(join(server.root, 'tools')))

  // A page that was loaded again has it, too, and can stop it.
  await install()
  await page.reload()
  await job.filter({ hasText: /^Install tools/ }).click()
  await stop(page)
  free()
  await sheet.getByText('Stopped. The folder is as it was.').waitFor()
  assert.ok(!existsSync(join(server.root, 'tools')))
  await page.keyboard.press('Escape')

  // So it has the reason when it fails.
  await install()
  await page.reload()
  await job.filter({ hasText: /^Install tools/ }).waitFor()
  registry.bundles.tools.status = 500
  free()
  await job.filter({ hasText: 'Install tools: failed' }).click()
  await sheet.getByText(/registry .*500/).waitFor()
})

test('edited here and newer upstream: both are said, and the update is offered', own, async (t) => {
  const registry = await startShelf(t, { tools: { ...tools } })
  const { page, server } = await openConsole(t, { config: { registry_url: registry.url } })
  await page.visit('sources')
  await page.keyboard.press('i')
  await page.locator('.reg button', { hasText: 'tools' }).click()
  await page.locator('dialog').getByRole('button', { name: 'Install', exact: true }).click()
  await page.locator('dialog', { hasText: /tools: 2\s+skills/ }).waitFor()
  await page.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('button', { name: /^Check/ }).click()
  await page.locator('#said', { hasText: 'Asked every upstream; nothing is newer' }).waitFor()

  // What the page reads by itself, because of a change, does not take the place of what Check finds.
  const line = page.locator('tr[data-ns=tools]')
  registry.bundles.tools.version = '1.1.0'
  const [asked, released] = [deferred(), deferred()]
  await page.route('**/console/call', async (route) => {
    if (route.request().postDataJSON().payload.check) {
      asked.resolve()
      await released.promise
    }
    await route.continue()
  })
  await page.clock.install()
  await page.getByRole('button', { name: /^Check/ }).click()
  await asked.promise
  const before = await page.locator('#gen').textContent()
  putAtomically(server.root, 'tools/use.md', '# Use\n\nMine.\n')
  await eventually('the change is told', async () => (await page.locator('#gen').textContent()) !== before)
  await page.clock.runFor(2_000)
  released.resolve()
  await page.locator('#said', { hasText: 'Asked every upstream; one has something newer' }).waitFor()
  await line.getByText('edited here').waitFor()
  assert.match(await line.locator('.state-td').textContent(), /edited here.*newer upstream/)
  assert.equal(await line.locator('td.r').first().textContent(), '2', 'both files are counted')
  assert.match(await page.locator('.say').textContent(), /One has something newer, one was edited here\./)
  assert.equal(await page.getByRole('button', { name: 'Update 1' }).isEnabled(), true)
  await page.locator('#rooms a', { hasText: 'Overview' }).click()
  await page.locator('.look', { hasText: '1.0.0 → 1.1.0' }).waitFor()
  await page.goBack()
  await line.getByRole('button', { name: 'Update' }).click()
  await page.locator('dialog', { hasText: 'Kept because they were edited here: use.md' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).last().click()
  await line.filter({ hasText: '1.1.0' }).waitFor()
})

test('an upstream that does not answer is said where it stands; the rest of the page works', own, async (t) => {
  const { page } = await openConsole(t, { allow: [statuses(422, 502, 503)] })
  await page.visit('sources')
  await page.keyboard.press('i')
  await page.locator('.reg', { hasText: 'registry could not be reached' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('#rooms a', { hasText: 'Bus' }).click()
  await page.locator('.fnrow').first().waitFor()
})
