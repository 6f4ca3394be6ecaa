// Decodes vectors from the engine's format: base64 of little-endian float32, row after row.
import type { Vectors } from '../engine/protocol.ts';

const bytesOfNumber = 4;

export function rowsOf(vectors: Vectors): number[][] {
  return base64Rows(vectors).map((row) => {
    const numbers = new Array<number>(vectors.dimensions);
    for (let at = 0; at < vectors.dimensions; at++) numbers[at] = row.readFloatLE(at * bytesOfNumber);
    return numbers;
  });
}

export function base64Rows({ count, dimensions, data }: Vectors): Buffer[] {
  const bytes = Buffer.from(data, 'base64');
  const size = dimensions * bytesOfNumber;
  return Array.from({ length: count }, (_, row) => bytes.subarray(row * size, (row + 1) * size));
}

export function float32Rows(vectors: Vectors): Float32Array[] {
  return base64Rows(vectors).map((row) => {
    const numbers = new Float32Array(vectors.dimensions);
    for (let at = 0; at < vectors.dimensions; at++) numbers[at] = row.readFloatLE(at * bytesOfNumber);
    return numbers;
  });
}
