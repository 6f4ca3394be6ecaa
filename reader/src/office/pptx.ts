// Presentations: a slide is a page; its title is a heading, its texts are paragraphs and list items with their position on the slide, its
// tables are rows, and the speaker notes follow.
import { type Block, type Box, blocks, type FileToRead, type Parsed, plainText, rowText } from '../block.ts';
import { Unreadable } from '../failures.ts';
import { OfficePackage } from './package.ts';
import { type Attributes, attribute, readAllXml } from './xml.ts';

export async function* parsePptx(file: FileToRead): AsyncGenerator<Parsed> {
  const office = await OfficePackage.open(file);
  try {
    const title = await office.title();
    if (title) yield { type: 'title', title: plainText(title) };
    const slides = await slidesOf(office);
    if (slides.length > file.limits.pages)
      throw new Unreadable('pages', { count: slides.length, limit: file.limits.pages });
    for (const [index, slide] of slides.entries()) {
      const page = index + 1;
      yield* shapes(office, slide, page);
      const notes = (await office.relations(slide)).find(({ type }) => type === 'notesSlide')?.target;
      if (notes && office.has(notes)) yield* shapes(office, notes, page, true);
      yield { type: 'page', page, pages: slides.length };
    }
  } finally {
    office.close();
  }
}

/** The slides in presentation order. */
async function slidesOf(office: OfficePackage): Promise<string[]> {
  const main = await office.main();
  const targets = new Map((await office.relations(main)).map(({ id, target }) => [id, target]));
  const slides: string[] = [];
  await office.read(main, {
    open: (name, attributes) => {
      if (name !== 'sldId') return;
      // "id" is also the slide's own number; the relationship is the attribute with a prefix.
      const key = Object.keys(attributes).find((one) => one.endsWith(':id')) ?? '';
      const target = targets.get(attributes[key] ?? '');
      if (target && office.has(target)) slides.push(target);
    },
  });
  return slides;
}

async function* shapes(office: OfficePackage, part: string, page: number, notes = false): AsyncGenerator<Block> {
  const slide = new Slide(page, notes);
  await readAllXml(office.bytes(part), slide);
  yield* slide.blocks();
}

interface Shape {
  title: boolean;
  /** Skipped placeholders: number, date and footer of the slide, and its picture on a notes page. */
  dropped: boolean;
  list: boolean;
  box: Box | undefined;
  found: Omit<Block, 'type'>[];
}

const emuPerPoint = 12_700;

class Slide {
  readonly #page: number;
  readonly #notes: boolean;
  #shapes: Shape[] = [];
  #shape: Shape | undefined;
  #text: string | undefined;
  #level = 0;
  #bullet: boolean | undefined;
  #inText = false;
  #cells: string[] | undefined;
  #cell: string[] | undefined;
  #rows = 0;
  #skipping = 0;

  constructor(page: number, notes: boolean) {
    this.#page = page;
    this.#notes = notes;
  }

  *blocks(): Generator<Block> {
    const kept = this.#shapes.filter(({ dropped }) => !dropped);
    for (const { found, box } of [...kept.filter(({ title }) => title), ...kept.filter(({ title }) => !title)])
      for (const block of found) yield* blocks({ ...block, page: this.#page, ...(box && !this.#notes ? { box } : {}) });
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skipping > 0 || name === 'Fallback') {
      this.#skipping++;
      return;
    }
    const number = (key: string) => Number(attribute(attributes, key)) / emuPerPoint;
    switch (name) {
      case 'sp':
      case 'graphicFrame':
        this.#shape = { title: false, dropped: false, list: false, box: undefined, found: [] };
        this.#shapes.push(this.#shape);
        return;
      case 'ph': {
        const type = attribute(attributes, 'type') ?? 'body';
        if (!this.#shape) return;
        this.#shape.title = /title$/i.test(type) && !/subtitle/i.test(type);
        this.#shape.dropped = /^(sldNum|dt|ftr|hdr|sldImg)$/.test(type) || (this.#notes && type !== 'body');
        // Lists are defined by the layout, which makes paragraphs of the body list items.
        this.#shape.list = /^(body|obj)$/.test(type) && !this.#notes;
        return;
      }
      case 'off':
        if (this.#shape && !this.#shape.box) this.#shape.box = { x: number('x'), y: number('y'), width: 0, height: 0 };
        return;
      case 'ext':
        if (this.#shape?.box && this.#shape.box.width === 0 && attribute(attributes, 'cx') !== undefined)
          Object.assign(this.#shape.box, { width: number('cx'), height: number('cy') });
        return;
      case 'tbl':
        this.#rows = 0;
        return;
      case 'tr':
        this.#cells = [];
        return;
      case 'tc':
        this.#cell = [];
        return;
      case 'p':
        this.#text = '';
        this.#level = 0;
        this.#bullet = undefined;
        return;
      case 'pPr':
        this.#level = Math.min(9, Number(attribute(attributes, 'lvl')) || 0);
        return;
      case 'buNone':
        this.#bullet = false;
        return;
      case 'buChar':
      case 'buAutoNum':
        this.#bullet = true;
        return;
      case 't':
        this.#inText = true;
        return;
      case 'br':
        if (this.#text !== undefined) this.#text += '\n';
    }
  }

  text(text: string): void {
    if (this.#inText && this.#skipping === 0 && this.#text !== undefined) this.#text += text;
  }

  close(name: string): void {
    if (this.#skipping > 0) {
      this.#skipping--;
      return;
    }
    if (name === 't') this.#inText = false;
    else if (name === 'p') this.#endParagraph();
    else if (name === 'tc' && this.#cell) {
      this.#cells?.push(this.#cell.join(' '));
      this.#cell = undefined;
    } else if (name === 'tr' && this.#cells) {
      const header = this.#rows++ === 0 && this.#cells.length > 1;
      this.#shape?.found.push({ kind: 'row', text: rowText(this.#cells), ...(header ? { header } : {}) });
      this.#cells = undefined;
    }
  }

  #endParagraph(): void {
    const text = plainText(this.#text ?? '');
    this.#text = undefined;
    if (!text) return;
    if (this.#cell) {
      this.#cell.push(text);
      return;
    }
    const shape = this.#shape;
    if (!shape) return;
    if (shape.title) shape.found.push({ kind: 'heading', level: 1, text });
    else if (this.#bullet ?? shape.list) shape.found.push({ kind: 'item', level: this.#level + 1, text });
    else shape.found.push({ kind: 'paragraph', text });
  }
}
