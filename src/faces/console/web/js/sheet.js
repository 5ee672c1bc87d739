// What floats over the page: one sheet at a time, a native dialog. The browser returns the focus where it came from.
import { $, fill, h, icon, text } from './dom.js'

const sheet = $('#dialog')
let closed = null

/** `buttons` stand in its foot; `onclose` runs once, however it is closed. */
export function openSheet(title, body, { buttons, large, onclose } = {}) {
  const before = closed
  closed = onclose || null
  before?.()
  sheet.className = large ? 'sheet large' : 'sheet'
  sheet.setAttribute('aria-label', title)
  const close = h('button.icon', { type: 'button', 'aria-label': 'Close', onclick: closeSheet }, icon('close'))
  fill(
    sheet,
    h('header', null, h('h2', null, text(title)), close),
    h('div.body', null, body),
    buttons ? h('footer', null, buttons) : null,
  )
  if (!sheet.open) sheet.showModal()
}

export const sheetIsOpen = () => sheet.open

export function closeSheet() {
  sheet.close()
  ended()
}

// The event comes later than the call, and also after Escape; by then another sheet may be open.
sheet.addEventListener('close', () => sheet.open || ended())

function ended() {
  const act = closed
  closed = null
  fill(sheet)
  act?.()
}

for (const dialog of document.querySelectorAll('dialog')) {
  dialog.addEventListener('click', (e) => e.target === dialog && dialog.close())
}
