// The fixtures of the conformance suite that talk to the client while they run, or ask it for input. What they want is in their
// metadata (docs/connect.md, "Functions that know their MCP request").
import { createHmac } from 'node:crypto'

const text = (words) => ({ content: [{ type: 'text', text: words }] })
const key = 'of this test run only'
const signed = (state) => `${state}.${createHmac('sha256', key).update(state).digest('hex')}`
const opened = (state) => {
  const [value] = String(state ?? '').split('.')
  return signed(value) === state ? value : undefined
}
const notOurs = { resultType: 'invalid_params', message: 'the request state is not ours' }

const name = { method: 'elicitation/create', params: { mode: 'form', message: 'What is your name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } } }
const sampling = { method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }], maxTokens: 100 } }
const roots = { method: 'roots/list', params: {} }
const confirm = { method: 'elicitation/create', params: { mode: 'form', message: 'Confirm?', requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } } }
const need = (inputRequests, requestState) => ({ resultType: 'input_required', inputRequests, ...(requestState && { requestState }) })
/** Asks for what is missing, then answers. */
const asking = (requests, answer, state) => ({ _mcp: { inputResponses: given = {}, requestState } }) => {
  if (requestState !== undefined && state && !opened(requestState)) return notOurs
  if (Object.keys(requests).every((each) => each in given)) return text(answer(given))
  return need(requests, state && signed(state))
}

const elicitation = (message, properties, required) => ({ method: 'elicitation/create', params: { message, requestedSchema: { type: 'object', properties, ...(required && { required }) } } })

/** Name → [description, handler(input, ask), request schema]; `ask` and `tell` reach the client of the request. */
export const contextTools = {
  test_tool_with_logging: ['Logs while it runs.', async (_, { tell }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) await tell({ level: 'info', data })
    return text('logged')
  }],
  test_tool_with_progress: ['Reports progress.', async (_, { tell }) => {
    for (const progress of [0, 50, 100]) await tell({ progress, total: 100 })
    return text('done')
  }],
  test_logging_tool: ['Would log.', async (_, { tell }) => {
    await tell({ level: 'info', data: 'only when asked' })
    return text('ok')
  }],
  test_sampling: ['Asks the model of the client.', async ({ prompt }, { ask }) => {
    const answer = await ask({ method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 } })
    return text(`LLM response: ${answer.content.text}`)
  }, { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] }],
  test_elicitation: ['Asks the user.', async ({ message }, { ask }) => {
    const answer = await ask(elicitation(message, { username: { type: 'string', description: 'Name' }, email: { type: 'string', description: 'Address' } }, ['username', 'email']))
    return text(`User response: ${JSON.stringify(answer)}`)
  }, { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }],
  test_elicitation_sep1034_defaults: ['Asks with defaults.', async (_, { ask }) => {
    const answer = await ask(elicitation('Please review', {
      name: { type: 'string', default: 'John Doe' }, age: { type: 'integer', default: 30 }, score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' }, verified: { type: 'boolean', default: true },
    }))
    return text(`Elicitation completed: ${JSON.stringify(answer)}`)
  }],
  test_elicitation_sep1330_enums: ['Asks for choices.', async (_, { ask }) => {
    const options = ['option1', 'option2', 'option3']
    const titled = options.map((value) => ({ const: value, title: value.toUpperCase() }))
    const answer = await ask(elicitation('Choose', {
      untitledSingle: { type: 'string', enum: options }, titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: { type: 'string', enum: options, enumNames: ['One', 'Two', 'Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } }, titledMulti: { type: 'array', items: { anyOf: titled } },
    }))
    return text(`Elicitation completed: ${JSON.stringify(answer)}`)
  }],
  test_missing_capability: ['Needs sampling.', () => need({ capital_question: sampling })],
  test_streaming_elicitation: ['Asks for a name.', asking({ user_name: name }, (given) => `Hello ${given.user_name.content?.name}`)],
  test_input_required_result_elicitation: ['Asks for a name.', asking({ user_name: name }, (given) => `Hello ${given.user_name.content?.name}`)],
  test_input_required_result_sampling: ['Asks a model.', asking({ capital_question: sampling }, (given) => `It said ${given.capital_question.content?.text}`)],
  test_input_required_result_list_roots: ['Asks for roots.', asking({ client_roots: roots }, (given) => `${given.client_roots.roots?.length} roots`)],
  test_input_required_result_request_state: ['Keeps state.', asking({ confirm }, () => 'state-ok', 'confirm')],
  test_input_required_result_tampered_state: ['Checks its state.', asking({ confirm }, () => 'state-ok', 'tamper')],
  test_input_required_result_multiple_inputs: ['Asks for three things.', asking({ user_name: name, greeting: sampling, client_roots: roots }, () => 'all there', 'multiple')],
  test_input_required_result_multi_round: ['Asks twice.', ({ _mcp: { inputResponses: given = {}, requestState } }) => {
    if (requestState !== undefined && !opened(requestState)) return notOurs
    const round = requestState === undefined ? 0 : Number(opened(requestState).at(-1))
    if (round === 0 || (round === 1 && !given.step1)) return need({ step1: confirm }, signed('round1'))
    if (round === 1 || !given.step2) return need({ step2: confirm }, signed('round2'))
    return text('both rounds')
  }],
  test_input_required_result_capabilities: ['Asks for what the client can do.', ({ _mcp: { inputResponses: given = {}, clientCapabilities: can } }) => {
    if (Object.keys(given).length) return text('ok')
    return need({ ...(can.sampling && { capital_question: sampling }), ...(can.elicitation && { user_name: name }) })
  }],
}

export const contextPrompt = {
  name: 'test_input_required_result_prompt',
  description: 'Asks for context.',
  handler: ({ _mcp: { inputResponses: given = {} } = {} }) =>
    given.user_context ? { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(given.user_context) } }] } : need({ user_context: name }),
}

