// What the page knows about the server at this moment, and who wants to hear of changes.

export const live = {
  boot: null,
  generation: 0,
  epoch: '',
  /** The last five minutes: {at, calls, errors, p50_ms, p99_ms}. */
  samples: [],
  /** connecting, live, away or token. */
  link: 'connecting',
}

/** The folders that the server reads, whether they exist or not. */
export const diskRoots = () => (live.boot?.roots || []).filter((r) => r.on_disk)

/** Where a person puts skills of their own. */
export const ownFolder = () => {
  const roots = diskRoots()
  return (roots.find((r) => r.root === 'global') || roots[0])?.folder || '~/.iii/skills'
}

const listeners = new Set()

/** `hear` gets every event of the stream, {type, ...data}, and {type: 'link', state, wait?} when the connection changes. */
export function listen(hear) {
  listeners.add(hear)
  return () => listeners.delete(hear)
}

export function tell(event) {
  for (const hear of [...listeners]) hear(event)
}

/** Settings of this browser: `theme` and `keys`, nothing else. Without storage they last as long as the page. */
export const setting = {
  read(key) {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  },
  write(key, value) {
    try {
      localStorage.setItem(key, value)
    } catch {
      // Not allowed to store: it holds for this page.
    }
  },
}

/** Runs `act` once, `wait` ms after the last request. */
export function later(act, wait) {
  let timer
  return (...args) => {
    clearTimeout(timer)
    timer = setTimeout(() => act(...args), wait)
  }
}
