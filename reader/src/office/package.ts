// Office Open XML packages: a ZIP of XML parts that refer to each other by relationships.
import type { FileToRead } from '../block.ts';
import { Unreadable } from '../failures.ts';
import { attribute, readAllXml, type XmlHandler } from './xml.ts';
import { openZip, type Zip } from './zip.ts';

export interface Relation {
  id: string;
  type: string;
  target: string;
}

export class OfficePackage {
  readonly #zip: Zip;

  private constructor(zip: Zip) {
    this.#zip = zip;
  }

  static async open({ path, limits }: FileToRead): Promise<OfficePackage> {
    return new OfficePackage(await openZip(path, limits, 100_000));
  }

  close(): void {
    this.#zip.close();
  }

  /** The main part. */
  async main(): Promise<string> {
    const main = (await this.relations('')).find(({ type }) => type === 'officeDocument');
    if (!main || !this.has(main.target)) throw new Unreadable('damaged', { detail: 'its main part is missing' });
    return main.target;
  }

  has(part: string): boolean {
    return this.#zip.entry(part) !== undefined;
  }

  bytes(part: string): AsyncGenerator<Buffer> {
    const entry = this.#zip.entry(part);
    if (!entry) throw new Unreadable('damaged', { detail: `its part ${part.slice(0, 100)} is missing` });
    return this.#zip.bytes(entry);
  }

  /** Reads a part; a missing one is skipped. */
  async read(part: string, handler: XmlHandler): Promise<void> {
    if (this.has(part)) await readAllXml(this.bytes(part), handler);
  }

  /** Relationships of a part, with part names as targets. */
  async relations(part: string): Promise<Relation[]> {
    const folder = part.slice(0, part.lastIndexOf('/') + 1);
    const found: Relation[] = [];
    await this.read(`${folder}_rels/${part.slice(folder.length)}.rels`, {
      open: (name, attributes) => {
        if (name !== 'Relationship' || attribute(attributes, 'TargetMode') === 'External') return;
        const target = attribute(attributes, 'Target') ?? '';
        found.push({
          id: attribute(attributes, 'Id') ?? '',
          type: (attribute(attributes, 'Type') ?? '').replace(/^.*\//, ''),
          target: resolved(folder, target),
        });
      },
    });
    return found;
  }

  /** The title in the document's properties. */
  async title(): Promise<string | undefined> {
    let title = '';
    let inside = false;
    await this.read('docProps/core.xml', {
      open: (name) => {
        inside = name === 'title';
      },
      text: (text) => {
        if (inside && title.length < 1000) title += text;
      },
      close: () => {
        inside = false;
      },
    });
    return title.trim() || undefined;
  }
}

function resolved(folder: string, target: string): string {
  const names = target.startsWith('/') ? [] : folder.split('/').filter(Boolean);
  for (const name of target.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}
