// The probe shares the WebSocket client with the end-to-end tests: one lock file, one install.
import { createRequire } from 'node:module'

export default createRequire(new URL('../../e2e/package.json', import.meta.url))('ws')
