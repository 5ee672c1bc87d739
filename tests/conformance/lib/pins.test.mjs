// Waivers on their own: a waived line whose answer changes must fail, in every replay; wording must not.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { Findings, compareError, compareValue } from '../directory/lib/compare.mjs'
import { Report } from '../directory/lib/report.mjs'
import { allowance as skillsAllowance } from '../skills/lib/allow.mjs'
import { Outcome } from '../skills/lib/compare.mjs'
import { allowance as probeAllowance } from './allow.mjs'
import { diff } from './diff.mjs'
import { Message, pinsOf, readDeviations, stable, tokens, unpinned, writeDeviations } from './pins.mjs'

const recorded = { id: 'a', title: 'Theirs' }
const ours = { id: 'a', title: 'Ours' }
const broken = { id: 'a', title: '' }

test('directory replay: a waived line passes as recorded, and fails with another answer, with one more difference, and unrecorded', () => {
  const line = { call: { function_id: 'directory::skills::get' } }
  const verdict = (answer, deviation, record = false) => {
    const report = new Report([deviation], { record })
    const found = new Findings()
    compareValue(recorded, answer, 'answer', found)
    report.add('read-get', 7, line, found)
    return { failing: report.bad.length, allowed: report.tolerated.length }
  }
  const deviation = { file: 'read-get', line: 7, why: 'meant' }
  assert.deepEqual(verdict(ours, deviation), { failing: 1, allowed: 0 }, 'nothing recorded yet')
  assert.deepEqual(verdict(ours, deviation, true), { failing: 0, allowed: 1 })
  assert.deepEqual(deviation.ours, { 'answer.title': 'Ours' })
  assert.deepEqual(verdict(ours, deviation), { failing: 0, allowed: 1 })
  assert.deepEqual(verdict(broken, deviation), { failing: 1, allowed: 0 })
  assert.deepEqual(verdict({ ...ours, id: 'b' }, deviation), { failing: 1, allowed: 0 })
  assert.deepEqual(verdict({ ...recorded }, deviation), { failing: 0, allowed: 0 }, 'the list is stale then, which fails by itself')
})

test('skills replay: the same', () => {
  const list = [{ file: '03-resources', line: 2, why: 'meant' }]
  const open = (answer, record) => {
    const out = new Outcome()
    out.same(recorded, answer, 'answer')
    return skillsAllowance(list, ['03-resources']).use('03-resources', 2, out.differences, record).open.length
  }
  assert.equal(open(ours), 1)
  assert.equal(open(ours, true), 0)
  assert.equal(open(ours), 0)
  assert.equal(open(broken), 1)
})

test('engine probe: the same, step by step', () => {
  const list = [{ scenario: 's', step: 'one', why: 'meant' }]
  const document = (answer) => ({ steps: [{ step: 'one', got: { A: [answer] } }, { step: 'two', got: {} }] })
  const open = (doc, record) => probeAllowance(list, record).rest('s', diff(document(recorded), doc)).length
  assert.equal(open(document(ours)), 1)
  assert.equal(open(document(ours), true), 0)
  assert.equal(open(document(ours)), 0)
  assert.equal(open(document(broken)), 1)
  const other = document(ours)
  other.steps[1].got = { A: ['not waived'] }
  assert.equal(open(other), 1)
})

test('a row behind a row that only we have is pinned as well', () => {
  const theirs = [{ id: 'a', n: 1 }, { id: 'c', n: 1 }]
  const pins = (rows) => {
    const found = new Findings()
    compareValue(theirs, rows, 'rows', found)
    return pinsOf(found.differences)
  }
  const meant = pins([{ id: 'a', n: 1 }, { id: 'b', n: 1 }, { id: 'c', n: 1 }])
  assert.deepEqual(meant, { 'rows.length': '3: a, b, c', 'rows[b]': { id: 'b', n: 1 } })
  assert.notDeepEqual(pins([{ id: 'a', n: 1 }, { id: 'b', n: 1 }, { id: 'c', n: 2 }]), meant)
  assert.notDeepEqual(pins([{ id: 'a', n: 1 }, { id: 'c', n: 1 }, { id: 'b', n: 1 }]), meant)
})

const MISS = 'D110 not_found: there is no skill "a/b". Did you mean: a/c, d? Next: call directory::skills::list.'

test('the wording of an error is free, what callers rely on is not', () => {
  const expected = { code: 'invocation_failed', message: 'handler error: gone: "a/b"' }
  const open = (message) => {
    const pins = (text) => {
      const found = new Findings()
      compareError(expected, { code: 'invocation_failed', message: text }, {}, found)
      return found.differences
    }
    return unpinned({ ours: pinsOf(pins(MISS)) }, pins(message)).length
  }
  assert.equal(open('D110 not_found: "a/b" is not a skill. Did you mean: a/c, d? Next: directory::skills::list shows them.'), 0)
  for (const [from, to] of [['D110', 'D111'], ['a/c, d', 'd'], ['Next:', 'Then:'], ['::list', '::index'], ['"a/b"', '"x"']])
    assert.notEqual(open(MISS.replace(from, to)), 0, `${from} -> ${to}`)
  assert.equal(tokens(MISS), 'D110 not_found · Did you mean a/c, d · Next · directory::skills::list · "a/b"')
})

test('what changes from run to run, and our own descriptions, are not pinned', () => {
  assert.equal(stable('seen 2026-01-02T03:04:05.6+00:00 at localhost:4711'), 'seen <time> at <HOST>')
  assert.deepEqual(stable({ error: MISS }), { error: tokens(MISS) })
  assert.deepEqual(stable({ description: 'x', request_schema: { properties: { description: { description: 'y', type: 'string' } } } }), {
    description: '<text>',
    request_schema: { properties: { description: { type: 'string' } } },
  })
  assert.deepEqual(stable({ id: 'a', description: 'a user wrote this' }), { id: 'a', description: 'a user wrote this' })
  const note = (words) => stable(`> ${words} \`a\`: call \`directory::skills::list\`.\n\n---\n\n# Body\n`)
  assert.equal(note('Note: this is'), note('Another wording for'))
  const long = 'x'.repeat(1000)
  assert.notEqual(stable(long), stable(`${long.slice(1)}y`))
  assert.ok(stable(long).length < 300)
  assert.equal(stable(new Message('D1 is not a code')), '(no code)')
})

test('a list survives being written and read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'iii-pins-'))
  const list = [{ file: 'a', line: 1, why: 'b', ours: { 'x.y': ['z'] } }, { file: 'a', line: 2, why: 'c' }]
  writeDeviations(join(folder, 'list.json'), list)
  assert.deepEqual(readDeviations(join(folder, 'list.json')), list)
  rmSync(folder, { recursive: true })
})
