// Stands in for `claude` in walkthroughs: `claude mcp add [--transport http] NAME URL` and `claude mcp add NAME -- COMMAND …` connect to that server
// with the official client, list its tools, and end; anything else is a mistake of the page.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const words = process.argv.slice(2)
if (words[0] !== 'mcp' || words[1] !== 'add') throw new Error(`not expected: claude ${words.join(' ')}`)
const dashes = words.indexOf('--')
const [command, ...args] = dashes < 0 ? [] : words.slice(dashes + 1)
const transport = command
  ? new StdioClientTransport({ command, args, env: process.env })
  : new StreamableHTTPClientTransport(new URL(words.at(-1)))
const client = new Client({ name: 'walkthrough', version: '1' })
await client.connect(transport)
const { tools } = await client.listTools()
if (tools.length === 0) throw new Error('the server has no tools')
await client.close()
