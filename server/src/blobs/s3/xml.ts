// Parser for the XML subset of S3 answers: elements without attributes that contain text or further elements.

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const plain = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|(\w+));/gi, (all, hex, decimal, name) => {
    if (name) return entities[name] ?? all;
    return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
  });

/** The content of each element with this name. */
export function* elementsOf(xml: string, name: string): Generator<string> {
  for (const [, inner] of xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))) yield inner!;
}

/** The text of the first element with this name. */
export function textOf(xml: string, name: string): string | undefined {
  const [inner] = elementsOf(xml, name);
  return inner === undefined ? undefined : plain(inner);
}

export const xmlText = (text: string): string => text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
