// Names formats that are refused, by their first bytes (magic numbers), for messages about files with a misleading name. Those that are
// read are detected in kind.ts.

/** Signatures of common formats without readable text, each with its offset if that is not 0. */
const foreignSignatures: [signature: string, kind: string, at?: number][] = [
  ...['\x89PNG', '\xff\xd8\xff', 'GIF8', 'II*\0', 'MM\0*'].map((start): [string, string] => [start, 'an image']),
  ['WEBP', 'an image', 8],
  ...['\x1f\x8b', 'BZh', '\xfd7zXZ', '7z\xbc\xaf', 'Rar!', '\x28\xb5\x2f\xfd'].map((start): [string, string] => [
    start,
    'a compressed archive other than ZIP',
  ]),
  ['ustar', 'a tar archive', 257],
  ['{\\rtf', 'an RTF document'],
  ['%!PS', 'PostScript'],
  ...['\x7fELF', '\xca\xfe\xba\xbe', '\xcf\xfa\xed\xfe', 'MZ\x90'].map((start): [string, string] => [
    start,
    'a program',
  ]),
  ...['ID3\x02', 'ID3\x03', 'ID3\x04', 'OggS', 'fLaC', '\x1aE\xdf\xa3'].map((start): [string, string] => [
    start,
    'a recording',
  ]),
  ['ftyp', 'a recording', 4],
  ['WAVE', 'a recording', 8],
  ['SQLite format 3\0', 'a database'],
  ['PAR1', 'a Parquet file'],
];

/** The format of a file without text. `start` holds its first bytes as Latin-1. */
export const foreignKind = (start: string) =>
  foreignSignatures.find(([signature, , at = 0]) => start.startsWith(signature, at))?.[1];

/** Description of any format that the first bytes reveal, including documents. */
export function looksLike(start: string): string | undefined {
  if (start.startsWith('%PDF-')) return 'a PDF';
  if (['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'].some((sign) => start.startsWith(sign))) return 'a ZIP or Office file';
  if (start.startsWith('\xd0\xcf\x11\xe0')) return 'an old Office file';
  const text = start.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (/^<(!doctype html|html[\s>]|head[\s>]|body[\s>])/i.test(text)) return 'HTML';
  if (text.startsWith('<?xml')) return 'XML';
  return foreignKind(start);
}
