// Keys and theme: the only things that this browser remembers.
import { h } from './dom.js'
import { setting } from './live.js'
import { openSheet } from './sheet.js'
import { say } from './ui.js'

const KEYS = [
  ['Find or do something', 'Ctrl K'],
  ['Search in this room', '/'],
  ['Overview', 'g o'],
  ['Skills', 'g s'],
  ['Prompts', 'g p'],
  ['Doctor', 'g d'],
  ['Sources', 'g r'],
  ['Bus', 'g b'],
  ['Changes', 'g c'],
  ['Connect', 'g n'],
  ['Up and down', 'k j'],
  ['Open', 'Enter'],
  ['Source of a skill', 'e'],
  ['Copy its id', 'y'],
  ['Why is one missing?', 'w'],
  ['Install', 'i'],
  ['Apply a patch', 'a'],
  ['Pause changes', 'p'],
  ['Light or dark', 't'],
  ['Close', 'Esc'],
]

export const keys = { single: setting.read('keys') !== 'off' }

export function keysDialog() {
  const box = h('input', { type: 'checkbox' })
  box.checked = keys.single
  box.onchange = () => {
    keys.single = box.checked
    setting.write('keys', box.checked ? 'on' : 'off')
  }
  const list = KEYS.map(([what, key]) => h('div', null, what, h('kbd', null, key)))
  openSheet(
    'Keys',
    h('div', null, h('div.keys', null, list), h('label.check', null, box, 'Keys without Ctrl do something')),
    { large: true },
  )
}

export function switchTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  const next = (document.documentElement.dataset.theme || system) === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = next
  setting.write('theme', next)
  say(next === 'dark' ? 'Dark' : 'Light')
}
