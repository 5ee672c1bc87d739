#!/usr/bin/env node
// Replays the recorded directory calls against a worker behind an engine.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEngine } from '../../e2e/lib/engine.mjs';
import { LANES, inOrder } from '../lib/lanes.mjs';
import { Report, readAllowed } from './lib/report.mjs';
import { readRecording, runSession } from './lib/run.mjs';
import { SESSIONS } from './lib/sessions.mjs';
import { CannotRun } from './lib/worker.mjs';

const USAGE = `usage: node replay.mjs --worker 'COMMAND {config} {url}' [--engine ws://127.0.0.1:PORT]
  without --engine the sessions run at once, each on an engine of ours
  [--only file,prefix*]   recordings to play (default: all)
  [--allow file.json]     differences that are meant: [{"file","line","why","ours"}]
  [--record]              write what differs on those lines to that file, as "ours"
  [--max n]               differing lines to print (default 20)
  [--verbose]             print the extra keys and the allowed differences as well
  [--strict-keys]         extra keys fail too
  [--no-git]              leave out the lines that clone
  [--golden dir]          where the recordings are
  [--ready-ms n]          patience for the worker to connect (default 20000)
  [--settle n]            ms to wait after files were changed under a running worker (default 0)`;

const KNOWN = SESSIONS.flatMap((s) => s.parts.map((p) => p.file));

function readOptions() {
  let values;
  try {
    values = parseArgs({
      options: {
        worker: { type: 'string' },
        engine: { type: 'string' },
        only: { type: 'string' },
        allow: { type: 'string' },
        max: { type: 'string', default: '20' },
        golden: { type: 'string' },
        record: { type: 'boolean' },
        verbose: { type: 'boolean' },
        'strict-keys': { type: 'boolean' },
        'no-git': { type: 'boolean' },
        'ready-ms': { type: 'string', default: '20000' },
        settle: { type: 'string', default: '0' },
      },
    }).values;
  } catch (e) {
    throw new CannotRun(`${e.message}\n${USAGE}`);
  }
  if (!values.worker) throw new CannotRun(USAGE);
  for (const k of ['max', 'ready-ms', 'settle']) if (!/^\d+$/.test(values[k])) throw new CannotRun(`--${k} needs a number`);
  const here = path.dirname(fileURLToPath(import.meta.url));
  const golden = path.resolve(values.golden ?? path.join(here, '../../data/directory-0.8.0'));
  if (!fs.existsSync(path.join(golden, 'materialize.py')))
    throw new CannotRun('the recordings are not there; name their folder with --golden');
  return {
    worker: values.worker,
    engine: values.engine,
    only: values.only,
    golden,
    max: Number(values.max),
    verbose: !!values.verbose,
    strictKeys: !!values['strict-keys'],
    record: values.record ? values.allow : undefined,
    git: !values['no-git'],
    readyMs: Number(values['ready-ms']),
    settle: Number(values.settle),
    allowed: values.allow ? readAllowed(values.allow, KNOWN) : [],
    cleanups: new Set(),
  };
}

function chooser(only) {
  if (!only) return () => true;
  const wanted = only
    .split(',')
    .map((w) => w.trim().replace(/\.jsonl$/, ''))
    .filter(Boolean);
  const hit = (w, f) => (w.endsWith('*') ? f.startsWith(w.slice(0, -1)) : f === w);
  for (const w of wanted) if (!KNOWN.some((f) => hit(w, f))) throw new CannotRun(`--only: no recording ${w}`);
  return (file) => wanted.some((w) => hit(w, file));
}

/** What there is to report about one session. */
async function play(session, options) {
  const engine = options.engine ? undefined : await startEngine({ args: ['--engine-only', '--no-worker-manager'] });
  const notes = [];
  const later = (method) => (...args) => notes.push((report) => report[method](...args));
  try {
    await runSession(session, { ...options, engine: options.engine ?? engine.url }, { add: later('add'), skip: later('skip'), warn: later('warn') });
  } finally {
    await engine?.stop();
  }
  return notes;
}

async function main() {
  const options = readOptions();
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, async () => {
      for (const down of options.cleanups) await down();
      process.exit(2);
    });
  const report = new Report(options.allowed, options),
    chosen = chooser(options.only),
    begun = Date.now();
  const sessions = SESSIONS.map((session) => ({
    ...session,
    parts: session.parts.filter((p) => chosen(p.file)).map((p) => ({ ...p, lines: readRecording(options.golden, p.file) })),
  })).filter((session) => session.parts.length);
  await inOrder(sessions, (session) => play(session, options), (notes) => notes.forEach((note) => note(report)), options.engine ? 1 : LANES).catch((e) => {
    // What was found so far is still worth reading.
    if (report.files.size) report.print();
    throw e;
  });
  const unknown = fs
    .readdirSync(options.golden)
    .filter((f) => f.endsWith('.jsonl') && !KNOWN.includes(f.replace(/\.jsonl$/, '')));
  if (unknown.length) report.warn(`recordings this replayer does not know: ${unknown.join(', ')}`);
  if (options.record) report.record(options.record);
  const fine = report.print();
  console.log(`${fine ? 'PASS' : 'FAIL'} in ${Math.round((Date.now() - begun) / 1000)} s`);
  return fine ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (e) => {
    console.error(e instanceof CannotRun ? `cannot run: ${e.message}` : e);
    process.exit(2);
  },
);
