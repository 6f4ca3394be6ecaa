// The one table of errors: code -> status, sentence and hint. Everything the service refuses, it refuses in these words;
// docs/reference/errors.md is made from this table. `{name}` is a place that the thrower must fill.

interface Entry {
  status: number;
  sentence: string;
  hint: string;
}

export const errors = {
  // what the caller sent
  validation: {
    status: 422,
    sentence: 'The request does not fit the schema: {summary}.',
    hint: 'Each entry of detail names a place, what is wrong there and the kind of mistake.',
  },
  rows_invalid: {
    status: 422,
    sentence: '{count} of the rows cannot be taken: {summary}.',
    hint: 'Mend or remove the rows that detail names and send the data again; nothing was stored.',
  },
  json_invalid: {
    status: 400,
    sentence: 'The body is not valid JSON: {reason}.',
    hint: 'Send one JSON value in UTF-8.',
  },
  body_missing: {
    status: 400,
    sentence: 'The request has no body.',
    hint: 'Send a JSON body with Content-Type: application/json.',
  },
  body_incomplete: {
    status: 400,
    sentence: 'The body ended before it was complete.',
    hint: 'Nothing was stored. Send the whole request again.',
  },
  body_too_slow: {
    status: 408,
    sentence: 'The request did not arrive within {seconds} seconds.',
    hint: 'Nothing was stored. Send it again over a faster connection, or raise the time limit in the settings.',
  },
  body_too_large: {
    status: 413,
    sentence: 'The body is larger than the {limit} bytes that this call takes.',
    hint: 'Send large data as a dataset: POST /v1/datasets.',
  },
  content_type_unsupported: {
    status: 415,
    sentence: 'The content type {type} is not taken here.',
    hint: 'Send {expected}.',
  },
  content_encoding_unsupported: {
    status: 415,
    sentence: 'A body with Content-Encoding {encoding} is not taken.',
    hint: 'Send the body uncompressed.',
  },
  upload_invalid: {
    status: 400,
    sentence: 'The upload cannot be read: {reason}.',
    hint: 'Send multipart/form-data with one part named "file".',
  },
  file_type_unsupported: {
    status: 400,
    sentence: 'The file {file} is not a kind of data that can be read here.',
    hint: 'Send JSON lines (.jsonl), CSV with a header row (.csv) or Parquet (.parquet).',
  },
  file_unreadable: {
    status: 400,
    sentence: 'The file {file} cannot be read: {reason}.',
    hint: 'Nothing was stored. Check the file and send it again.',
  },
  dataset_empty: {
    status: 400,
    sentence: 'The data holds no rows.',
    hint: 'Send at least one row with "input" and "output".',
  },
  upload_base_path_unknown: {
    status: 400,
    sentence: 'The upload base path "{path}" is not one of this server.',
    hint: 'Use the one that GET /v1/get-upload-base-path answers: "local".',
  },

  // who the caller is
  key_missing: {
    status: 401,
    sentence: 'This call needs an API key.',
    hint: 'Send the header "Authorization: Bearer <key>". Make a key with ./lorekeep keys create.',
  },
  key_unknown: {
    status: 401,
    sentence: 'The API key is not known here.',
    hint: 'Check that it was copied whole, or make a new one with ./lorekeep keys create.',
  },
  key_expired: {
    status: 401,
    sentence: 'The API key "{name}" expired at {at}.',
    hint: 'Make a new one, or rotate keys before they expire.',
  },
  key_revoked: {
    status: 401,
    sentence: 'The API key "{name}" was revoked at {at}.',
    hint: 'Use another key of the account.',
  },
  account_disabled: {
    status: 401,
    sentence: 'The account "{name}" is disabled.',
    hint: 'Ask the operator of this installation to enable it.',
  },
  scope_missing: {
    status: 403,
    sentence: 'The API key "{name}" does not have the scope "{scope}" that this call needs.',
    hint: 'Use a key with that scope.',
  },
  operator_only: {
    status: 403,
    sentence: 'Only keys of the operator account may do this.',
    hint: 'Ask the operator of this installation.',
  },
  key_too_strong: {
    status: 403,
    sentence: 'A key cannot make a key that may do more than itself: {reason}.',
    hint: 'Ask for fewer scopes or an earlier expiry, or use a stronger key.',
  },

  // what the caller may have
  rate_limited: {
    status: 429,
    sentence: 'The account has used its {limit} requests a minute.',
    hint: 'Wait {seconds} seconds and try again, or ask {contact} for a higher limit.',
  },
  storage_limit: {
    status: 400,
    sentence: 'The account may store {limit} bytes, and this would take it over them.',
    hint: 'Delete datasets that are no longer needed, or ask {contact} for a higher limit.',
  },

  // what there is
  route_not_found: {
    status: 404,
    sentence: 'There is nothing at {method} {path}.',
    hint: 'The calls that exist are listed at /docs.',
  },
  method_not_allowed: {
    status: 405,
    sentence: '{path} does not answer {method}.',
    hint: 'It answers {allowed}.',
  },
  account_not_found: {
    status: 404,
    sentence: 'There is no account {id}.',
    hint: 'GET /v1/accounts lists them.',
  },
  key_not_found: {
    status: 404,
    sentence: 'There is no key {id} in this account.',
    hint: 'GET /v1/keys lists them.',
  },
  key_not_active: {
    status: 400,
    sentence: 'The key "{name}" is {status} and cannot be rotated.',
    hint: 'Make a new key instead.',
  },
  dataset_not_found: {
    status: 404,
    sentence: 'There is no dataset {id} in this account.',
    hint: 'GET /v1/datasets lists them.',
  },
  name_taken: {
    status: 497,
    sentence: 'The name "{name}" is already taken.',
    hint: 'Choose another name.',
  },
  operator_account: {
    status: 400,
    sentence: 'The operator account cannot be {action}.',
    hint: 'This installation could no longer be managed without it.',
  },

  // the service itself
  headers_too_large: {
    status: 431,
    sentence: 'The request headers are larger than {limit} bytes.',
    hint: 'Send smaller headers.',
  },
  request_malformed: {
    status: 400,
    sentence: 'The request is not valid HTTP: {reason}.',
    hint: 'Check the client or the proxy between.',
  },
  storage_full: {
    status: 507,
    sentence: 'The disk of the server is full.',
    hint: 'Nothing was stored. The operator has to free space below {home}.',
  },
  busy: {
    status: 503,
    sentence: 'The server is {state}.',
    hint: 'Try again in a few seconds.',
  },
  internal: {
    status: 500,
    sentence: 'Something went wrong on the server (request {request}).',
    hint: 'Try again; if it happens again, look the request up in the log of the server.',
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof errors;

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
  cause?: unknown;
}

/** A refusal in the words of the table. Thrown anywhere, answered in one place. */
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
    super(fill(`${sentence} ${hint}`, (values ?? {}) as Record<string, string | number>), { cause: extra?.cause });
    this.name = 'Refusal';
    this.code = code;
    this.status = status;
    this.mistakes = extra?.mistakes;
    this.headers = extra?.headers ?? {};
  }

  /** What goes over the wire. */
  body(): { detail: string | Mistake[]; code: ErrorCode } {
    return { detail: this.mistakes ?? this.message, code: this.code };
  }
}

function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (_, place: string) => String(values[place] ?? `{${place}}`));
}
