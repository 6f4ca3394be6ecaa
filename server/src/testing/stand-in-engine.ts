// A stand-in for the engine's process that speaks its protocol and computes nothing; its argument is its number. Prompts are commands:
// "hold" answers when it is cancelled, "die FILE" ends the process unless the file is there (and makes it), "say, die FILE" after a piece.
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Request {
  type: string;
  id: string;
  model: string;
  kind?: string;
  prompt?: string;
  texts?: string[];
  wait?: boolean;
}

const [name = ''] = process.argv.slice(2);
const loaded = new Map<string, string>();
const held = new Map<string, NodeJS.Timeout>();
const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
const usage = { prompt_tokens: 1, cached_tokens: 0, completion_tokens: 1 };
const end = (id: string, text: string, finish_reason = 'stop') => say({ type: 'end', id, finish_reason, text, usage });

function dieOnce(file: string): void {
  if (existsSync(file)) return;
  writeFileSync(file, '');
  process.kill(process.pid, 'SIGKILL');
}

function answerUnlessDead(id: string, file: string): void {
  dieOnce(file);
  end(id, name);
}

function generate({ id, model, prompt = '', wait }: Request): void {
  if (wait === false && !loaded.has(model)) {
    say({ type: 'error', id, code: 'model_loading', message: `${model} is being loaded.` });
    return;
  }
  loaded.set(model, 'generate');
  const [, says, file] = /^(say, )?die (.+)$/.exec(prompt) ?? [];
  if (says) say({ type: 'delta', id, text: 'a word' });
  // The piece is written before the process ends.
  if (file) setTimeout(() => answerUnlessDead(id, file), says ? 50 : 0);
  else if (prompt === 'hold')
    held.set(
      id,
      setTimeout(() => {}, 1e8),
    );
  else if (prompt === 'refuse') say({ type: 'error', id, code: 'prompt_empty', message: 'It is empty.' });
  else end(id, name);
}

function embed({ id, model, texts = [], wait }: Request): void {
  if (wait === false && !loaded.has(model)) {
    say({ type: 'error', id, code: 'model_loading', message: `${model} is being loaded.` });
    return;
  }
  loaded.set(model, 'embed');
  const bad = texts.indexOf('bad');
  if (bad >= 0) {
    say({ type: 'error', id, code: 'context_exceeded', message: 'It is too long.', facts: { text: bad } });
    return;
  }
  // Each text is a number; the second dimension is the number of the process that embedded it.
  const rows = new Float32Array(texts.flatMap((text) => [Number(text), Number(name)]));
  const truncated = texts.flatMap((text, at) => (Number(text) % 100 === 7 ? [at] : []));
  const data = Buffer.from(rows.buffer).toString('base64');
  say({ type: 'vectors', id, count: texts.length, dimensions: 2, data, tokens: texts.length, truncated });
}

function status(id: string): void {
  const models = [...loaded].map(([model, kind]) => ({
    ...{ model, kind, state: 'ready', bytes: 10, running: held.size, queued: 0 },
  }));
  say({ type: 'status', id, models, memory_bytes: 10, budget_bytes: 100, queue_limit: 512 });
}

function load({ id, model, kind = 'generate' }: Request): void {
  loaded.set(model, kind);
  const about = { family: 'none', context: 100, parameters: 1, bytes: 10, dtype: 'float32', chat: true };
  say({ type: 'loaded', id, model, kind, ...about });
}

function receive(request: Request): void {
  const { type, id, model } = request;
  if (type === 'ping') say({ type: 'pong', id });
  else if (type === 'generate') generate(request);
  else if (type === 'embed') embed(request);
  else if (type === 'status') status(id);
  // A load takes time; messages that arrive meanwhile are answered.
  else if (type === 'load') setTimeout(() => load(request), 30);
  else if (type === 'unload') {
    loaded.delete(model);
    status(id);
  } else if (type === 'cancel' && held.has(id)) {
    clearTimeout(held.get(id));
    held.delete(id);
    end(id, name, 'cancelled');
  }
}

say({ type: 'hello', protocol: 1, pid: process.pid, device: 'cpu', gpus: 0, embedder: null });
createInterface({ input: process.stdin })
  .on('line', (line) => receive(JSON.parse(line)))
  .on('close', () => process.exit());
