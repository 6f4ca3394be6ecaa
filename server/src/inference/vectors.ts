// Decodes vectors from the engine's format: base64 of little-endian float32, row after row.
import type { Vectors } from '../engine/protocol.ts';

const bytesOfNumber = 4;

export function base64Rows({ count, dimensions, data }: Vectors): Buffer[] {
  const bytes = Buffer.from(data, 'base64');
  const size = dimensions * bytesOfNumber;
  return Array.from({ length: count }, (_, row) => bytes.subarray(row * size, (row + 1) * size));
}

export const float32Rows = (vectors: Vectors): Float32Array[] => base64Rows(vectors).map(float32Row);

export const rowsOf = (vectors: Vectors): number[][] => float32Rows(vectors).map((row) => [...row]);

export function float32Row(bytes: Buffer): Float32Array {
  const numbers = new Float32Array(bytes.length / bytesOfNumber);
  for (let at = 0; at < numbers.length; at++) numbers[at] = bytes.readFloatLE(at * bytesOfNumber);
  return numbers;
}
