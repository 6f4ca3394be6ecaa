// PDF parser: pages in order, each as blocks with positions. Broken pages and pages without text are reported. The file is read in
// pieces, with at most five pages in memory.
import { open } from 'node:fs/promises';
import { type FileToRead, type Parsed, plainText } from '../block.ts';
import { damaged, Unreadable } from '../failures.ts';
import { PageBlocks } from './blocks.ts';
import { Flow } from './flow.ts';
import { segmentsOf } from './lines.ts';
import { type PageSegments, withoutMargins } from './margins.ts';
import { type OpenedPdf, openPdf, type PDFDocumentProxy } from './pdfjs.ts';
import { type PageText, pageText } from './runs.ts';
import { Words } from './words.ts';

const radius = 2;
const maxBrokenPages = 50;

export async function* parsePdf(file: FileToRead): AsyncGenerator<Parsed> {
  const handle = await open(file.path);
  let pdf: OpenedPdf | undefined;
  try {
    pdf = await opened(openPdf(handle, file.bytes));
    const { numPages } = pdf.document;
    if (numPages > file.limits.pages) throw new Unreadable('pages', { count: numPages, limit: file.limits.pages });
    const title = await titleOf(pdf.document);
    if (title) yield { type: 'title', title };
    yield* pages(pdf.document);
  } finally {
    await pdf?.close().catch(() => {});
    await handle.close();
  }
}

async function opened(opening: Promise<OpenedPdf>): Promise<OpenedPdf> {
  try {
    return await opening;
  } catch (error) {
    if ((error as Error).name === 'PasswordException') throw new Unreadable('encrypted', {}, error);
    throw damaged(error);
  }
}

/** Titles that are program defaults, to be ignored. */
async function titleOf(document: PDFDocumentProxy): Promise<string | undefined> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} as { Title?: unknown } }));
  const title = typeof info.Title === 'string' ? plainText(info.Title).slice(0, 500) : '';
  return title === '' ||
    /^(untitled|microsoft word -|about:blank|file:|https?:)|\.(docx?|indd|tex|dvi|odt|pdf)$/i.test(title)
    ? undefined
    : title;
}

/** Yields pages with their neighbours, which reveal running heads. */
async function* pages(document: PDFDocumentProxy): AsyncGenerator<Parsed> {
  const words = new Words();
  const layout = new PageBlocks(words);
  const flow = new Flow(words);
  const window: PageSegments[] = [];
  let next = 0; // Index in the window of the page to yield next.
  const tell = function* (): Generator<Parsed> {
    const page = window[next]!;
    const neighbours = window.slice(Math.max(0, next - radius), next + radius + 1).filter((other) => other !== page);
    const segments = withoutMargins(page, neighbours);
    yield* flow.add(layout.blocks({ ...page, segments }));
    if (page.segments.length === 0) {
      yield* flow.end();
      yield { type: 'wordless', page: page.number };
    }
    yield { type: 'page', page: page.number, pages: document.numPages };
    next++;
    if (next > radius) {
      window.shift();
      next--;
    }
  };
  let broken = 0;
  for (let number = 1; number <= document.numPages; number++) {
    let read: PageText;
    try {
      read = await onePage(document, number);
    } catch (error) {
      const { message } = damaged(error);
      yield { type: 'notice', text: `page ${number} was skipped: ${message}` };
      if (++broken > maxBrokenPages) throw damaged(error);
      continue;
    }
    const segments = isGarbled(read) ? [] : segmentsOf(read.runs);
    const page = { number, width: read.width, height: read.height, segments };
    layout.learn(page);
    window.push(page);
    if (window.length - next > radius) yield* tell();
    // Fonts are cached across pages and released at intervals.
    if (number % 200 === 0) await document.cleanup();
  }
  while (next < window.length) yield* tell();
  yield* flow.end();
  if (broken > 0 && broken === document.numPages)
    throw new Unreadable('damaged', { detail: 'none of its pages can be read' });
}

async function onePage(document: PDFDocumentProxy, number: number): Promise<PageText> {
  const page = await document.getPage(number);
  try {
    return await pageText(page);
  } finally {
    page.cleanup();
  }
}

/** Whether the text is garbage, because fonts do not map to characters. Such a page is treated like an image. */
function isGarbled({ runs }: PageText): boolean {
  let odd = 0;
  let all = 0;
  for (const { text } of runs) {
    for (const character of text) {
      if (character === ' ') continue;
      all++;
      if (/[\ue000-\uf8ff\ufffd]/.test(character)) odd++;
    }
  }
  return all > 20 && odd > all * 0.5;
}
