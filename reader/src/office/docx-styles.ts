// The styles of a Word document: headings with their levels, lists, code. Styles inherit from each other.
import type { OfficePackage } from './package.ts';
import { attribute } from './xml.ts';

export interface Style {
  level?: number | undefined;
  list?: { id: string; level: number } | undefined;
  code?: boolean | undefined;
}

export interface Styles {
  get(id: string): Style | undefined;
  /** Whether a list shows numbers or letters rather than bullets. */
  numbered(list: string, level: number): boolean;
}

interface Raw {
  name: string;
  parent: string | undefined;
  outline: number | undefined;
  list: string | undefined;
  listLevel: number;
}

export async function readStyles(office: OfficePackage, part: string | undefined): Promise<Styles> {
  const raw = new Map<string, Raw>();
  let current: Raw | undefined;
  if (part)
    await office.read(part, {
      open: (name, attributes) => {
        const value = () => attribute(attributes, 'val') ?? '';
        if (name === 'style') {
          current = { name: '', parent: undefined, outline: undefined, list: undefined, listLevel: 0 };
          raw.set(attribute(attributes, 'styleId') ?? '', current);
        } else if (!current) return;
        else if (name === 'name') current.name = value();
        else if (name === 'basedOn') current.parent = value();
        else if (name === 'outlineLvl') current.outline = Number(value());
        else if (name === 'numId') current.list = value();
        else if (name === 'ilvl') current.listLevel = Number(value()) || 0;
      },
      close: (name) => {
        if (name === 'style') current = undefined;
      },
    });
  const styles = new Map([...raw.keys()].map((id) => [id, resolved(raw, id)]));
  const bullets = await readNumbering(office, part);
  return { get: (id) => styles.get(id), numbered: (list, level) => bullets.get(list)?.[level] === false };
}

function resolved(raw: Map<string, Raw>, id: string): Style {
  const style: Style = {};
  let at: string | undefined = id;
  // At most twenty steps, since styles may inherit in a cycle.
  for (let steps = 0; at !== undefined && steps < 20; steps++) {
    const found: Raw | undefined = raw.get(at);
    if (!found) break;
    const named = /^heading (\d)$/i.exec(found.name)?.[1];
    const outline = found.outline ?? (named ? Number(named) - 1 : /^title$/i.test(found.name) ? 0 : undefined);
    if (style.level === undefined && outline !== undefined && outline < 9) style.level = Math.min(6, outline + 1);
    if (!style.list && found.list && found.list !== '0') style.list = { id: found.list, level: found.listLevel };
    if (/^(preformatted text|html preformatted|plain text|source code|code)$/i.test(found.name)) style.code = true;
    at = found.parent;
  }
  return style;
}

/** For each list, whether its levels show bullets. */
async function readNumbering(office: OfficePackage, styles: string | undefined): Promise<Map<string, boolean[]>> {
  const part = styles?.replace(/[^/]*$/, 'numbering.xml') ?? 'word/numbering.xml';
  const abstract = new Map<string, boolean[]>();
  const lists = new Map<string, boolean[]>();
  let levels: boolean[] | undefined;
  let level = 0;
  let list = '';
  await office.read(part, {
    open: (name, attributes) => {
      const value = () => attribute(attributes, 'val') ?? '';
      if (name === 'abstractNum') {
        levels = [];
        abstract.set(attribute(attributes, 'abstractNumId') ?? '', levels);
      } else if (name === 'lvl') level = Math.min(9, Number(attribute(attributes, 'ilvl')) || 0);
      else if (name === 'numFmt' && levels) levels[level] = value() === 'bullet' || value() === 'none';
      else if (name === 'num') list = attribute(attributes, 'numId') ?? '';
      else if (name === 'abstractNumId') lists.set(list, abstract.get(value()) ?? []);
    },
    close: (name) => {
      if (name === 'abstractNum') levels = undefined;
    },
  });
  return lists;
}
