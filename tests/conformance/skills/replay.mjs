#!/usr/bin/env node
// Replays recorded answers against a worker on an engine.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEngine } from '../../e2e/lib/engine.mjs'
import { LANES, inOrder } from '../lib/lanes.mjs'
import { allowance, isFile } from './lib/allow.mjs'
import { cli } from './lib/cli.mjs'
import { Outcome } from './lib/compare.mjs'
import { events, restart } from './lib/events.mjs'
import { page } from './lib/page.mjs'
import { Peer, sleep } from './lib/peer.mjs'
import { plain } from './lib/plain.mjs'
import { engineCommand, stopAll, words } from './lib/process.mjs'
import { Session, Unfit } from './lib/session.mjs'
import { readDeviations, writeDeviations } from '../lib/pins.mjs'
import { stateAway, stateScripted } from './lib/state.mjs'

const USAGE = `usage: node replay.mjs --worker 'COMMAND {config} {url}' [--engine ws://127.0.0.1:PORT] [options]
  without --engine the files are played at once, each on an engine of ours; with it one after the other:
  --engine-without-state URL   an engine without the state worker: enables files 12 and 13
  --restart-engine 'COMMAND'   how to start a spare engine in the foreground: enables file 16
  --restart-engine-url URL     where that engine listens     --restart-engine-dir DIR   its working directory
  --only a,b*                  files by name, number or prefix    --allow FILE   list of deliberate deviations
  --record                     write what differs on their lines to that list, as "ours"
  --verbose                    print the extra keys and the allowed differences as well
  --strict-keys                additional keys in answers fail    --max N        differences printed (default 40)
  --golden DIR                 the recordings                     --wait MS      patience for the worker to appear (20000)`

const VALUES = ['worker', 'engine', 'engine-without-state', 'restart-engine', 'restart-engine-url', 'restart-engine-dir', 'only', 'allow', 'max', 'golden', 'wait']

function options(argv) {
  const o = {}
  for (let i = 0; i < argv.length; i++) {
    const k = argv[i].replace(/^--/, '')
    if (argv[i] === '--help' || argv[i] === '-h') o.help = true
    else if (argv[i] === '--strict-keys') o.strict = true
    else if (argv[i] === '--record') o.record = true
    else if (argv[i] === '--verbose') o.verbose = true
    else if (argv[i].startsWith('--') && VALUES.includes(k)) {
      if (argv[i + 1] === undefined) throw new Unfit(`${argv[i]} needs a value\n${USAGE}`)
      o[k] = argv[++i]
    } else throw new Unfit(`unknown argument ${argv[i]}\n${USAGE}`)
  }
  if (!o.help && !o.worker) throw new Unfit(USAGE)
  for (const k of ['max', 'wait']) if (o[k] !== undefined && !/^\d+$/.test(o[k])) throw new Unfit(`--${k} needs a number`)
  return o
}

function load(dir) {
  if (!fs.existsSync(dir)) throw new Unfit(`no recordings in ${dir}`)
  return fs
    .readdirSync(dir)
    .filter((f) => /^\d\d-.*\.jsonl$/.test(f))
    .sort()
    .map((f) => ({ name: f.replace(/\.jsonl$/, ''), lines: fs.readFileSync(path.join(dir, f), 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l)) }))
}

/** Does the engine answer, and does it keep state? */
async function hasState(url) {
  let peer
  try {
    peer = await new Peer(url, 'look').open()
  } catch (e) {
    throw new Unfit(e.message)
  }
  const r = await peer.call('state::list', { scope: 'replay-look' }, 5000)
  await peer.close()
  if (r.noReply) throw new Unfit(`the engine at ${url} does not answer calls`)
  return r.error?.code !== 'function_not_found'
}

const PLAYS = { 11: events, 12: stateAway, 13: stateScripted, 14: cli, 15: page, 16: restart }
const OURS = ['--engine-only', '--no-worker-manager']

/** How a file is played on an engine of ours. */
async function ownMode(file) {
  const number = file.name.slice(0, 2)
  const engine = await startEngine({ args: [...OURS, ...(number === '12' || number === '13' ? ['--no-state'] : [])] })
  const play = PLAYS[number] ?? plain
  if (number !== '16') return { url: engine.url, play, end: () => engine.stop() }
  let now = engine
  const again = async () => {
    await now.stop()
    await sleep(1500)
    now = await now.again()
  }
  return { url: engine.url, again, own: restart, end: () => now.stop() }
}

