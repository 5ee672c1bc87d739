// The question before a function that may change something. The server decides which ones need it.
import { call, CallError } from './backend.js'
import { h, prose } from './dom.js'
import { jsonBox } from './json_view.js'
import { closeSheet, openSheet } from './sheet.js'
import { errorParts } from './ui.js'

/** Functions a person agreed to on this page. Destructive ones are asked for every time. */
const agreed = new Set()

function ask(functionId, payload, error) {
  return new Promise((answer) => {
    let yes = false
    const agree = () => {
      yes = true
      if (!error.hints?.destructive) agreed.add(functionId)
      closeSheet()
    }
    const run = h('button.btn.primary', { type: 'button', onclick: agree }, 'Call it')
    const body = h(
      'div',
      null,
      // What follows `Next:` is for programs.
      h('p.lede', null, prose(errorParts(error).sentence)),
      h('div.gap16'),
      h('p.mono', null, functionId),
      h('div.gap8'),
      jsonBox(payload, 'the payload'),
    )
    const cancel = h('button.btn', { type: 'button', onclick: closeSheet }, 'Do not call')
    openSheet('This may change something', body, { buttons: [cancel, run], onclose: () => answer(yes) })
    const safest = error.hints?.destructive ? cancel : run
    safest.focus()
  })
}

/** Like call(); asks when the server wants an agreement. Throws `declined` when it is not given. */
export async function callAsking(functionId, payload, options = {}) {
  try {
    return await call(functionId, payload, { ...options, confirmed: agreed.has(functionId) || undefined })
  } catch (error) {
    if (error.code !== 'needs_confirmation') throw error
    if (!(await ask(functionId, payload, error))) throw new CallError('declined', 'It was not called.')
    return call(functionId, payload, { ...options, confirmed: true })
  }
}
