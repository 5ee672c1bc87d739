// Workers written against skills 0.1.5: the rows B, C, D, E and G of its checklist, through the bus.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ids, isSorted, offer, refused, scoped, startWithScopes } from './lib/legacy.mjs'
import { call } from './lib/sdks.mjs'
import { eventually } from './lib/wait.mjs'

const big = 262_144

test('skills::register', async (t) => {
  const { node, scopes } = await startWithScopes(t)
  const register = (id, skill = '# t\n\nd\n') => call(node, 'skills::register', { id, skill })
  const refuse = (id, skill, ...words) => refused(node, 'skills::register', { id, skill }, ...words)
  const list = async () => (await call(node, 'skills::list', {})).skills

  await t.test('B1 an empty id', () => refuse('', 'x', 'id must be non-empty'))
  await t.test('B2 capitals', () => refuse('Bad-Id', 'x', 'lowercase', '"Bad-Id"'))
  await t.test('B3 a blank', () => refuse('with space', 'x'))
  await t.test('B4 a slash', () => refuse('with/slash', 'x'))
  await t.test('B5 colons', () => refuse('with::colon', 'x'))
  await t.test('B6 65 letters', () => refuse('a'.repeat(65), 'x', 'too long', '65', '64'))
  await t.test('B7 an empty body', () => refuse('ok', '', 'non-empty'))
  await t.test('B8 a body that is too large', () => refuse('ok', 'x'.repeat(big + 1), 'too large', '262145', '262144'))
  await t.test('B9 the largest body', async () => {
    const id = scoped('big')
    assert.equal((await register(id, 'x'.repeat(big))).id, id)
    assert.equal((await list()).find((row) => row.id === id).bytes, big)
  })
  await t.test('B10 the list has no bodies and is sorted', async () => {
    const id = scoped('smoke')
    await register(id)
    const rows = await list()
    assert.ok(ids(rows).includes(id))
    assert.ok(isSorted(ids(rows)))
    for (const row of rows) {
      assert.equal(typeof row.bytes, 'number')
      assert.equal(typeof row.registered_at, 'string')
      assert.equal('skill' in row, false)
    }
  })
  await t.test('B11 registering again replaces and has a new time', async () => {
    const id = scoped('twice')
    const first = await register(id)
    assert.match(first.registered_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/)
    const second = await eventually('a later time', async () => {
      const again = await register(id, '# other')
      return again.registered_at !== first.registered_at && again
    })
    assert.ok(second.registered_at > first.registered_at)
    const stored = await call(node, 'state::get', { scope: scopes.skills, key: id })
    assert.deepEqual(stored, { id, skill: '# other', registered_at: second.registered_at })
  })
  await t.test('B12 unregistering says whether there was one', async () => {
    const id = scoped('gone')
    await register(id)
    assert.deepEqual(await call(node, 'skills::unregister', { id }), { id, removed: true })
    assert.deepEqual(await call(node, 'skills::unregister', { id }), { id, removed: false })
    assert.ok(!ids(await list()).includes(id))
    await refused(node, 'skills::unregister', { id: 'BAD' }, 'lowercase')
  })
})

