// A small folder of skills with one of everything the console shows: documents that link to each other, prompts, files with a finding,
// files that are not served.
const document = (title, description, body, more = '') =>
  `---\ntitle: ${title}\ndescription: ${description}\n${more}---\n# ${title}\n\n${body}\n`

export const skillFiles = {
  'database/SKILL.md': document(
    'Database',
    'Ask tables questions, change rows, move schemas forward.',
    'Start with [asking a question](query.md). Types are in [the reference](./types.md).',
    'type: index\n',
  ),
  'database/query.md': document(
    'Query a database',
    'Ask a table a question without writing SQL.',
    [
      'Use `database::query` when the answer is *in the rows*. See [the overview](SKILL.md), [types](iii://database/types) and [the manual](https://example.com/manual).',
      '## Ask',
      '```json\n{ "question": "orders per country" }\n```',
      '| field | means |\n|---|---|\n| `question` | what you want to know |',
      '![a diagram](https://example.com/diagram.png)',
    ].join('\n\n'),
    'type: how-to\nfunction_id: database::query\n',
  ),
  'database/types.md': document('Column types', 'Which column types exist.', 'Text, numbers, times.', 'type: reference\n'),
  'images/SKILL.md': document('Images', 'Resize and describe pictures.', 'Start here.', 'type: index\n'),
  'images/resize.md': document('Resize a picture', 'Make a picture smaller.', 'Keep the original.', 'type: how-to\n'),
  'mail/SKILL.md': document('Mail', 'Write and send mail that a person has seen.', 'One request per mail.', 'type: index\n'),
  'mail/send.md': document('Send a mail', 'Send one mail after a person has seen it.', 'Say what is needed first.', 'type: how-to\n'),
  'mail/prompts/compose.md':
    '---\ndescription: Write a mail from a few notes.\narguments:\n  - name: to\n    description: Who will read it\n    required: true\n  - name: tone\n    values: [plain, warm]\n---\nWrite a mail to {{to}}. Keep it {{tone}}.\n',
  // Read leniently: a patch is ready.
  'notes/write.md': '---\ntitle: Write notes\ndescription: Use when: several workers share notes.\n---\n# Write notes\n\nShort ones.\n',
  'notes/read.md': '---\ntitle: Read notes\ndescription: Use when: somebody asks what was decided.\n---\n# Read notes\n\nNewest first.\n',
}

/** A folder of the project: hides the common one of the same name. */
export const localFiles = {
  'images/SKILL.md': document('Images of this project', 'Pictures of this project only.', 'Small ones.', 'type: index\n'),
}

/** Each view of the console on these files, and what tells that it is there. */
export const views = [
  ['', '.ledger'],
  ['skills', '.win .row:not(.wait)'],
  ['skills/database/query?q=data', '.doc .h1'],
  ['skills/database/query?tab=source', '.src'],
  ['skills/database/query?tab=agent', '.rd-body pre'],
  ['skills/database/query?tab=from', '.chain'],
  ['skills?q=nothing+has+these+words', '.state'],
  ['prompts/compose', '.msg'],
  ['doctor', '.equation b'],
  ['sources', '.state'],
  ['bus', '.fnrow'],
  ['bus/directory::skills::get', '.ff'],
  ['bus?view=workers', '.wtable'],
  ['bus?view=triggers', '.trig'],
  ['changes', '.scrub .legend'],
  ['connect/cursor', '.steps'],
]
