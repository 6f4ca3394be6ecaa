// Converts Parquet values to JSON without loss: decimals keep their places, integers all their digits, dates are ISO text.
import type { FileMetaData, ParquetParsers, SchemaElement } from 'hyparquet';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The library would replace invalid UTF-8 with other characters, and drop a byte order mark at the start of a text. */
export const parsers: Partial<ParquetParsers> = {
  stringFromBytes: (bytes) => bytes && utf8.decode(bytes),
  jsonFromBytes: (bytes) => bytes && JSON.parse(utf8.decode(bytes)),
  dateFromDays: (days) => (days == null ? days : new Date(days * 86_400_000).toISOString().slice(0, 10)),
};

/** The schema to decode a column with, and the conversion of each decoded value to JSON. */
export function exactSchema(
  { schema }: FileMetaData,
  name: string,
): { schema: SchemaElement[]; exact: (value: unknown) => unknown } {
  const element = schema.find((candidate) => candidate.name === name && candidate.type !== undefined)!;
  if (element.converted_type === 'DECIMAL') {
    // The library converts decimals to floats. Read in their stored type, they stay exact.
    const { converted_type: _, logical_type: __, scale = 0, precision: ___, ...stored } = element;
    return {
      schema: schema.map((candidate) => (candidate === element ? stored : candidate)),
      exact: (value) => (value == null ? null : decimal(value as number | bigint | Uint8Array, scale)),
    };
  }
  return { schema, exact: element.type === 'FLOAT' ? (value) => jsonValue(shortForm(value)) : jsonValue };
}

function jsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  return value ?? null;
}

function decimal(stored: number | bigint | Uint8Array, scale: number): string {
  const bytes = stored instanceof Uint8Array ? stored : undefined;
  const unscaled = bytes
    ? BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`))
    : BigInt(stored as number | bigint);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const whole = `${unscaled < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}`;
  return scale > 0 ? `${whole}.${digits.slice(-scale)}` : whole;
}

/** A 32-bit float with the fewest digits that identify it: 0.1, not 0.10000000149011612. */
function shortForm(value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isFinite(value)) return value;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}
