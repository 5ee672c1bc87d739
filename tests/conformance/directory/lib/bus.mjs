// One raw WebSocket connection to an engine: calls functions, and offers functions, trigger types and bindings.
import { randomUUID } from 'node:crypto';
import WebSocket from '../../lib/ws.mjs';

export class Bus {
  constructor(url) {
    this.url = url;
    this.pending = new Map();
    this.functions = new Map();
    this.triggerTypes = new Map();
  }

  open(timeoutMs = 20000) {
    return new Promise((resolve, reject) => {
      this.socket = new WebSocket(this.url, { maxPayload: 1 << 28, handshakeTimeout: timeoutMs, perMessageDeflate: false });
      this.socket.on('open', () => resolve(this));
      this.socket.on('error', (e) => {
        this.failAll();
        reject(e);
      });
      this.socket.on('close', () => this.failAll());
      this.socket.on('message', (data) => this.receive(JSON.parse(data.toString())));
    });
  }

  failAll() {
    for (const settle of this.pending.values()) settle({ lost: true });
    this.pending.clear();
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // Resolves to {result} or {error} as the engine sends it, {timeout:true}, or {lost:true} when the connection ends.
  call(function_id, data, timeoutMs = 30000) {
    const invocation_id = randomUUID();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.pending.delete(invocation_id);
        resolve({ timeout: true });
      }, timeoutMs);
      this.pending.set(invocation_id, (m) => {
        clearTimeout(timer);
        resolve(m);
      });
      if (this.socket.readyState !== WebSocket.OPEN) {
        clearTimeout(timer);
        resolve({ lost: true });
        return;
      }
      this.send({ type: 'invokefunction', invocation_id, function_id, data });
    });
  }

  // The answered announce is the barrier: everything registered before it is in place when it returns.
  announce(name) {
    return this.call(
      'engine::workers::register',
      { runtime: 'node', version: '0.0.0', name, pid: process.pid, os: process.platform },
    );
  }

  offer(id, handler, extra = {}) {
    this.functions.set(id, handler);
    this.send({ type: 'registerfunction', id, ...extra });
  }

  withdraw(id) {
    this.functions.delete(id);
    this.send({ type: 'unregisterfunction', id });
  }

  offerTriggerType(id, onBind) {
    this.triggerTypes.set(id, onBind);
    this.send({ type: 'registertriggertype', id, description: 'test double' });
  }

  bind(trigger_type, function_id, config) {
    const id = randomUUID();
    this.send({ type: 'registertrigger', id, trigger_type, function_id, config });
    return id;
  }

  unbind(id, trigger_type) {
    this.send({ type: 'unregistertrigger', id, trigger_type });
  }

  receive(m) {
    if (m.type === 'invocationresult') {
      const settle = this.pending.get(m.invocation_id);
      this.pending.delete(m.invocation_id);
      settle?.(m);
    } else if (m.type === 'invokefunction') {
      this.serve(m);
    } else if (m.type === 'registertrigger') {
      this.triggerTypes.get(m.trigger_type)?.(m);
      this.send({ type: 'triggerregistrationresult', id: m.id, trigger_type: m.trigger_type, function_id: m.function_id });
    }
  }

  async serve({ invocation_id, function_id, data }) {
    const reply = { type: 'invocationresult', invocation_id, function_id };
    const handler = this.functions.get(function_id);
    try {
      if (!handler) throw new Error('no such function here');
      const result = await handler(data);
      this.send({ ...reply, result: result === undefined ? null : result });
    } catch (e) {
      this.send({ ...reply, error: { code: 'invocation_failed', message: String(e.message) } });
    }
  }

  close() {
    this.socket?.close();
  }
}
