// The part of the public engine that starts workers from its own file: a worker with a `config:` block gets it as `--config FILE`. As soon as
// the configuration entry of the worker's name has a value, the engine removes the block from its file at its next start, for good.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from './engine.mjs'
import { directoryBin, start } from './process.mjs'
import { call, callable, gone } from './sdks.mjs'

export class WorkersFile {
  constructor(t, { url, node, block, env = {} }) {
    Object.assign(this, { t, url, node, block, env, home: tempDir() })
  }

  /** One start of the engine: the worker runs, and a block that has an entry is gone afterwards (`before`: already for this start). */
  async boot({ strips = 'after' } = {}) {
    await this.stop()
    const { value } = await call(this.node, 'configuration::get', { id: 'iii-directory' }).catch(() => ({ value: null }))
    const hasEntry = value !== null && value !== undefined
    if (hasEntry && strips === 'before') this.block = undefined
    const args = []
    if (this.block) {
      const file = join(tempDir(), 'iii-directory.yaml')
      writeFileSync(file, JSON.stringify(this.block))
      args.push('--config', file)
    }
    const env = { III_URL: this.url, III_TOKEN: '', III_WORKER_NAME: 'iii-directory', III_ENGINE_PID: String(process.pid), HOME: this.home, ...this.env }
    this.proc = start(directoryBin, args, { cwd: this.home, env })
    this.t.after(() => this.proc.stop())
    if (hasEntry) this.block = undefined
    await callable(this.node, 'directory::health', 'directory::skills::list')
    return { configured: args.length > 0 }
  }

  async stop() {
    if (!this.proc) return
    await this.proc.stop()
    await gone(this.node, 'directory::health')
  }
}
