// Messages, headers and bytes that no client should send, from a seed.

const methods = [
  'initialize', 'ping', 'server/discover', 'tools/list', 'tools/call', 'resources/list', 'resources/templates/list', 'resources/read', 'resources/directory/read',
  'skills/list', 'skills/get', 'prompts/list', 'prompts/get', 'completion/complete', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe',
  'subscriptions/listen', 'tasks/list', 'x', '', '__proto__', 'notifications/initialized',
]
const keys = [
  'uri', 'name', 'arguments', 'cursor', 'ref', 'argument', 'value', 'type', 'level', 'id', 'x', 'notifications', 'query', 'function', 'resourceSubscriptions',
  'toolsListChanged', 'protocolVersion', 'capabilities', 'inputResponses', 'requestState', 'limit', '', '\u0000', '__proto__',
]
const texts = [
  '', 'x', 'iii://demo', 'iii://skills', 'skill://demo/SKILL.md', 'skill://demo/../x', 'skill://demo/%2e%2e/%2e%2e/etc/passwd', 'iii://../../etc/passwd', 'iii://fn/directory::skills::list', 'find',
  'read', 'call', 'directory::skills::list', 'demo', 'a'.repeat(300), '\u0001\u007f', '\ud800', '{{a}}', '$ARGUMENTS', '2026-07-28', '2025-11-25', '2025-03-26', 'ü'.repeat(50), 'review', '%', '%zz', 'data:,x',
]
const numbers = [0, -1, 1, 1.5, -0, 2 ** 53, 2 ** 63, 1e308, 5e-324]
// Limits of the server: of an address, an id or token, addresses of a listen stream, `_meta`, `initialize`.
const limits = { uri: 1_024, id: 1_024, addresses: 1_000, meta: 64 * 1024, initialize: 64 * 1024 }
const key = (name) => `io.modelcontextprotocol/${name}`

export class Hostile {
  constructor(seed) {
    this.state = seed >>> 0
  }
  /** mulberry32 */
  below(limit) {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % limit
  }
  of(list) {
    return list[this.below(list.length)]
  }
  rarely(one) {
    return this.below(one) === 0
  }

  scalar() {
    return [() => null, () => true, () => this.of(numbers), () => this.of(texts), () => this.of(texts), () => [], () => ({})][this.below(7)]()
  }
  value(depth) {
    if (depth === 0 || this.rarely(3)) return this.scalar()
    const size = this.below(4)
    if (this.rarely(2)) return Array.from({ length: size }, () => this.value(depth - 1))
    return Object.fromEntries(Array.from({ length: size }, () => [this.of(keys), this.value(depth - 1)]))
  }
  meta() {
    const out = {}
    if (!this.rarely(8)) out[key('protocolVersion')] = this.rarely(10) ? this.scalar() : '2026-07-28'
    if (!this.rarely(8)) out[key('clientCapabilities')] = this.rarely(10) ? this.scalar() : {}
    if (this.rarely(4)) out.progressToken = this.scalar()
    if (this.rarely(8)) out[key('logLevel')] = this.of(['debug', 'error', this.scalar()])
    if (this.rarely(8)) out[key('clientInfo')] = this.value(1)
    if (this.rarely(8)) out.traceparent = this.scalar()
    return out
  }
  /** One of these numbers, or one less or more. */
  near(...numbers) {
    return Math.max(0, this.of(numbers) + this.below(3) - 1)
  }
  /** A request whose parts are as large as they may be, or a little larger. */
  large(id) {
    const uri = `iii://${'u'.repeat(this.near(limits.uri - 6, limits.uri, 1))}`
    const stateless = { [key('protocolVersion')]: '2026-07-28', [key('clientCapabilities')]: {} }
    const [method, params] = this.of([
      ['resources/subscribe', { uri }],
      ['resources/unsubscribe', { uri }],
      ['initialize', { protocolVersion: '2025-03-26', capabilities: { x: 'c'.repeat(this.near(limits.initialize - 200, limits.initialize)) } }],
      ['subscriptions/listen', { _meta: stateless, notifications: { resourceSubscriptions: [uri, ...Array.from({ length: this.near(limits.addresses - 1, 2) }, (_, i) => `iii://${i}`)] } }],
      ['tools/call', { _meta: { ...stateless, progressToken: 't'.repeat(this.near(limits.id, 1)), x: 'm'.repeat(this.near(limits.meta - 1_000, limits.meta)) }, name: 'x' }],
      ['tools/call', { _meta: stateless, name: 'call', arguments: { function: 'x', arguments: { a: 'a'.repeat(this.near(1 << 16, 1 << 20)) } } }],
      ['ping', { x: Array.from({ length: this.near(100_000) }, () => []) }],
    ])
    return { jsonrpc: '2.0', id, method, params }
  }
  /** A message, and whether it is one that must be answered. */
  message(id) {
    if (this.rarely(60)) return { out: this.large(id), must: true }
    const out = { jsonrpc: '2.0' }
    let whole = true
    if (this.rarely(20)) (out.jsonrpc = this.scalar()), (whole = out.jsonrpc === '2.0')
    if (!this.rarely(10)) out.id = this.rarely(20) ? this.scalar() : id
    if (!this.rarely(30)) out.method = this.rarely(30) ? this.scalar() : this.of(methods)
    let params = this.value(3)
    if (params && typeof params === 'object' && !Array.isArray(params) && !this.rarely(4)) params = { ...params, _meta: this.rarely(20) ? this.scalar() : this.meta() }
    if (!this.rarely(10)) out.params = params
    if (this.rarely(40)) out.result = this.value(1)
    return { out, must: whole && out.id === id && typeof out.method === 'string' }
  }
  /** A byte changed, removed or doubled; a message cut; two in one line. */
  broken(text) {
    const at = this.below(text.length || 1)
    return [
      () => text.slice(0, at) + String.fromCharCode(this.below(256)) + text.slice(at + 1),
      () => text.slice(0, at) + text.slice(at + 1 + this.below(5)),
      () => text.slice(0, at) + text[at] + text.slice(at),
      () => text.slice(0, at),
      () => text + text,
      () => `[${text},${text}]`,
      () => '['.repeat(this.below(3000)),
      () => `{"a":`.repeat(this.below(500)),
    ][this.below(8)]()
  }

