// Messages for files that cannot be read, for the person who sent them, in one table. The caller adds the name of the
// file.

const reasons = {
  empty: 'it is empty',
  no_text: 'no text was found in it',
  scanned:
    'its pages are images without text ({pages}); install tesseract and poppler-utils on the server to have them read',
  unsupported: 'it is {kind}, which cannot be read here; {hint}',
  misnamed: '{name} is not {promised}: it begins like {kind}, which cannot be read here; {hint}',
  encrypted: 'it is protected with a password; save it without one and send it again',
  damaged: 'it is damaged or incomplete: {detail}',
  memory: 'reading it needs more than {limit} MB of memory',
  silence: 'the reading of it made no progress in {limit} seconds of work',
  time: 'the reading of it took more than {limit} seconds of work, the most for a file of its size',
  characters: 'it holds more than {limit} characters of text, the most for a file of its size',
  pages: 'it has {count} pages, and at most {limit} are read of a file of its size',
  parts: 'it holds more than {limit} files, the most for a file of its size',
  expanded: 'unpacked it is larger than {limit} bytes, the most for a file of its size',
  overlapping: 'its entries {one} and {other} share the same bytes, as only archives made to do harm have them',
  depth: 'files lie more than {limit} deep inside each other',
  nested: 'its elements lie more than {limit} deep inside each other',
  row_too_long:
    'the row near line {line} is longer than {limit} characters; a quote that is opened and never closed may be the cause',
  crashed: 'the reading of it ended unexpectedly ({detail})',
} as const;

export type FailureCode = keyof typeof reasons;

export class Unreadable extends Error {
  readonly code: FailureCode;
  readonly values: Record<string, string | number>;

  constructor(code: FailureCode, values: Record<string, string | number> = {}, cause?: unknown) {
    super(
      reasons[code].replace(/\{(\w+)\}/g, (_, place: string) => String(values[place] ?? `{${place}}`)),
      { cause },
    );
    this.name = 'Unreadable';
    this.code = code;
    this.values = values;
  }
}

/** A library's message about a broken file, shortened for display. */
export function damaged(error: unknown): Unreadable {
  if (error instanceof Unreadable) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Unreadable(
    'damaged',
    { detail: message.split('\n', 1)[0]!.slice(0, 200) || 'nothing more is known' },
    error,
  );
}
