// A worker that brings its own documents: one skill, one section of it, one prompt. Any engine with the directory on it
// keeps them; they stay when this program ends. Run it with npm iii-sdk 0.11 or newer: node demo.mjs [ADDRESS]
import { registerWorker } from 'iii-sdk'

const iii = registerWorker(process.argv[2] ?? process.env.III_URL ?? 'ws://127.0.0.1:49134')

// iii://demo/demo::guide shows what this function returns.
iii.registerFunction('demo::guide', async () => ({ content: '# Guide\n\nEverything there is to know about the demo.' }))

// Makes the text of the prompt `greet`.
iii.registerFunction('demo::greet_prompt', async ({ name = 'world' }) => ({ content: `Greet ${name} warmly.` }))

// At every start: what changed with an update of this worker takes effect at once.
await iii.trigger({
  function_id: 'skills::register',
  payload: { id: 'demo', skill: '# demo\n\nShows how a worker brings its documents.\n\nMore in the [guide](iii://demo/demo::guide).\n' },
})
await iii.trigger({
  function_id: 'prompts::register',
  payload: {
    name: 'greet',
    description: 'Write a greeting.',
    arguments: [{ name: 'name', description: 'Who is greeted', required: true }],
    function_id: 'demo::greet_prompt',
  },
})
console.log('registered')
