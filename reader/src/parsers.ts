// The parser for each kind of file. Parsers are loaded on demand, since most uploads are of one kind.
import type { Parser } from './block.ts';
import type { Kind } from './kind.ts';

export async function parserOf(kind: Kind): Promise<Parser> {
  switch (kind) {
    case 'pdf':
      return (await import('./pdf/pdf.ts')).parsePdf;
    case 'docx':
      return (await import('./office/docx.ts')).parseDocx;
    case 'pptx':
      return (await import('./office/pptx.ts')).parsePptx;
    case 'xlsx':
      return (await import('./office/xlsx.ts')).parseXlsx;
    case 'html':
      return (await import('./html.ts')).parseHtml;
    case 'xml':
      return (await import('./xml-document.ts')).parseXmlDocument;
    case 'markdown':
      return (await import('./text/markdown.ts')).parseMarkdown;
    case 'csv':
      return (await import('./text/csv.ts')).parseCsv;
    case 'json':
      return (await import('./text/json.ts')).parseJson;
    case 'jsonl':
      return (await import('./text/json.ts')).parseJsonLines;
    case 'eml':
      return (await import('./mail.ts')).parseMail;
    case 'zip':
      return (await import('./archive.ts')).parseZip;
    case 'text':
      return (await import('./text/plain.ts')).parseText;
  }
}
