// What to write into which harness. No token is ever part of a snippet: they name the variable that holds it.

export const HARNESSES = [
  ['claude-code', 'Claude Code'],
  ['claude-desktop', 'Claude Desktop'],
  ['cursor', 'Cursor'],
  ['vscode', 'VS Code'],
  ['codex', 'Codex CLI'],
  ['gemini', 'Gemini CLI'],
  ['zed', 'Zed'],
  ['windsurf', 'Windsurf'],
  ['inspector', 'MCP Inspector'],
  ['other', 'Anything else'],
  ['worker', 'A worker (SDK)'],
]

/** Harnesses that only start programs. */
export const STDIO_ONLY = new Set(['claude-desktop'])

const NAME = 'iii-directory'
const STDIO = { command: 'iii-directory', args: ['mcp'] }
const asJson = (value) => JSON.stringify(value, null, 2)

// How a file names a variable of the environment; editors that come from VS Code have a form of their own.
const SHELL_FORM = '${III_TOKEN}'
const EDITOR_FORM = '${env:III_TOKEN}'

function header(token, variable) {
  return token ? { headers: { Authorization: `Bearer ${variable}` } } : {}
}

const shell = (lines) => ['In a terminal', lines.filter(Boolean).join(' \\\n  ')]

const BY_HARNESS = {
  'claude-code': (c) =>
    c.stdio
      ? shell([`claude mcp add ${NAME} -- iii-directory mcp`])
      : shell([
          `claude mcp add --transport http ${NAME} ${c.url}`,
          c.token && '--header "Authorization: Bearer $III_TOKEN"',
        ]),
  'claude-desktop': () => ['claude_desktop_config.json', asJson({ mcpServers: { [NAME]: STDIO } })],
  cursor: (c) => [
    '.cursor/mcp.json',
    asJson({ mcpServers: { [NAME]: c.stdio ? STDIO : { url: c.url, ...header(c.token, EDITOR_FORM) } } }),
  ],
  vscode: (c) => [
    '.vscode/mcp.json',
    asJson({
      servers: {
        [NAME]: c.stdio ? { type: 'stdio', ...STDIO } : { type: 'http', url: c.url, ...header(c.token, EDITOR_FORM) },
      },
    }),
  ],
  codex: (c) => {
    const lines = c.stdio
      ? ['command = "iii-directory"', 'args = ["mcp"]']
      : [`url = "${c.url}"`, c.token && 'bearer_token_env_var = "III_TOKEN"']
    return ['~/.codex/config.toml', [`[mcp_servers.${NAME}]`, ...lines.filter(Boolean)].join('\n')]
  },
  gemini: (c) => [
    '~/.gemini/settings.json',
    asJson({ mcpServers: { [NAME]: c.stdio ? STDIO : { httpUrl: c.url, ...header(c.token, SHELL_FORM) } } }),
  ],
  zed: (c) => [
    'settings.json',
    asJson({
      context_servers: {
        [NAME]: c.stdio ? { source: 'custom', ...STDIO } : { url: c.url, ...header(c.token, SHELL_FORM) },
      },
    }),
  ],
  windsurf: (c) => [
    '~/.codeium/windsurf/mcp_config.json',
    asJson({ mcpServers: { [NAME]: c.stdio ? STDIO : { serverUrl: c.url, ...header(c.token, EDITOR_FORM) } } }),
  ],
  inspector: (c) =>
    c.stdio
      ? shell(['npx @modelcontextprotocol/inspector iii-directory mcp'])
      : shell([
          `npx @modelcontextprotocol/inspector --cli ${c.url} --transport http --method resources/list`,
          c.token && '--header "Authorization: Bearer $III_TOKEN"',
        ]),
  other: (c) =>
    c.stdio
      ? ['Start this program and speak MCP on its stdin and stdout', 'iii-directory mcp']
      : ['Speak streamable HTTP to', [c.url, c.token && 'Authorization: Bearer $III_TOKEN'].filter(Boolean).join('\n')],
  worker: (c) => [
    'worker.mjs',
    `import { registerWorker } from 'iii-sdk'

const iii = registerWorker('${c.ws}', { workerName: 'adder' })
iii.registerFunction('math::add', async ({ a, b }) => ({ sum: a + b }))`,
  ],
}

/** [where it goes, what to write]. `stdio`: start the program; else HTTP at `url`, with a token when `token`. */
export const snippet = (harness, context) => BY_HARNESS[harness](context)
