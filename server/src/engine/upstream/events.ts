// Parses the server-sent events of an upstream engine into JSON values, up to [DONE].
import { UpstreamFailure } from './failure.ts';
import type { UpstreamResponse } from './send.ts';

const maxEventLength = 4 << 20;

export async function* events({ type, bytes, close }: UpstreamResponse): AsyncGenerator<unknown, void> {
  if (!/^text\/event-stream\b/i.test(type)) {
    close();
    throw new UpstreamFailure('wrong', `it answers with ${type.split(';')[0] || 'no type'} instead of a stream`);
  }
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of bytes) {
    rest += decoder.decode(part, { stream: true });
    if (rest.length > maxEventLength) throw new UpstreamFailure('wrong', 'one event of its stream does not end');
    const lines = rest.split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data:')) continue;
      const data = line.slice(5).trim();
      if (data === '[DONE]') return;
      yield parsed(data);
    }
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new UpstreamFailure('wrong', 'an event of its stream is not JSON');
  }
}
