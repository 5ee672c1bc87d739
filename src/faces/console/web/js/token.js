// The token is typed once, handed over once, and answered by a cookie that scripts cannot read. The page keeps nothing.
import { signIn } from './backend.js'
import { fill, h } from './dom.js'
import { closeSheet, openSheet } from './sheet.js'
import { errorNote } from './ui.js'

const ABOUT =
  'The server was started with --token. The page hands the token over once and gets a cookie that scripts cannot read; nothing is kept here.'

let asking = false

/** `entered()` when the server has accepted it. */
export function tokenSheet(entered) {
  if (asking) return
  asking = true
  let accepted = false
  const attrs = { type: 'password', autocomplete: 'off', 'aria-label': 'Token', placeholder: 'token', required: true }
  const input = h('input.in.mono', attrs)
  const problem = h('div', { 'aria-live': 'polite' })
  const enter = h('button.btn.primary', { type: 'submit' }, 'Sign in')
  const submit = async (e) => {
    e.preventDefault()
    enter.disabled = true
    try {
      await signIn(input.value)
      accepted = true
      closeSheet()
    } catch (error) {
      fill(problem, h('div.gap16'), errorNote(error))
      input.value = ''
      input.focus()
    } finally {
      enter.disabled = false
    }
  }
  const form = h('form', { onsubmit: submit }, h('p.lede', null, ABOUT), h('div.gap16'), input)
  form.append(h('div.barrow', null, enter, h('span.sub', null, 'After five wrong tokens the server waits a minute.')), problem)
  const onclose = () => {
    asking = false
    if (accepted) entered()
  }
  openSheet("Sign in with the server's token", form, { onclose })
  input.focus()
}
