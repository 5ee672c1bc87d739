// Debian's Chromium, driven by playwright-core.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const program = process.env.III_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

// Nothing but what a test asks for: no updates, no synchronisation, no first-run pages. The sandbox needs a user other than root.
const flags = [
  ...(process.getuid() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function launchChromium() {
  assert.ok(program, 'chromium is not installed: `scripts/setup test` installs it, III_CHROMIUM names another one')
  return chromium.launch({ executablePath: program, args: flags })
}
