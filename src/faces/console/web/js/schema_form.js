// A form from a JSON Schema. What was not filled in is not sent. A schema that is not understood gives a field for JSON, never nothing.
import { h, prose } from './dom.js'

function number(prop, whole) {
  return (v) => {
    const n = Number(v)
    if (!Number.isFinite(n) || (whole && !Number.isInteger(n))) throw `Not a ${whole ? 'whole ' : ''}number`
    if (prop.minimum != null && n < prop.minimum) throw `At least ${prop.minimum}`
    if (prop.maximum != null && n > prop.maximum) throw `At most ${prop.maximum}`
    return n
  }
}

function json(v) {
  try {
    return JSON.parse(v)
  } catch {
    throw 'Not JSON'
  }
}

const option = (value, label = value) => h('option', { value }, label)

function choice(prop, required, attrs) {
  const none = prop.default != null ? `${prop.default} (default)` : 'not sent'
  const values = prop.enum.filter((v) => v !== null)
  return {
    input: h(
      'select.in',
      attrs,
      required && prop.default == null ? null : option('', none),
      values.map((v) => option(String(v), String(v))),
    ),
    read: (v) => values.find((x) => String(x) === v),
  }
}

const boolean = (attrs) => ({
  input: h('select.in', attrs, option('', 'not sent'), option('true'), option('false')),
  read: (v) => v === 'true',
})

/** The input of one property, and how its text becomes a value. */
function field(prop, type, required, attrs) {
  if (prop.enum) return choice(prop, required, attrs)
  if (type === 'boolean') return boolean(attrs)
  if (type === 'array' && prop.items?.type === 'string') {
    const read = (v) =>
      v
        .split(',')
        .map((x) => x.trim())
        .filter(Boolean)
    return { input: h('input.in.mono', { ...attrs, placeholder: 'one, two, three' }), read }
  }
  if (type === 'integer' || type === 'number') {
    const placeholder = prop.default != null ? String(prop.default) : ''
    return {
      input: h('input.in.mono', { ...attrs, inputmode: 'decimal', placeholder }),
      read: number(prop, type === 'integer'),
    }
  }
  if (type === 'string') {
    return { input: h('input.in', { ...attrs, autocomplete: 'off', spellcheck: 'false' }), read: (v) => v }
  }
  return { input: h('textarea.in.mono', { ...attrs, placeholder: 'JSON', spellcheck: 'false' }), read: json }
}

// {"anyOf": [{"type": "string"}, {"type": "null"}]} is a text that may be absent.
function simple(prop) {
  const parts = (prop.anyOf || prop.oneOf || []).filter((p) => p.type !== 'null')
  return parts.length === 1 && !parts[0].$ref
    ? { ...parts[0], description: prop.description ?? parts[0].description }
    : prop
}

export class SchemaForm {
  constructor(schema, changed) {
    this.fields = []
    this.el = h('div')
    const required = new Set(schema.required || [])
    const names = Object.keys(schema.properties || {}).sort((a, b) => required.has(b) - required.has(a))
    for (const key of names) this.#add(key, simple(schema.properties[key] || {}), required.has(key), changed)
    if (!names.length) this.el.append(h('p.sub', null, 'It takes nothing.'))
  }

  #add(key, prop, required, changed) {
    const type = [prop.type].flat().find((t) => t && t !== 'null')
    const id = `f-${this.fields.length}`
    const hint = prop.description ? h('p.hint', { id: `${id}-h` }, prose(prop.description)) : null
    const bad = h('p.bad', { id: `${id}-e`, hidden: true })
    const described = `${hint ? `${id}-h ` : ''}${id}-e`
    const { input, read } = field(prop, type, required, {
      id,
      'aria-describedby': described,
      oninput: changed,
      onchange: changed,
    })
    this.fields.push({ key, input, read, required, bad })
    const label = h(
      'label',
      { for: id },
      h('code', null, key),
      h('span.opt', null, type || 'any', required ? '' : ', optional'),
    )
    this.el.append(h('div.ff', null, label, input, bad, hint))
  }

  /** {value, ok}; `strict` also shows what is missing. */
  value(strict) {
    const out = {}
    let ok = true
    for (const f of this.fields) {
      const typed = f.input.value
      let problem = typed === '' && f.required ? 'Required' : null
      try {
        if (typed !== '') out[f.key] = f.read(typed)
      } catch (why) {
        problem = String(why)
      }
      const shown = Boolean(problem && (strict || typed !== ''))
      f.bad.hidden = !shown
      f.bad.textContent = problem || ''
      f.input.setAttribute('aria-invalid', String(shown))
      if (problem) ok = false
    }
    return { value: out, ok }
  }

  focusProblem() {
    this.fields.find((f) => f.input.getAttribute('aria-invalid') === 'true')?.input.focus()
  }
}
