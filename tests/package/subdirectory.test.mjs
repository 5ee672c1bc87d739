// This repository as a subfolder of somebody's project, on a machine that has only what the SDK needs.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { answers, buildProject, emptyFolder, source } from './lib.mjs'

test('a parent with targets of the same names builds a worker that answers', async (t) => {
  const project = join(source, 'tests', 'package', 'parent')
  const build = await buildProject(project, emptyFolder('subdirectory'), [`-DIII_SOURCE=${source}`], 'worker')
  const { value } = await answers(t, join(build, 'worker'), 'parent::word', [])
  assert.equal(value, 'parent')
  for (const part of ['src/bus/engine', 'src/directory/content', 'examples', 'bench', 'tests'])
    assert.ok(!existsSync(join(build, 'iii', part)), `${part} is no part of the SDK`)
})
