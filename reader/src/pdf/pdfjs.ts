// Wrapper for the parts of pdf.js in use, with a source that reads the file in pieces instead of loading it into memory.
import type { FileHandle } from 'node:fs/promises';
import * as pdfjs from 'unpdf/pdfjs';

export interface TextItem {
  str: string;
  dir: string;
  transform: number[];
  width: number;
  height: number;
  fontName: string;
  hasEOL: boolean;
}

interface MarkedContent {
  type: 'beginMarkedContent' | 'beginMarkedContentProps' | 'endMarkedContent';
  id?: string | null;
}

export interface TextContent {
  items: (TextItem | MarkedContent)[];
  styles: Record<string, { fontFamily?: string }>;
}

export interface StructNode {
  role?: string;
  type?: string;
  id?: string;
  children?: StructNode[];
}

export interface PDFPageProxy {
  pageNumber: number;
  getViewport(options: { scale: number }): { width: number; height: number; transform: number[] };
  getTextContent(options: { includeMarkedContent: boolean }): Promise<TextContent>;
  getStructTree(): Promise<StructNode | null>;
  cleanup(): boolean;
}

export interface PDFDocumentProxy {
  numPages: number;
  getPage(number: number): Promise<PDFPageProxy>;
  getMetadata(): Promise<{ info: { Title?: unknown }; hasStructTree?: boolean }>;
  cleanup(): Promise<void>;
}

export interface OpenedPdf {
  document: PDFDocumentProxy;
  close(): Promise<void>;
}

const chunkBytes = 256 * 1024;

export async function openPdf(file: FileHandle, bytes: number): Promise<OpenedPdf> {
  const { PDFDataRangeTransport, getDocument } = pdfjs as unknown as {
    PDFDataRangeTransport: new (
      length: number,
      start: Uint8Array | null,
    ) => {
      requestDataRange(begin: number, end: number): void;
      onDataRange(begin: number, chunk: Uint8Array | null): void;
      abort(): void;
    };
    getDocument(options: object): { promise: Promise<PDFDocumentProxy>; destroy(): Promise<void> };
  };
  const { promise: broken, reject } = Promise.withResolvers<never>();
  class FileSource extends PDFDataRangeTransport {
    override requestDataRange(begin: number, end: number): void {
      const buffer = new Uint8Array(Math.min(end, bytes) - begin);
      file.read(buffer, 0, buffer.length, begin).then(() => this.onDataRange(begin, buffer), reject);
    }
  }
  const task = getDocument({
    range: new FileSource(bytes, null),
    rangeChunkSize: chunkBytes,
    disableAutoFetch: true,
    disableStream: true,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    isEvalSupported: false,
    isImageDecoderSupported: false,
    stopAtErrors: false,
    verbosity: 0,
  });
  broken.catch(() => {});
  const document = await Promise.race([task.promise, broken]);
  return { document, close: () => task.destroy() };
}
