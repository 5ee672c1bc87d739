// Keys of the whole page. Single keys do nothing while a field has the focus, and can be switched off.
import { explainDialog } from './explain.js'
import { keys, keysDialog, switchTheme } from './help.js'
import { installDialog } from './install.js'
import { palette, ROOM_KEYS } from './palette.js'
import { go, href, readRoute, rooms } from './router.js'
import { sheetIsOpen } from './sheet.js'

const CHORD_MS = 1200
let chordAt = 0

const ANYWHERE = { '?': keysDialog, w: () => explainDialog(), t: switchTheme }

function single(e) {
  const room = rooms[readRoute().room]
  const chord = Date.now() - chordAt < CHORD_MS
  chordAt = 0
  if (chord && ROOM_KEYS[e.key]) go(href(ROOM_KEYS[e.key]))
  else if (e.key === 'g') return (chordAt = Date.now())
  else if (e.key === '/') room.search ? room.search() : palette.open()
  else if (ANYWHERE[e.key]) ANYWHERE[e.key]()
  else if (room.key?.(e)) return e.preventDefault()
  else if (e.key === 'i') installDialog()
  else return
  e.preventDefault()
}

export function startKeys() {
  addEventListener('keydown', (e) => {
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k') {
      e.preventDefault()
      return palette.isOpen ? palette.close() : palette.open()
    }
    if (sheetIsOpen() || palette.isOpen) return
    const typing = /INPUT|TEXTAREA|SELECT/.test(e.target.tagName)
    if (typing && e.key === 'Escape') return e.target.blur()
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return
    if (keys.single || e.key === 'Escape') single(e)
  })
}