/** How a file is played, or why not: {url, play} | {own} | {skip}. */
function mode(file, opt, engines) {
  if (!engines) return ownMode(file)
  const number = file.name.slice(0, 2)
  if (number === '12' || number === '13') {
    if (!engines.without) return { skip: 'needs an engine without the state worker (--engine-without-state)' }
    return { url: engines.without, play: PLAYS[number] }
  }
  if (number === '16') return opt.engineCommand ? { own: restart, ...engineCommand(opt.engineCommand) } : { skip: 'needs an engine that the replayer may start and stop (--restart-engine, --restart-engine-url)' }
  if (!engines.with) return { skip: 'the engine given has no state worker' }
  return { url: engines.with, play: PLAYS[number] ?? plain }
}

const text = (v) => {
  const t = v === undefined ? '(absent)' : JSON.stringify(v)
  return t.length > 500 ? `${t.slice(0, 500)}… (${t.length} characters)` : t
}

/** What a line without a call is about. */
const subject = (line) => {
  if (line.events) return `events of ${line.events}`
  if (line.cmd) return `command line ${line.cmd.join(' ')}`
  if ('config' in line) return `config ${text(line.config)}`
  if (line.check) return `check ${Object.keys(line.check).join(', ')}`
  return Object.keys(line).find((k) => k.endsWith(' entry')) ?? ''
}

/** What the lines of one file gave: {outcomes: [[index, Outcome or null]], lost} | {skip}. */
async function playFile(file, opt, engines) {
  const m = await mode(file, opt, engines)
  if (m.skip) return m
  const own = { ...opt, dir: path.join(opt.dir, file.name) }
  fs.mkdirSync(own.dir)
  const session = new Session(own, m.url)
  const outcomes = []
  try {
    await (m.own ?? m.play)(session, file, (i, out) => outcomes.push([i, out]), m)
  } catch (e) {
    // not even begun: the replay cannot run; later: this file could not be played to its end
    const next = outcomes.length
    if (!(e instanceof Unfit) || next === 0 || next >= file.lines.length) throw e
    const out = new Outcome()
    out.differ('replay', 'the file can be played to its end', e.message)
    outcomes.push([next, out])
  } finally {
    await session.close()
    await m.end?.()
  }
  return { outcomes, lost: session.lost }
}