test('skills::resources-*', async (t) => {
  const { node } = await startWithScopes(t)
  const id = scoped('indexed')
  const skill = '# Indexed skill\n\nFirst paragraph summary.\n\nSecond paragraph.\n'
  await call(node, 'skills::register', { id, skill })
  const read = async (uri) => {
    const { contents } = await call(node, 'skills::resources-read', { uri })
    assert.equal(contents.length, 1)
    assert.equal(contents[0].uri, uri)
    return contents[0]
  }
  const section = async (value) => read(`iii://${id}/${await offer(node, async () => value)}`)
  const refuse = (uri, ...words) => refused(node, 'skills::resources-read', { uri }, ...words)

  await t.test('C1 the list has the index and the skill', async () => {
    const { resources } = await call(node, 'skills::resources-list', {})
    assert.equal(resources[0].uri, 'iii://skills')
    assert.deepEqual(resources[1], { uri: `iii://${id}`, name: 'Indexed skill', mimeType: 'text/markdown' })
  })
  await t.test('C2 two templates', async () => {
    const { resourceTemplates } = await call(node, 'skills::resources-templates', {})
    assert.deepEqual(ids(resourceTemplates, 'uriTemplate'), ['iii://{skill_id}', 'iii://{skill_id}/{function_id}'])
  })
  await t.test('C3 the index page', async () => {
    const page = await read('iii://skills')
    assert.equal(page.mimeType, 'text/markdown')
    assert.match(page.text, /^# Skills\n/)
    assert.ok(page.text.includes(`- [\`${id}\`](iii://${id}) — Indexed skill — First paragraph summary.\n`))
  })
  await t.test('C4 a skill', async () => {
    assert.deepEqual(await read(`iii://${id}`), { uri: `iii://${id}`, mimeType: 'text/markdown', text: skill })
  })
  await t.test('C5 a section that is a string', async () => {
    const { mimeType, text } = await section('# part\nplain')
    assert.deepEqual([mimeType, text], ['text/markdown', '# part\nplain'])
  })
  await t.test('C6 a section with content', async () => {
    const { mimeType, text } = await section({ content: '# part', more: 1 })
    assert.deepEqual([mimeType, text], ['text/markdown', '# part'])
  })
  await t.test('C7 a section that is something else', async () => {
    const { mimeType, text } = await section({ label: 'x', count: 42 })
    assert.deepEqual([mimeType, text], ['application/json', '{\n  "count": 42,\n  "label": "x"\n}'])
  })
  for (const [row, uri] of [
    ['C8', 'iii://anything/state::set'],
    ['C9', 'iii://x/mcp::handler'],
    ['C10', 'iii://x/skills::register'],
    ['C11', 'iii://x/prompts::register'],
  ]) {
    await t.test(`${row} ${uri} is reserved`, () => refuse(uri, 'internal namespace', uri.split('/').at(-1)))
  }
  await t.test('C12 another scheme', () => refuse('https://example.com', 'iii://', 'https://example.com'))
  await t.test('C13 three segments', () => refuse('iii://a/b/c', 'more than one path segment'))
  await t.test('C14 a skill nobody registered', () => refuse('iii://no-such-skill', 'not found', 'no-such-skill'))
  await t.test('a section that fails or is missing says why', async () => {
    const broken = await offer(node, async () => {
      throw new Error('out of paper')
    })
    await refuse(`iii://x/${broken}`, broken, 'out of paper')
    await refuse('iii://x/nobody::here', 'nobody::here', 'function_not_found')
  })
})

test('prompts::register', async (t) => {
  const { node, scopes } = await startWithScopes(t)
  const input = (more) => ({ name: scoped('p'), description: 'd', function_id: 'f::x', ...more })
  const refuse = (more, ...words) => refused(node, 'prompts::register', input(more), ...words)
  const list = async () => (await call(node, 'prompts::list', {})).prompts

  await t.test('D1 an empty name', () => refuse({ name: '' }, 'name must be non-empty'))
  await t.test('D2 capitals', () => refuse({ name: 'BadName' }, 'lowercase', '"BadName"'))
  await t.test('D3 a blank', () => refuse({ name: 'bad name' }))
  await t.test('D4 colons', () => refuse({ name: 'mcp::register' }))
  await t.test('D5 a blank description', () => refuse({ description: '  ' }, 'description must be non-empty'))
  await t.test('D6 no handler', () => refuse({ function_id: '' }, 'function_id must be non-empty'))
  await t.test('D7 an argument twice', () => refuse({ arguments: [{ name: 'to' }, { name: 'to' }] }, 'duplicate argument name', 'to'))
  await t.test('D8 an argument without name', () => refuse({ arguments: [{ name: '' }] }, 'argument name must be non-empty'))
  await t.test('D9 the list counts arguments and is sorted', async () => {
    const { name } = await call(node, 'prompts::register', input({ arguments: [{ name: 'to', required: true }] }))
    const rows = await list()
    assert.equal(rows.find((row) => row.name === name).arguments, 1)
    assert.ok(isSorted(ids(rows, 'name')))
    for (const row of rows) {
      assert.ok(Number.isInteger(row.arguments))
      assert.equal(typeof row.function_id, 'string')
      assert.equal(typeof row.registered_at, 'string')
    }
  })
  await t.test('D10 registering again replaces and has a new time', async () => {
    const first = await call(node, 'prompts::register', input({ arguments: [{ name: 'to' }] }))
    const again = { name: first.name, description: 'other', function_id: 'f::y' }
    const second = await eventually('a later time', async () => {
      const answer = await call(node, 'prompts::register', again)
      return answer.registered_at !== first.registered_at && answer
    })
    const stored = await call(node, 'state::get', { scope: scopes.prompts, key: first.name })
    assert.deepEqual(stored, { ...again, arguments: [], registered_at: second.registered_at })
  })
  await t.test('D11 unregistering says whether there was one', async () => {
    const { name } = await call(node, 'prompts::register', input())
    assert.deepEqual(await call(node, 'prompts::unregister', { name }), { name, removed: true })
    assert.deepEqual(await call(node, 'prompts::unregister', { name }), { name, removed: false })
    assert.ok(!ids(await list(), 'name').includes(name))
  })
})

test('prompts::mcp-get', async (t) => {
  // Long enough for everybody who answers.
  const { node } = await startWithScopes(t, { config: { state_timeout_ms: 5_000 } })
  const prompt = async (function_id) => {
    const name = scoped('p')
    await call(node, 'prompts::register', { name, description: 'bdd prompt', function_id })
    return name
  }
  const get = async (value, args = {}) =>
    call(node, 'prompts::mcp-get', { name: await prompt(await offer(node, async () => value)), arguments: args })
  const said = (text, role = 'user') => ({ role, content: { type: 'text', text } })

  await t.test('E1 a string', async () => {
    assert.deepEqual(await get('str body'), { description: 'bdd prompt', messages: [said('str body')] })
  })
  await t.test('E2 content', async () => {
    assert.deepEqual((await get({ content: 'obj body' })).messages, [said('obj body')])
  })
  await t.test('E3 messages', async () => {
    const messages = [said('m1'), said('m2', 'assistant')]
    assert.deepEqual((await get({ messages })).messages, messages)
  })
  await t.test('E4 something else', async () => {
    const name = await prompt(await offer(node, async () => ({ x: 1 })))
    await refused(node, 'prompts::mcp-get', { name, arguments: {} }, 'unsupported shape')
  })
  await t.test('E5 a prompt nobody registered', () => refused(node, 'prompts::mcp-get', { name: 'no-such-prompt' }, 'not found', 'no-such-prompt'))
  await t.test('E6 a reserved handler', async () => {
    const name = await prompt('state::set')
    await refused(node, 'prompts::mcp-get', { name, arguments: {} }, 'internal namespace', 'state::set')
  })
  await t.test('arguments reach the handler as they are', async () => {
    const heard = []
    const name = await prompt(
      await offer(node, async (args) => {
        heard.push(args)
        return 'ok'
      }),
    )
    for (const payload of [{ name }, { name, arguments: null }, { name, arguments: { to: ['a'] } }, { name, arguments: [1] }])
      await call(node, 'prompts::mcp-get', payload)
    assert.deepEqual(
      heard.map((args) => (Array.isArray(args) ? args : Object.fromEntries(Object.entries(args).filter(([k]) => k !== '_caller_worker_id')))),
      [{}, {}, { to: ['a'] }, [1]],
    )
  })
  await t.test('required arguments that are missing are named in _meta; the rest of the answer is as ever', async () => {
    const name = scoped('p')
    const function_id = await offer(node, async ({ city }) => `weather in ${city}`)
    const args = [{ name: 'city', required: true }, { name: 'day', required: true }, { name: 'unit' }]
    await call(node, 'prompts::register', { name, description: 'Tells the weather.', arguments: args, function_id })
    const ask = (given) => call(node, 'prompts::mcp-get', { name, arguments: given })
    const { _meta, ...rest } = await ask({ city: null })
    assert.deepEqual(rest, { description: 'Tells the weather.', messages: [said('weather in null')] })
    assert.deepEqual(_meta.missing_arguments, ['city', 'day'])
    assert.match(_meta.warning, /without the required arguments `city`, `day`\. Next: call again/)
    assert.deepEqual((await ask(undefined))._meta.missing_arguments, ['city', 'day'])
    assert.deepEqual(await ask({ city: 'Rome', day: 'Monday' }), { description: 'Tells the weather.', messages: [said('weather in Rome')] })
  })
  await t.test('a handler that never answers is given up, one that is missing is named', async () => {
    const silent = await offer(node, () => new Promise(() => {}))
    const name = await prompt(silent)
    await Promise.all([
      refused(node, 'prompts::mcp-get', { name }, silent, 'timed out'),
      refused(node, 'skills::resources-read', { uri: `iii://x/${silent}` }, silent, 'timed out'),
    ])
    await refused(node, 'prompts::mcp-get', { name: await prompt('nobody::here') }, 'nobody::here', 'function_not_found')
  })
})

test('a protocol bridge', async (t) => {
  const { node } = await startWithScopes(t)
  const id = scoped('bridged')
  await call(node, 'skills::register', { id, skill: '# Bridged\n\nAcross.\n' })
  const function_id = await offer(node, async ({ to }) => ({ content: `Write to ${to}.` }))
  const name = scoped('send')
  await call(node, 'prompts::register', { name, description: 'Send', arguments: [{ name: 'to', required: true }], function_id })

  await t.test('G1 lists resources', async () => {
    const { resources } = await call(node, 'skills::resources-list', {})
    assert.deepEqual(ids(resources, 'uri'), ['iii://skills', `iii://${id}`])
  })
  await t.test('G2 reads one', async () => {
    const { contents } = await call(node, 'skills::resources-read', { uri: `iii://${id}` })
    assert.deepEqual([contents[0].mimeType, contents[0].text], ['text/markdown', '# Bridged\n\nAcross.\n'])
  })
  await t.test('G3 lists prompts', async () => {
    const { prompts } = await call(node, 'prompts::mcp-list', {})
    assert.deepEqual(prompts, [{ name, description: 'Send', arguments: [{ name: 'to', required: true }] }])
  })
  await t.test('G4 makes a prompt', async () => {
    const { description, messages } = await call(node, 'prompts::mcp-get', { name, arguments: { to: 'Ada' } })
    assert.equal(description, 'Send')
    assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'Write to Ada.' } }])
  })
})
