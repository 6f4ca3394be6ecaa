// ZIP files in memory for tests, including invalid and malicious ones.
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  name: string;
  bytes: Uint8Array | string;
  /** False size in the headers. */
  claims?: number;
  /** Marked as protected with a password. */
  locked?: boolean;
}

interface Header {
  name: string;
  crc: number;
  packed: number;
  raw: number;
  locked?: boolean | undefined;
}

export function zipFile(entries: ZipEntry[]): Buffer {
  const local: Buffer[] = [];
  const listed: { header: Header; offset: number }[] = [];
  let offset = 0;
  for (const { name, bytes, claims, locked } of entries) {
    const raw = Buffer.from(bytes);
    const packed = deflateRawSync(raw);
    const header = { name, crc: crc32(raw), packed: packed.length, raw: claims ?? raw.length, locked };
    const part = Buffer.concat([localHeader(header), packed]);
    local.push(part);
    listed.push({ header, offset });
    offset += part.length;
  }
  return assembled(local, listed);
}

/** Overlapping entries that all refer to the same data. */
export function overlappingZip(count: number, size: number): Buffer {
  const raw = Buffer.alloc(size, 'a ');
  const packed = deflateRawSync(raw);
  const header = (at: number) => ({ name: `${at}.txt`, crc: crc32(raw), packed: packed.length, raw: size });
  const listed = Array.from({ length: count }, (_, at) => ({ header: header(at), offset: 0 }));
  return assembled([localHeader(header(0)), packed], listed);
}

/** Each entry contains the header of the next one as a stored deflate block, and continues with the shared data (a quoting zip bomb). */
export function quotedZip(count: number, size: number): Buffer {
  const kernel = Buffer.alloc(size, 'a ');
  let raw: Buffer = kernel;
  let data: Buffer = deflateRawSync(kernel);
  const listed: { header: Header; offset: number }[] = [];
  for (let at = count - 1; at >= 0; at--) {
    const header = { name: `${at}.txt`, crc: crc32(raw), packed: data.length, raw: raw.length };
    const head = localHeader(header);
    for (const one of listed) one.offset += head.length;
    listed.unshift({ header, offset: 0 });
    if (at === 0) return assembled([head, data], listed);
    const quote = Buffer.alloc(5);
    quote.writeUInt16LE(head.length, 1);
    quote.writeUInt16LE(0xffff - head.length, 3);
    for (const one of listed) one.offset += quote.length;
    raw = Buffer.concat([head, raw]);
    data = Buffer.concat([quote, head, data]);
  }
  throw new Error('there must be an entry');
}

function common({ name, crc, packed, raw, locked }: Header): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(locked ? 0x801 : 0x800, 2);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt32LE(crc, 10);
  fields.writeUInt32LE(packed, 14);
  fields.writeUInt32LE(raw, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  return fields;
}

const localHeader = (header: Header) =>
  Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common(header), Buffer.from(header.name)]);

function assembled(local: Buffer[], listed: { header: Header; offset: number }[]): Buffer {
  const central = listed.map(({ header, offset }) => {
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    return Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common(header), rest, Buffer.from(header.name)]);
  });
  const data = Buffer.concat(local);
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(listed.length, 8);
  end.writeUInt16LE(listed.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(data.length, 16);
  return Buffer.concat([data, directory, end]);
}