/** Function id → [handler, resource]. */
export const contextResources = {
  'conformance::static_text': [() => 'This is the content of the static text resource.', { uri: 'test://static-text', name: 'Static text', description: 'A text.', mimeType: 'text/plain' }],
  'conformance::static_binary': [() => ({ blob: 'iVBORw0KGgo=' }), { uri: 'test://static-binary', name: 'Static binary', description: 'Bytes.', mimeType: 'image/png' }],
  'conformance::template': [({ id }) => ({ text: JSON.stringify({ id, data: `Data for ID: ${id}` }) }), { uri: 'test://template/{id}/data', name: 'Template', description: 'By id.', mimeType: 'application/json' }],
}

/** Registers them with a worker of the Node SDK. Gives the ids to wait for. */
export function registerContextFixtures(worker, trigger) {
  const handlerOf = (handler) => async (input) => {
    const { request, tell } = input._mcp ?? {}
    const say = (message) => trigger(tell, { request, ...message })
    return handler(input, { tell: say, ask: (question) => say({ ask: question }) })
  }
  for (const [id, [description, handler, schema = { type: 'object', properties: {} }]] of Object.entries(contextTools))
    worker.registerFunction(id, handlerOf(handler), { description, request_format: schema, metadata: { mcp: { context: true } } })
  worker.registerFunction(`conformance::${contextPrompt.name}`, handlerOf(contextPrompt.handler), { description: contextPrompt.description, metadata: { mcp: { context: true } } })
  for (const [id, [handler, resource]] of Object.entries(contextResources))
    worker.registerFunction(id, async (input) => handler(input), { description: resource.description, metadata: { mcp: { resource } } })
  let changes = 0
  worker.registerFunction('test_trigger_tool_change', async () => {
    worker.registerFunction(`test_changed_${++changes}`, async () => null, { description: 'New.' })
    return text('changed')
  }, { description: 'Adds a tool.' })
  worker.registerFunction('test_trigger_prompt_change', async () => {
    await trigger('prompts::register', { name: `test_changed_${++changes}`, description: 'New.', function_id: 'conformance::test_simple_prompt' })
    return text('changed')
  }, { description: 'Adds a prompt.' })
  return [...Object.keys(contextTools), ...Object.keys(contextResources), 'test_trigger_tool_change', 'test_trigger_prompt_change']
}
