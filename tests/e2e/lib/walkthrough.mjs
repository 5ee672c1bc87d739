// Follows a page of the documentation as a reader would: writes the files that it shows, types its commands on a terminal, and compares what
// appears with what the page says.
//
// ```console blocks have commands (`$ …`) and what they print. `…` stands for any text in a line; a line `...` for any number of lines.
// A js or markdown block after the words "in a file `NAME`" is that file.
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run, start } from './process.mjs'
import { eventually } from './wait.mjs'

const terminal = fileURLToPath(new URL('../../drivers/terminal.py', import.meta.url))
const here = dirname(dirname(fileURLToPath(import.meta.url)))

/** What a page asks to do, in order: {file, text} or {command, expected}. */
export function stepsOf(markdown) {
  const steps = []
  const fence = /^```(\w*)\n(.*?)^```$/gms
  let last = 0
  for (const match of markdown.matchAll(fence)) {
    const [whole, language, text] = match
    const before = markdown.slice(last, match.index)
    last = match.index + whole.length
    const file = before.match(/in a file `([^`]+)`[^`]*$/)?.[1]
    if (language === 'console') {
      for (const line of text.replace(/\n$/, '').split('\n')) {
        if (line.startsWith('$ ')) steps.push({ command: line.slice(2), expected: [] })
        else steps.at(-1).expected.push(line)
      }
    } else if (file) steps.push({ file, text })
    else assert.doesNotMatch(text, /^\$ /m, `commands stand in console blocks:\n${text}`)
  }
  return steps
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** The lines of a page as one pattern for everything that was printed, but for blank lines at its end. */
export function patternOf(expected) {
  const last = expected.findLastIndex((line) => line !== '')
  const lines = expected.slice(0, last + 1).map((line) => (line === '...' ? '(?:.*\\n)*?' : `${line.split('…').map(escape).join('.*')}[ \\t]*\\n`))
  return new RegExp(`^${lines.join('')}\\n*$`)
}

/** With III_WALKTHROUGH_SHOW=1 everything that appears is printed, for whoever edits a page. */
const show = (command, text) => process.env.III_WALKTHROUGH_SHOW && console.log(`$ ${command}\n${text}`)

// A line that was drawn over is what it was last.
const plain = (text) => text.replaceAll(/[^\n]*\r\u001b\[K/g, '').replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '')

/**
 * `home`: the reader's home folder, which pages call /home/me. `ports`: {49134: n, 3111: n}, those of the page and those that are used.
 * `replace(command)` may give another command for one that cannot be run here (a build), or null to leave it out.
 */
export class Reader {
  constructor(t, { home, cwd, env, ports, replace }) {
    Object.assign(this, { t, home, cwd, ports, replace, files: {} })
    this.state = join(home, '.walkthrough')
    this.env = { HOME: home, SHELL: '/bin/bash', TERM: 'xterm', NO_COLOR: '1', III_TOKEN: '', III_URL: '', ...env }
    writeFileSync(this.state, `cd ${cwd}\n`)
  }

  /** A text of the page, for this machine. */
  here(text) {
    const ported = Object.entries(this.ports).reduce((out, [from, to]) => out.replaceAll(from, String(to)), text)
    return ported.replaceAll('/home/me', this.home)
  }

  async follow(markdown) {
    for (const step of stepsOf(markdown)) {
      if (step.file) await this.write(step)
      else await this.type(step)
    }
  }

  async write({ file, text }) {
    const { stdout } = await run('bash', ['-c', `. ${this.state}; cd "$PWD"; realpath -m ${file.replace('~', '"$HOME"')}`], { env: this.env })
    const path = stdout.trim()
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, this.here(text))
    this.files[file] = text
  }

  async type({ command: typed, expected }) {
    const command = this.replace(this.here(typed.replace(/ +# .*$/, '')))
    if (command === null) return
    if (/^iii-directory serve\b/.test(command)) return this.serve(command, expected)
    if (command.endsWith(' &')) return this.background(command)
    const answers = expected.map((line) => line.match(/^(?:Which\?|Install|Remove).*?(?:nothing:|\[y\/N\]) (.+)$/)).filter(Boolean)
    const steps = answers.map(([line, answer]) => [escape(line.slice(0, line.length - answer.length).trim().slice(-8)), `${answer}\n`])
    const script = `. ${this.state}; ${command}\ncode=$?; { export -p; printf 'cd %q\\n' "$PWD"; } > ${this.state}; exit $code`
    const end = await run('python3', [terminal, '100', JSON.stringify(steps), 'bash', '-c', script], { env: this.env })
    const { code, output } = JSON.parse(end.stdout)
    const shown = plain(output)
    show(command, shown)
    assert.equal(code, 0, `$ ${command}\n${shown}`)
    if (expected.length) assert.match(shown, patternOf(expected.map((line) => this.here(line))), `$ ${command}\n${shown}`)
  }

  /** The server runs until the page is over, on a terminal of its own. */
  async serve(command, expected) {
    const flags = `--port ${this.ports[49134]} --http-port ${this.ports[3111]}`
    const server = start('script', ['-qfec', `. ${this.state}; exec ${command} ${flags}`, '/dev/null'], { env: this.env })
    // The whole line: a terminal hands over what is there, and the end of the line may come later.
    await server.printed('stdout', /Ctrl-C ends the server[^\n]*\n/)
    const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ')
    this.t.after(() => {
      process.kill(Number(children[0]), 'SIGTERM')
      return server.exit
    })
    // The port is not the one where everything looks for a server by itself.
    appendFileSync(this.state, `export III_URL=ws://127.0.0.1:${this.ports[49134]}\n`)
    const shown = plain(server.out.stdout).replaceAll(/^\d{4}-\S+ (info|warn) .*\n/gm, '')
    show(command, shown)
    if (expected.length) assert.match(shown, patternOf(expected.map((line) => this.here(line))), `$ ${command}\n${shown}`)
  }

  /** A worker: what follows may call the functions that its file registers. */
  async background(command) {
    const worker = start('bash', ['-c', `. ${this.state}; exec ${command.slice(0, -2)}`], { env: this.env })
    this.t.after(() => worker.kill('SIGKILL'))
    const text = this.files[command.match(/\S+\.mjs/)[0]]
    for (const [, id] of text.matchAll(/registerFunction\('([^']+)'/g))
      await eventually(`${id} is registered`, async () => {
        const info = await run('bash', ['-c', `. ${this.state}; iii-directory functions ${id}`], { env: this.env })
        return info.code === 0
      })
  }
}

/** A folder with the programs that pages use: this build, Node with the published SDK, and stand-ins for npm and claude. */
export function programs(folder, binary) {
  const put = (name, text) => writeFileSync(join(folder, name), text, { mode: 0o755 })
  mkdirSync(folder, { recursive: true })
  symlinkSync(binary, join(folder, 'iii-directory'))
  put('node', `#!/bin/sh\nexec ${join(here, 'node')} "$@"\n`)
  // Installs nothing: the package of the lock file, as the registry has it, takes the place of the download.
  put('npm', `#!/bin/sh\nmkdir -p node_modules && ln -sfn ${join(here, 'node_modules', 'iii-sdk')} node_modules/iii-sdk\n`)
  // Does what the real one does first: connects to the server that was named.
  put('claude', `#!/bin/sh\nexec ${join(here, 'node')} ${join(here, 'lib', 'claude_stand_in.mjs')} "$@"\n`)
  return folder
}