  line(id) {
    const { out, must } = this.message(id)
    const text = JSON.stringify(out)
    if (this.rarely(8)) return { text: this.broken(text).replaceAll('\n', ' ') }
    // Half a character is not JSON text: the answer has no id.
    return { text, id: must && !text.includes('\\ud800') ? id : undefined }
  }

  request(id, session) {
    const { out } = this.message(id)
    let body = JSON.stringify(out)
    if (this.rarely(8)) body = this.broken(body)
    const headers = { 'content-type': 'application/json' }
    if (this.rarely(15)) headers['content-type'] = this.of(['text/plain', 'application/json; charset=utf-8', 'APPLICATION/JSON', '', 'application/jsonx'])
    if (this.rarely(3)) Object.assign(headers, session)
    if (this.rarely(30)) headers['mcp-session-id'] = this.of(['nope', 'x'.repeat(5000), '0'])
    if (!this.rarely(3)) headers['mcp-protocol-version'] = this.of(['2026-07-28', '2026-07-28', '2025-11-25', '2025-03-26', '1999-01-01', ' 2026-07-28 ', 'x'])
    if (!this.rarely(3) && typeof out.method === 'string' && /^[ -~]*$/.test(out.method)) headers['mcp-method'] = out.method
    const name = out.params?.name ?? out.params?.uri
    if (!this.rarely(3)) headers['mcp-name'] = this.of([typeof name === 'string' ? `=?base64?${Buffer.from(name).toString('base64')}?=` : 'x', 'iii://demo', '=?base64?!?=', '=?base64??=', '?='])
    if (this.rarely(5)) headers.accept = this.of(['application/json', 'text/event-stream', '*/*', 'image/png', 'application/json, text/event-stream', ';;,,'])
    if (this.rarely(30)) headers.origin = this.of(['http://evil.example.com', 'null', 'http://127.0.0.1'])
    if (this.rarely(30)) headers.host = this.of(['evil.example.com', 'localhost', '127.0.0.1:1', '[::1]'])
    if (this.rarely(20)) headers['last-event-id'] = this.of(['0-0', '1-1', '-1', 'x', '99999999999999999999-1', '0-18446744073709551615'])
    if (this.rarely(20)) headers[`mcp-param-${this.of(['x', 'region', 'a'.repeat(100)])}`] = 'v'
    const method = this.rarely(12) ? this.of(['GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD', 'PATCH']) : 'POST'
    // The session is left to the others.
    if (method === 'DELETE' && headers['mcp-session-id'] === session['mcp-session-id']) delete headers['mcp-session-id']
    return { method, headers, body: ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method) ? undefined : body }
  }

  /** A request as bytes, mutated. */
  bytes(port) {
    const { method, headers, body = '' } = this.request('b', { 'mcp-session-id': 'nope' })
    const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`)
    lines.push(this.of([`content-length: ${Buffer.byteLength(body)}`, `content-length: ${this.below(100)}`, 'content-length: -1', 'content-length: 99999999999', 'transfer-encoding: chunked', 'transfer-encoding: gzip, chunked', 'expect: 100-continue']))
    let text = `${method} ${this.of(['/mcp', '/mcp', '/mcp?x=1', '/mcp/../mcp', '//mcp', '*', '/%6dcp'])} HTTP/1.${this.below(3)}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
    for (let changes = this.below(4); changes > 0; --changes) text = this.broken(text)
    return Buffer.from(text.slice(0, 20_000), 'latin1')
  }
}
