// A refusal in the words of the table of errors: thrown anywhere, answered in one place.
import { type ErrorCode, errors } from './errors.ts';

/** The places `{name}` of a text, as a union of names. */
type Places<Text extends string> = Text extends `${string}{${infer Place}}${infer Rest}` ? Place | Places<Rest> : never;
type PlacesOf<Code extends ErrorCode> = Places<(typeof errors)[Code]['sentence'] | (typeof errors)[Code]['hint']>;
export type ErrorValues<Code extends ErrorCode> = Record<PlacesOf<Code>, string | number>;

/** One entry of a list of mistakes, in the shape that clients of the platform know. */
export interface Mistake {
  loc: (string | number)[];
  msg: string;
  type: string;
}

interface Extra {
  /** Mistakes by place: they become `detail` instead of the sentence. */
  mistakes?: Mistake[];
  headers?: Record<string, string>;
  /** Advice for this very case, instead of the hint of the table. */
  hint?: string;
  cause?: unknown;
}

export class Refusal<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly mistakes: Mistake[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: Code,
    ...rest: [PlacesOf<Code>] extends [never]
      ? [values?: Record<string, never>, extra?: Extra]
      : [values: ErrorValues<Code>, extra?: Extra]
  ) {
    const [values, extra] = rest;
    const { status, sentence, hint } = errors[code];
    const filled = (text: string) => fill(text, (values ?? {}) as Record<string, string | number>);
    super(`${filled(sentence)} ${extra?.hint ?? filled(hint)}`, { cause: extra?.cause });
    this.name = 'Refusal';
    this.code = code;
    this.status = status;
    this.mistakes = extra?.mistakes;
    this.headers = extra?.headers ?? {};
  }

  /** The body on the wire. */
  body(): { detail: string | Mistake[]; code: ErrorCode } {
    return { detail: this.mistakes ?? this.message, code: this.code };
  }
}

function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (_, place: string) => String(values[place] ?? `{${place}}`));
}