async function main() {
  const o = options(process.argv.slice(2))
  if (o.help) {
    console.log(USAGE)
    return 0
  }
  const here = path.dirname(fileURLToPath(import.meta.url))
  const golden = path.resolve(o.golden ?? path.join(here, '../../data/skills-0.1.4'))
  const files = load(golden)
  const opt = {
    worker: words(o.worker),
    waitMs: Number(o.wait ?? 20000),
    fixtures: JSON.parse(fs.readFileSync(path.join(golden, 'fixtures.json'), 'utf8')),
    dir: fs.mkdtempSync(path.join(os.tmpdir(), 'skills-replay-')),
  }
  process.on('exit', () => fs.rmSync(opt.dir, { recursive: true, force: true }))
  if (opt.worker[0].includes('/')) opt.worker[0] = path.resolve(opt.worker[0])
  if (o['restart-engine']) {
    if (!o['restart-engine-url']) throw new Unfit('--restart-engine needs --restart-engine-url')
    opt.engineCommand = { argv: words(o['restart-engine']), url: o['restart-engine-url'], cwd: o['restart-engine-dir'] }
  }
  const names = files.map((f) => f.name)
  let allow
  try {
    allow = allowance(o.allow ? readDeviations(o.allow) : [], names)
  } catch (e) {
    throw new Unfit(`--allow: ${e.message}`)
  }
  opt.ours = (name, number) => (o.record ? undefined : allow.list.find((d) => d.file === name && d.line === number)?.ours)
  const wanted = o.only ? o.only.split(',').filter(Boolean) : ['*']
  for (const w of wanted) if (!names.some((n) => isFile(n, w))) throw new Unfit(`--only: no recorded file matches ${w}`)

  const engines = o.engine ? {} : undefined
  if (engines) engines[(await hasState(o.engine)) ? 'with' : 'without'] = o.engine
  if (engines && o['engine-without-state']) {
    if (await hasState(o['engine-without-state'])) console.log(`note: ${o['engine-without-state']} does keep state; files 12 and 13 need one that does not`)
    else engines.without = o['engine-without-state']
  }

  const total = { files: 0, skipped: 0, lines: 0, same: 0, differ: 0, allowed: 0, uncompared: 0, lost: 0 }
  const compared = []
  const differing = []
  const extras = new Map()
  const info = []
  const chosen = files.filter((file) => wanted.some((w) => isFile(file.name, w)))
  const show = ({ skip, outcomes, lost }, file) => {
    if (skip) {
      total.skipped++
      console.log(`${file.name.padEnd(30)} skipped: ${skip}`)
      return
    }
    const count = { same: 0, differ: 0, allowed: 0, uncompared: 0 }
    total.lost += lost
    const record = (i, out) => {
      const line = file.lines[i]
      const number = i + 1
      if (!out) return count.uncompared++
      compared.push({ name: file.name, number, row: line.row })
      for (const e of out.extras) {
        const key = `${line.call?.function_id ?? (line.events ? 'event payload' : 'other')}  ${e.path.replace(/\[\d+\]/g, '[]')}`
        extras.set(key, [...(extras.get(key) ?? []), `${file.name}:${number}`])
      }
      for (const t of out.info) info.push(`${file.name}:${number} ${t}`)
      if (!out.differences.length) return count.same++
      const { why, open } = allow.use(file.name, number, out.differences, o.record)
      count[open.length ? 'differ' : 'allowed']++
      differing.push({ file: file.name, number, line, why, differences: open })
    }
    for (const [i, out] of outcomes) record(i, out)
    count.uncompared += file.lines.length - outcomes.length
    const n = file.lines.length
    console.log(`${file.name.padEnd(30)} ${String(n).padStart(3)} lines ${String(count.same).padStart(4)} same ${String(count.differ).padStart(3)} differ` + (count.allowed ? ` ${count.allowed} allowed` : '') + (count.uncompared ? ` ${count.uncompared} not compared` : ''))
    total.files++
    total.lines += n
    for (const k of Object.keys(count)) total[k] += count[k]
  }
  await inOrder(chosen, (file) => playFile(file, opt, engines), show, engines ? 1 : LANES)
  if (!total.files) throw new Unfit('nothing was replayed')

  if (o.record) writeDeviations(o.allow, allow.list)
  const failing = differing.filter((d) => d.differences.length)
  const max = Number(o.max ?? 40)
  if (failing.length) console.log('\ndifferences')
  for (const d of failing.slice(0, max)) {
    console.log(`  ${d.file}:${d.number} row ${d.line.row ?? '-'} ${d.line.call ? `${d.line.call.function_id} ${text(d.line.call.payload)}` : subject(d.line)}${d.line.note ? ` (${d.line.note})` : ''}`)
    for (const x of d.differences) console.log(`    ${x.path}\n      expected ${text(x.expected)}\n      actual   ${text(x.actual)}`)
  }
  if (failing.length > max) console.log(`  … ${failing.length - max} more lines differ (--max)`)
  const excused = o.verbose ? differing.filter((d) => !d.differences.length) : []
  if (excused.length) console.log('\nallowed differences')
  for (const d of excused) console.log(`  ${d.file}:${d.number} row ${d.line.row ?? '-'}: ${d.why}`)
  const stale = allow.stale(compared)
  if (stale.length) console.log('\nstale deviations (listed, but nothing differs)')
  for (const d of stale) console.log(`  ${JSON.stringify(d)}`)
  const shown = o.verbose || o.strict ? [...extras] : []
  if (shown.length) console.log(`\nextra keys (${o.strict ? 'failing: --strict-keys' : 'not failures'})`)
  for (const [k, at] of shown) console.log(`  ${k}  ×${at.length}, first at ${at[0]}`)
  if (info.length) console.log('\nobserved, not compared')
  for (const t of info) console.log(`  ${t}`)
  console.log(`\n${total.files} files, ${total.lines} lines: ${total.same} same, ${total.differ} differ, ${total.allowed} allowed, ${total.uncompared} not compared; ${total.skipped} files skipped; ${stale.length} stale; ${extras.size} kinds of extra keys; ${total.lost} replies lost and asked again`)
  return failing.length || stale.length || (o.strict && extras.size) ? 1 : 0
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, async () => {
    await stopAll()
    process.exit(2)
  })

let code
try {
  code = await main()
} catch (e) {
  console.error(e instanceof Unfit ? `replay: ${e.message}` : e)
  code = 2
}
await stopAll()
process.exit(code)
