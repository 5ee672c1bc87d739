// Where we are. Everything that a person can see is in the address: /console/<room>/<what>?<how>.

/** By name: {title, mount(el), enter(route), tools?(), live?(event), key?(event), search?(), leave?()}. */
export const rooms = {}

const BASE = '/console/'

// The browser would resolve these before anybody could read them.
const unsafe = (part) => part === '' || part === '.' || part === '..'

/** `part`: a heading of a document. */
export function href(room, rest, query, part) {
  const q = new URLSearchParams()
  let path = BASE + room
  if (rest) {
    const parts = rest.split('/')
    if (parts.some(unsafe)) q.append('at', rest)
    else path += '/' + parts.map(encodeURIComponent).join('/').replace(/%3A/g, ':')
  }
  for (const [key, value] of Object.entries(query || {}))
    for (const v of [value].flat()) if (v != null && v !== '') q.append(key, v)
  return path + (q.size ? `?${q}` : '') + (part ? `#${encodeURIComponent(part)}` : '')
}

/** Of an address: without its escapes, where they can be read. */
export const decoded = (part) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function readRoute() {
  const [room, ...rest] = location.pathname.slice(BASE.length).split('/').map(decoded)
  const query = new URLSearchParams(location.search)
  return {
    room: Object.hasOwn(rooms, room) ? room : 'overview',
    rest: query.get('at') || rest.join('/'),
    query,
    part: decoded(location.hash.slice(1)),
  }
}

let showRoute = () => {}

/** `show` draws the route; it is called now and whenever the address changes. */
export function startRouter(show) {
  showRoute = show
  addEventListener('popstate', () => showRoute())
  document.addEventListener('click', (e) => {
    const a = e.target.closest?.('a[href]')
    if (!a || e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || a.target) return
    if (a.origin !== location.origin || !a.pathname.startsWith(BASE)) return
    e.preventDefault()
    go(a.pathname + a.search + a.hash)
  })
  showRoute()
}

/** A step that Back undoes. */
export function go(address) {
  if (address !== location.pathname + location.search + location.hash) history.pushState(null, '', address)
  showRoute()
}

/** The same place, described anew: moving through a list is not a step. */
export function stay(address) {
  history.replaceState(null, '', address)
}

/** One pane at a time: the detail covers the list. */
export const narrow = () => matchMedia('(max-width: 920px)').matches
