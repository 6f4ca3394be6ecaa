// Why a file cannot be read, in words for the person who sent it. One table; the name of the file is said by whoever shows the reason.

const reasons = {
  empty: 'it is empty',
  no_text: 'no text was found in it',
  scanned:
    'its pages are images without text ({pages}); install tesseract and poppler-utils on the server to have them read',
  unsupported: 'it is {kind}, which cannot be read here; {hint}',
  encrypted: 'it is protected with a password; save it without one and send it again',
  damaged: 'it is damaged or incomplete: {detail}',
  memory: 'reading it needs more than {limit} MB of memory',
  silence: 'the reading of it made no progress in {limit} seconds of work',
  time: 'the reading of it took more than {limit} seconds of work',
  characters: 'it holds more than {limit} characters of text',
  pages: 'it has {count} pages, and at most {limit} are read',
  parts: 'it holds more than {limit} files',
  expanded: 'unpacked it is larger than {limit} bytes',
  depth: 'files lie more than {limit} deep inside each other',
  nested: 'its elements lie more than {limit} deep inside each other',
  row_too_long:
    'the row near line {line} is longer than {limit} characters; a quote that is opened and never closed may be the cause',
  crashed: 'the reading of it ended unexpectedly ({detail})',
} as const;

export type FailureCode = keyof typeof reasons;

export class Unreadable extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, values: Record<string, string | number> = {}, cause?: unknown) {
    super(
      reasons[code].replace(/\{(\w+)\}/g, (_, place: string) => String(values[place] ?? `{${place}}`)),
      { cause },
    );
    this.name = 'Unreadable';
    this.code = code;
  }
}

/** What a library said about a broken file, short enough to be shown. */
export function damaged(error: unknown): Unreadable {
  if (error instanceof Unreadable) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new Unreadable('damaged', { detail: said.split('\n', 1)[0]!.slice(0, 200) || 'nothing more is known' }, error);
}
