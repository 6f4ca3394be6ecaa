// Messages for files that cannot be read, for the person who sent them, in one table. The caller adds the name of the
// file.

const reasons = {
  empty: 'it is empty',
  no_text: 'no text was found in it',
  scanned:
    'its pages are images without text ({pages}); install tesseract and poppler-utils on the server to read them',
  unsupported: 'it is {kind}, which is not supported; {hint}',
  misnamed: '{name} is not {promised}: it begins like {kind}, which is not supported; {hint}',
  encrypted: 'it is protected with a password; save it without one and send it again',
  damaged: 'it is damaged or incomplete: {detail}',
  memory: 'reading it needs more than {limit} MB of memory',
  silence: 'reading it made no progress in {limit} seconds of work',
  time: 'reading it took more than {limit} seconds of work, the most for a file of its size',
  characters: 'it holds more than {limit} characters of text, the most for a file of its size',
  pages: 'it has {count} pages, and at most {limit} are read of a file of its size',
  parts: 'it holds more than {limit} files, the most for a file of its size',
  expanded: 'unpacked it is larger than {limit} bytes, the most for a file of its size',
  overlapping: 'its entries {one} and {other} share the same bytes, as in malicious archives',
  depth: 'files are nested more than {limit} deep',
  nested: 'its elements are nested more than {limit} deep',
  row_too_long:
    'the row near line {line} is longer than {limit} characters; a quote that is opened and never closed may be the cause',
  crashed: 'reading it ended unexpectedly ({detail})',
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
    { detail: message.split('\n', 1)[0]!.slice(0, 200) || 'no details are known' },
    error,
  );
}
