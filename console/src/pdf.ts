// Renders pages of a PDF. The renderer is larger than the rest of the console and loaded with the first page.
export interface Drawing {
  width: number;
  height: number;
  draw(canvas: HTMLCanvasElement): Promise<void>;
}

interface PdfPage {
  getViewport(options: { scale: number }): { width: number; height: number };
  render(options: { canvas: HTMLCanvasElement; viewport: unknown }): { promise: Promise<void> };
}
interface PdfDocument {
  getPage(number: number): Promise<PdfPage>;
}
interface PdfLibrary {
  getDocument(options: { data: Uint8Array; isEvalSupported: false }): { promise: Promise<PdfDocument> };
}

/** Cache of the last opened documents, by address. */
const documentCache = new Map<string, Promise<PdfDocument>>();
const maxCached = 4;

function openDocument(address: string): Promise<PdfDocument> {
  let found = documentCache.get(address);
  if (!found) {
    found = loadDocument(address);
    documentCache.set(address, found);
    found.catch(() => documentCache.delete(address));
    if (documentCache.size > maxCached) documentCache.delete(documentCache.keys().next().value!);
  }
  return found;
}

async function loadDocument(address: string): Promise<PdfDocument> {
  const [library, response] = await Promise.all([import('unpdf/pdfjs'), fetch(address)]);
  if (!response.ok) throw new Error(`The file could not be loaded (${response.status}).`);
  const data = new Uint8Array(await response.arrayBuffer());
  return await (library as unknown as PdfLibrary).getDocument({ data, isEvalSupported: false }).promise;
}

/** A page in points, rendered at the resolution of the screen. */
export async function pdfPage(address: string, number: number): Promise<Drawing> {
  const page = await (await openDocument(address)).getPage(number);
  const { width, height } = page.getViewport({ scale: 1 });
  return {
    width,
    height,
    async draw(canvas) {
      const viewport = page.getViewport({ scale: Math.min(2, 1400 / width) });
      canvas.width = viewport.width;
      canvas.height = viewport.height;
      await page.render({ canvas, viewport }).promise;
    },
  };
}
