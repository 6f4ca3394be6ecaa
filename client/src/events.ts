// Streams server-sent events. A stream that breaks off throws an error, so that it never looks complete.
import { chunksOf } from './bodies.ts';
import type { Opened } from './call.ts';
import { ConnectionError } from './errors.ts';
import { errorFrom } from './refusals.ts';

export async function* eventsOf<Event>({ response, abort }: Opened): AsyncGenerator<Event, void> {
  let whole = false;
  try {
    for await (const { data } of eventsIn(response.body!)) {
      if (data === '[DONE]') {
        whole = true;
        return;
      }
      const event = JSON.parse(data);
      if (isError(event)) throw errorFrom(event, { status: 0, headers: response.headers, url: response.url });
      yield event;
    }
    throw new ConnectionError({
      code: 'connection_lost',
      detail: 'The stream of events broke off before its end.',
    });
  } finally {
    // If the caller leaves the loop, the connection is closed and the server stops the work.
    if (!whole) abort();
  }
}

/** Whether an event is an error, in OpenAI's format or in ours. */
const isError = (event: unknown) =>
  typeof event === 'object' &&
  event !== null &&
  (('error' in event && event.error !== null) || ('detail' in event && 'code' in event));

/** A named event of long-running work. */
export interface ServerEvent {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: its shape depends on the name
  data: any;
}

/** Events of a stream up to its end. */
export async function* namedEventsOf({ response, abort }: Opened): AsyncGenerator<ServerEvent, void> {
  try {
    for await (const { data, ...named } of eventsIn(response.body!)) yield { ...named, data: JSON.parse(data) };
  } finally {
    abort();
  }
}

/** Lines end with LF or CR LF; an empty line ends an event. */
async function* eventsIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent & { data: string }, void> {
  let data: string[] = [];
  let event = 'message';
  let id: string | undefined;
  for await (const line of linesOf(stream)) {
    if (line === '') {
      if (data.length > 0) yield { event, id, data: data.join('\n') };
      data = [];
      event = 'message';
      continue;
    }
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line)!;
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id') id = value;
  }
}

/** Lines of a streamed text, including a last line without a line end. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunksOf(stream)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
