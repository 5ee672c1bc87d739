// An example for pictures: the skills of an invented company, large enough to look like one, made from a few lists of words.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const SPACES = {
  calendar: ['Calendar', 'Find a time that suits everybody.', ['meetings', 'rooms', 'holidays', 'invitations']],
  crm: ['Customers', 'Look up customers and keep their records in order.', ['accounts', 'contacts', 'deals', 'notes']],
  database: ['Database', 'Ask tables questions, change rows, move schemas forward.', ['backups', 'indexes', 'replicas', 'snapshots']],
  deploy: ['Deployments', 'Bring a build to production, and back again.', ['builds', 'releases', 'rollbacks', 'canaries']],
  images: ['Images', 'Resize, crop and describe pictures.', ['thumbnails', 'formats', 'albums', 'captions']],
  incident: ['Incidents', 'What to do when something is on fire, and afterwards.', ['timelines', 'pages', 'reviews', 'postmortems']],
  mail: ['Mail', 'Write and send mail that a person has seen.', ['drafts', 'templates', 'bounces', 'lists']],
  metrics: ['Metrics', 'Read dashboards and know when a number is odd.', ['alerts', 'budgets', 'dashboards', 'anomalies']],
  payments: ['Payments', 'Take money, give it back, explain where it is.', ['refunds', 'invoices', 'disputes', 'payouts']],
  search: ['Search', 'Index documents and answer queries.', ['synonyms', 'rankings', 'facets', 'queries']],
  storage: [
    'Storage',
    'Keep files where they belong, for as long as they should be kept.',
    ['buckets', 'lifecycles', 'archives', 'quotas'],
  ],
  support: ['Support', 'Answer tickets so that they stay answered.', ['tickets', 'macros', 'escalations', 'surveys']],
}
const VERBS = {
  review: ['Review', 'Use when somebody asks whether the WHAT of SPACE are in order.', 'how-to'],
  create: ['Create', 'Creates WHAT of SPACE with the defaults of this house.', 'how-to'],
  explain: ['Explain', 'Explains WHAT of SPACE to somebody who has not seen them before.', 'reference'],
  archive: ['Archive', 'Archives WHAT of SPACE and leaves a pointer behind.', 'how-to'],
  compare: ['Compare', 'Compares WHAT of SPACE in two environments and names what differs.', 'how-to'],
}

const page = (title, description, type, body, more = '') =>
  `---\ntitle: ${title}\ndescription: ${description}\ntype: ${type}\n${more}---\n# ${title}\n\n${body}\n`

const QUERY = `Use \`database::query\` when the answer is *in the rows*. For the shape of a table call \`database::describe\` first; it is cheap and keeps the question honest.

## Ask

\`\`\`json
{
  "question": "orders per country last week, largest first",
  "tables": ["orders", "customers"],
  "limit": 20
}
\`\`\`

The worker turns the question into one \`SELECT\`, shows it in \`sql\`, and runs it in a read-only transaction. Pass \`dry_run: true\` to see the statement without running it.

| field | means | default |
|---|---|---|
| \`question\` | what you want to know, in a sentence | |
| \`tables\` | where to look; all tables when absent | all |
| \`limit\` | most rows to return | 100 |
| \`dry_run\` | only show the statement | false |

## When it is slow

1. Read the plan with [explain](explain-indexes.md).
2. Narrow the question before you add an index.
3. Ask a person before you touch [replicas](review-replicas.md).

> A question that takes longer than a second is usually two questions.`

const COMPOSE = `---
description: Write a mail from a few notes.
arguments:
  - name: to
    description: Who will read it
    required: true
  - name: notes
    description: What it should say, in any order
    required: true
  - name: tone
    description: plain, warm or formal
    values: [plain, warm, formal]
---
Write a mail to {{to}}.

Notes, in no order:

{{notes}}

One request per mail. Say what is needed in the first sentence and the reason in the second. Keep it {{tone}}.
`
const prompt = (description, body, names = []) =>
  `---\ndescription: ${description}\n${names.length ? `arguments:\n${names.map((n) => `  - name: ${n}\n    required: true\n`).join('')}` : ''}---\n${body}\n`

