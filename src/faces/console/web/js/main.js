// Start: what the page was given, the rooms, the keys, the stream.
import { call, readBoot, stream } from './backend.js'
import { $, fill } from './dom.js'
import { drawBoot, drawFindings, drawGeneration, drawLink, drawPulse, drawSources, startPulse } from './frame.js'
import { keysDialog, switchTheme } from './help.js'
import { startKeys } from './keys.js'
import { later, listen, live } from './live.js'
import { palette } from './palette.js'
import { readRoute, rooms, startRouter } from './router.js'
import { busRoom } from './rooms/bus.js'
import { changesRoom } from './rooms/changes.js'
import { connectRoom } from './rooms/connect.js'
import { doctorRoom } from './rooms/doctor.js'
import { overviewRoom } from './rooms/overview.js'
import { promptsRoom } from './rooms/prompts.js'
import { skillsRoom } from './rooms/skills.js'
import { sourcesRoom } from './rooms/sources.js'
import { tokenSheet } from './token.js'
import { optional, say } from './ui.js'

const SAMPLES = 300
const COUNTS_MS = 400

Object.assign(rooms, {
  overview: overviewRoom,
  skills: skillsRoom,
  prompts: promptsRoom,
  doctor: doctorRoom,
  sources: sourcesRoom,
  bus: busRoom,
  changes: changesRoom,
  connect: connectRoom,
})

let current = null

function showRoom(key) {
  const room = rooms[key]
  current = key
  for (const other of Object.keys(rooms)) $(`#room-${other}`).hidden = other !== key
  if (!room.mounted) {
    room.mount($(`#room-${key}`))
    room.mounted = true
  }
  for (const a of document.querySelectorAll('#rooms a')) {
    if (a.dataset.room === key) a.setAttribute('aria-current', 'page')
    else a.removeAttribute('aria-current')
  }
  $('#rooms [aria-current]').scrollIntoView({ block: 'nearest', inline: 'nearest' })
  $('#title').textContent = room.title
  fill($('#tools'), room.tools ? room.tools() : [])
}

function follow() {
  const route = readRoute()
  if (current !== route.room) showRoom(route.room)
  document.title = `${rooms[route.room].title} · iii-directory`
  rooms[route.room].enter(route)
}

function takeBoot(boot) {
  live.boot = boot
  live.generation = Math.max(live.generation, boot.generation || 0)
  live.epoch ||= boot.epoch || ''
  drawBoot()
}

const refreshBoot = later(async () => {
  const boot = await optional(readBoot())
  if (boot.error) return
  const before = live.boot.counts?.findings
  takeBoot(boot)
  // The number beside Doctor is an estimate now: findings may depend on who is on the bus.
  if (boot.counts?.findings !== before) readCounts()
}, 500)

/** The numbers beside Doctor and Sources, which the page was not given. */
async function readCounts() {
  const [doctor, locks] = await Promise.all([
    optional(call('directory::doctor', { limit: 1 })),
    optional(call('directory::lock::list')),
  ])
  if (doctor.summary) drawFindings(doctor.summary)
  if (locks.namespaces) drawSources(locks.namespaces.length)
}

async function readSamples() {
  const stats = await optional(call('engine::stats', { window: SAMPLES, functions: false }))
  if (stats.error) return
  live.samples = (stats.samples || []).slice(-SAMPLES)
  drawPulse()
  rooms[current]?.live?.({ type: 'sample' })
}

// ── what the server tells ───────────────────────────────────────────────────────────────────────

/** Another process, or a log that does not reach back: everything is read again, once. */
function startOver(generation) {
  live.generation = generation || 0
  say('The server was restarted or is far ahead; everything was read again')
  readSamples()
  refreshBoot()
  for (const room of Object.values(rooms)) room.shown = null
  if (current) follow()
}

const HEAR = {
  hello(e) {
    const other = live.boot?.epoch && e.epoch !== live.boot.epoch
    live.epoch = e.epoch
    if (other) {
      live.boot.epoch = e.epoch
      return startOver(e.generation)
    }
    const behind = e.generation > live.generation
    live.generation = e.generation
    drawGeneration()
    if (behind) refreshBoot()
  },
  sample(e) {
    // The first one may be the last of those that were read.
    const [last] = live.samples.slice(-1)
    if (last && Math.abs(new Date(e.at) - new Date(last.at)) < 500) return
    live.samples.push(e)
    if (live.samples.length > SAMPLES) live.samples.shift()
    drawPulse()
  },
  change(e) {
    live.generation = e.generation
    drawGeneration()
    refreshBoot()
  },
  worker: refreshBoot,
  function: refreshBoot,
  slow: () => say('The server has not answered yet; still waiting'),
  truncated: () => startOver(live.generation),
  link(e) {
    const back = e.state === 'live' && (live.link === 'away' || live.link === 'full')
    live.link = e.state
    drawLink(e.wait)
    if (e.state === 'token') tokenSheet(enterWithToken)
    if (back) say('The server is back')
  },
}

listen((e) => {
  HEAR[e.type]?.(e)
  if (current && live.link !== 'token') rooms[current].live?.(e)
})

// ── start ───────────────────────────────────────────────────────────────────────────────────────

async function enterWithToken() {
  const boot = await optional(readBoot())
  if (boot.error) return tokenSheet(enterWithToken)
  takeBoot(boot)
  run()
}

let running = false
function run() {
  live.link = stream.isOpen ? 'live' : 'connecting'
  drawLink()
  readSamples()
  if (running) {
    stream.retry()
    return follow()
  }
  running = true
  startRouter(follow)
  stream.start()
  // After what the room asks.
  setTimeout(readCounts, COUNTS_MS)
}

function start() {
  startPulse()
  startKeys()
  // The address belongs to the rooms.
  $('.skip').addEventListener('click', (e) => {
    e.preventDefault()
    $('#main').focus()
  })
  $('#find').addEventListener('click', () => palette.open())
  $('#theme').addEventListener('click', switchTheme)
  $('#retry').addEventListener('click', () => stream.retry())
  $('#keys-button').addEventListener('click', keysDialog)
  const boot = JSON.parse($('#boot').textContent)
  $('#version').textContent = boot.version || ''
  if (boot.token_required && boot.generation == null) {
    live.link = 'token'
    drawLink()
    return tokenSheet(enterWithToken)
  }
  takeBoot(boot)
  run()
}

start()
