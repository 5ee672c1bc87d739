// What the official conformance suite expects of a server: tools, prompts and a skill with known names. They are offered by a worker
// on the bus and by files, as any user would offer them; the product knows none of them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { call, callable, connect, sdks } from './sdks.mjs'
import { tempDir } from './engine.mjs'
import { contextPrompt, registerContextFixtures } from './mcp_context_fixtures.mjs'

/** One red pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
/** A header and no samples. */
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

const text = (words) => ({ type: 'text', text: words })
const image = { type: 'image', data: png, mimeType: 'image/png' }
const resource = (uri) => ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'This is an embedded resource.' } })
const noArguments = { type: 'object', properties: {} }

const addressSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

/** Name → [description, handler, request schema]. A handler gives a tool result, which passes through unchanged. */
export const tools = {
  test_simple_text: ['Answers with a text.', () => ({ content: [text('This is a simple text response for testing.')] })],
  test_image_content: ['Answers with an image.', () => ({ content: [image] })],
  test_audio_content: ['Answers with sound.', () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] })],
  test_embedded_resource: ['Answers with a resource.', () => ({ content: [resource('test://embedded-resource')] })],
  test_multiple_content_types: [
    'Answers with text, an image and a resource.',
    () => ({ content: [text('Multiple content types test:'), image, resource('test://mixed-content-resource')] }),
  ],
  test_error_handling: [
    'Always fails.',
    () => ({ isError: true, content: [text('This tool intentionally returns an error for testing')] }),
  ],
  json_schema_2020_12_tool: ['Has a schema of the 2020-12 dialect.', () => ({ content: [text('ok')] }), addressSchema],
  test_custom_header: [
    'Has a parameter that clients also send as a header.',
    ({ region }) => ({ content: [text(`region ${region}`)] }),
    { type: 'object', properties: { region: { type: 'string', description: 'A region.', 'x-mcp-header': 'Region' } } },
  ],
}

/** Name → [description, arguments, handler]. */
export const prompts = {
  test_simple_prompt: ['A prompt without arguments.', [], () => [text('This is a simple prompt for testing.')]],
  test_prompt_with_arguments: [
    'A prompt with two arguments.',
    [
      { name: 'arg1', description: 'The first.', required: true },
      { name: 'arg2', description: 'The second.', required: true },
    ],
    ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  ],
  test_prompt_with_embedded_resource: [
    'A prompt with a resource.',
    [{ name: 'resourceUri', description: 'The address of the resource.', required: true }],
    ({ resourceUri }) => [resource(resourceUri), text('Please process the embedded resource above.')],
  ],
  test_prompt_with_image: ['A prompt with an image.', [], () => [image, text('Please analyze the image above.')]],
}

/** A folder of skills; the first one listed has a folder beside its SKILL.md, which the directory scenario needs. */
export function skillsFolder() {
  const folder = tempDir()
  const write = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  write('conformance/alpha/SKILL.md', '---\nname: alpha\ndescription: A skill with files.\n---\n# Alpha\n\nSee references/more.md.\n')
  write('conformance/alpha/references/more.md', '# More\n')
  write('conformance/alpha/assets/pixel.png', Buffer.from(png, 'base64'))
  write('conformance/beta/SKILL.md', '---\nname: beta\ndescription: A skill of one file.\n---\n# Beta\n')
  return folder
}

/** Registers everything above on the engine and resolves when it can be used. */
export async function registerFixtures(t, engine) {
  const worker = connect(t, sdks['0.22.1'], engine.url, { workerName: 'mcp-conformance' })
  for (const [name, [description, handler, schema = noArguments]] of Object.entries(tools))
    worker.registerFunction(name, async (input) => handler(input ?? {}), { description, request_format: schema, metadata: { mcp: { headers: true } } })
  for (const [name, [description, , handler]] of Object.entries(prompts))
    worker.registerFunction(`conformance::${name}`, async (input) => ({
      messages: handler(input?.arguments ?? input ?? {}).map((content) => ({ role: 'user', content })),
    }), { description })
  const more = registerContextFixtures(worker, (id, payload) => call(worker, id, payload))
  await callable(worker, ...more)
  await callable(worker, ...Object.keys(tools), ...Object.keys(prompts).map((name) => `conformance::${name}`))
  for (const [name, [description, args]] of Object.entries(prompts))
    await call(worker, 'prompts::register', { name, description, arguments: args, function_id: `conformance::${name}` })
  await call(worker, 'prompts::register', { name: contextPrompt.name, description: contextPrompt.description, arguments: [], function_id: `conformance::${contextPrompt.name}` })
  return worker
}