function documents() {
  const out = {}
  for (const [space, [title, description, things]] of Object.entries(SPACES)) {
    const list = []
    for (const what of things) {
      for (const [verb, [word, sentence, type]] of Object.entries(VERBS)) {
        const name = `${verb}-${what}`
        list.push(`- [${word} ${what}](${name}.md)`)
        const about = sentence.replace('WHAT', what).replace('SPACE', title)
        const body = `${about}\n\n1. Read the overview first: [${title}](SKILL.md).\n2. Ask for what is missing before you change anything.\n3. Say what you did in one sentence.`
        out[`${space}/${name}.md`] = page(`${word} ${what}`, about, type, body)
      }
    }
    out[`${space}/SKILL.md`] =
      `---\nname: ${space}\ntitle: ${title}\ndescription: ${description}\ntype: index\n---\n# ${title}\n\n${description} Start here.\n\n${list.join('\n')}\n`
  }
  return out
}

/** Files that have something to be said about them. */
const odd = {
  'database/migrate.md':
    '---\ntitle: Move a schema forward\ndescription: Use when: a column or table has to change.\ntype: how-to\n---\n# Move a schema forward\n\nOne step at a time.\n',
  'payments/explain-fees.md':
    '---\ntitle: Explain fees\ndescription: Use when: a customer asks about a fee.\ntype: how-to\n---\n# Explain fees\n\nName the fee first.\n',
  'support/close-ticket.md':
    '---\ntitle: Close a ticket\n\tdescription: Close a ticket so that it stays closed.\ntype: how-to\n---\n# Close a ticket\n\nAsk once more.\n',
  'incident/escalate.md':
    '---\ntitle: Escalate\ndescription: Who to wake, and when.\ntype: how-to\ntype: reference\n---\n# Escalate\n\nFirst the person on call.\n',
  'crm/prompts/summary.md': 'Summarise this customer.\n',
  'security/hostile-sample.md':
    '---\ntitle: A hostile file, shown safely\ndescription: What the console does with files that try something.\ntype: reference\n---\n# A hostile file, shown safely\n\nRaw HTML is text: <script>alert(document.cookie)</script>.\n\n- A link that runs code: [press me](javascript:alert(1))\n- A link that leaves: [a page on the web](https://example.com)\n\nCharacters nobody sees: user \u202Etxt.exe\u202C and zero\u200Bwidth.\n',
}

const prompts = {
  'mail/prompts/compose.md': COMPOSE,
  'incident/prompts/incident-timeline.md': prompt(
    'Make a timeline from a channel export; times first, causes later.',
    'Make a timeline of {{channel}}.',
    ['channel'],
  ),
  'deploy/prompts/release-note.md': prompt(
    'Turn merged changes into one note a customer can read in a minute.',
    'Write a note for {{version}} from {{changes}}.',
    ['version', 'changes'],
  ),
  'database/prompts/explain-table.md': prompt('Explain a table to somebody who has not seen it.', 'Explain {{table}}.', ['table']),
  'support/prompts/summarise-tickets.md': prompt(
    'Turn the open tickets into one short list of things to do.',
    'List what is to be done, urgent first.',
  ),
  'metrics/prompts/odd-numbers.md': prompt('Name the numbers of today that are odd, and why.', 'Look at {{dashboard}}.', ['dashboard']),
}

const query = {
  'database/query.md': page(
    'Query a database',
    'Ask a table a question without writing SQL, from counts to exports.',
    'how-to',
    QUERY,
    'function_id: database::query\n',
  ),
}

const local = {
  'images/SKILL.md':
    '---\nname: images\ntitle: Images of this project\ndescription: Pictures of this project only; hides the common ones.\ntype: index\n---\n# Images of this project\n\nPNG, at most 200 KB.\n',
  'style/SKILL.md':
    '---\nname: style\ntitle: House style\ndescription: How texts of this project sound.\ntype: index\n---\n# House style\n\nShort sentences.\n',
}

function write(root, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

/** Writes it below `root` and, what belongs to one project only, below `localRoot`. */
export function writeExample(root, localRoot) {
  write(root, { ...documents(), ...odd, ...prompts, ...query })
  writeFileSync(join(root, 'storage', 'list-archives.md'), Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a]))
  write(localRoot, local)
}
