// Hand-made Office files with the parts that office suites write, for tests that need known content and run without an office suite.
import { zipFile } from './zip-file.ts';

const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const sheet = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const slides =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const related = `xmlns:r="${office}"`;
const packaged = 'http://schemas.openxmlformats.org/package/2006';
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A relationship of a part: its id, the last word of its type, and its target. */
type Relation = [id: string, type: string, target: string];

function relations(...all: Relation[]): string {
  const one = ([id, type, target]: Relation) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  return `${head}<Relationships xmlns="${packaged}/relationships">${all.map(one).join('')}</Relationships>`;
}

function packageOf(main: string, title: string, parts: Record<string, string>): Buffer {
  const core = `${head}<cp:coreProperties xmlns:cp="${packaged}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`;
  const top =
    `${head}<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="${main}"/>` +
    `<Relationship Id="rId2" Type="${packaged}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`;
  const all = {
    '[Content_Types].xml': `${head}<Types xmlns="${packaged}/content-types"/>`,
    '_rels/.rels': top,
    'docProps/core.xml': core,
    ...parts,
  };
  return zipFile(Object.entries(all).map(([name, bytes]) => ({ name, bytes })));
}

/** Paragraphs of a Word document as their XML; see `paragraph`, `tableOf`. */
export function docxFile(title: string, body: string[]): Buffer {
  const style = (id: string, name: string, more: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
  return packageOf('word/document.xml', title, {
    'word/document.xml': `${head}<w:document ${word}><w:body>${body.join('')}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relations(
      ['rId1', 'styles', 'styles.xml'],
      ['rId2', 'numbering', 'numbering.xml'],
      ['rId3', 'footnotes', 'footnotes.xml'],
    ),
    'word/styles.xml': `${head}<w:styles ${word}>${style('Heading1', 'heading 1', '')}${style(
      'Chapter',
      'Our chapters',
      '<w:basedOn w:val="Heading1"/>',
    )}${style('Code', 'Source Code', '')}</w:styles>`,
    'word/numbering.xml': `${head}<w:numbering ${word}><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>`,
    'word/footnotes.xml': `${head}<w:footnotes ${word}><w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote><w:footnote w:id="1">${paragraph('A note at the foot.')}</w:footnote></w:footnotes>`,
  });
}

export const paragraph = (text: string, properties = '') =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

export const tableOf = (rows: string[][]) =>
  `<w:tbl>${rows
    .map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`)
    .join('')}</w:tbl>`;

export interface Slide {
  title: string;
  items?: string[];
  table?: string[][];
  notes?: string;
}

export function pptxFile(title: string, slideList: Slide[]): Buffer {
  const parts: Record<string, string> = {};
  for (const [at, { title, items = [], table, notes }] of slideList.entries()) {
    const number = at + 1;
    const body = items.map((item) => `<a:p>${run(item)}</a:p>`).join('');
    parts[`ppt/slides/slide${number}.xml`] =
      // The body comes before the title in the file, as if the title was added last.
      `${head}<p:sld ${slides}><p:cSld><p:spTree>${shape('body', body)}${shape('title', `<a:p>${run(title)}</a:p>`)}` +
      `${shape('sldNum', `<a:p>${run(String(number))}</a:p>`)}${table ? frame(table) : ''}</p:spTree></p:cSld></p:sld>`;
    if (notes === undefined) continue;
    parts[`ppt/slides/_rels/slide${number}.xml.rels`] = relations([
      'rId1',
      'notesSlide',
      `../notesSlides/notesSlide${number}.xml`,
    ]);
    parts[`ppt/notesSlides/notesSlide${number}.xml`] =
      `${head}<p:notes ${slides}><p:cSld><p:spTree>${shape('sldImg', '')}${shape('body', `<a:p>${run(notes)}</a:p>`)}</p:spTree></p:cSld></p:notes>`;
  }
  // Relationships in another order than the slides.
  const led = slideList.map((_, at): Relation => [`rId${at + 10}`, 'slide', `slides/slide${at + 1}.xml`]).reverse();
  const order = slideList.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 10}"/>`).join('');
  return packageOf('ppt/presentation.xml', title, {
    'ppt/presentation.xml': `${head}<p:presentation ${slides} ${related}><p:sldIdLst>${order}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(...led),
    ...parts,
  });
}

const run = (text: string) => `<a:r><a:t>${text}</a:t></a:r>`;
const shape = (type: string, body: string) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="914400" y="914400"/><a:ext cx="1828800" cy="457200"/></a:xfrm></p:spPr><p:txBody>${body}</p:txBody></p:sp>`;
const frame = (rows: string[][]) =>
  `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${rows
    .map(
      (cells) =>
        `<a:tr>${cells.map((cell) => `<a:tc><a:txBody><a:p>${run(cell)}</a:p></a:txBody></a:tc>`).join('')}</a:tr>`,
    )
    .join('')}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;

/** Sheets by name. Numbers are written as numbers, texts as shared strings, `{ day }` as a number formatted as a date. */
export function xlsxFile(title: string, sheets: Record<string, (string | number | { day: number })[][]>): Buffer {
  const texts: string[] = [];
  const cell = (value: string | number | { day: number }, at: number, row: number) => {
    const place = `r="${String.fromCharCode(65 + at)}${row}"`;
    if (typeof value === 'number') return `<c ${place}><v>${value}</v></c>`;
    if (typeof value === 'object') return `<c ${place} s="1"><v>${value.day}</v></c>`;
    return `<c ${place} t="s"><v>${texts.push(value) - 1}</v></c>`;
  };
  const names = Object.keys(sheets);
  const parts = Object.fromEntries(
    Object.values(sheets).map((rows, at) => [
      `xl/worksheets/sheet${at + 1}.xml`,
      `${head}<worksheet ${sheet}><sheetData>${rows
        .map(
          (cells, row) =>
            `<row r="${row + 1}">${cells.map((value, column) => cell(value, column, row + 1)).join('')}</row>`,
        )
        .join('')}</sheetData></worksheet>`,
    ]),
  );
  const listed = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('');
  return packageOf('xl/workbook.xml', title, {
    'xl/workbook.xml': `${head}<workbook ${sheet} ${related}><sheets>${listed}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...names.map((_, at): Relation => [`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`]),
      ['rId90', 'sharedStrings', 'sharedStrings.xml'],
      ['rId91', 'styles', 'styles.xml'],
    ),
    'xl/sharedStrings.xml': `${head}<sst ${sheet}>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    'xl/styles.xml': `${head}<styleSheet ${sheet}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    ...parts,
  });
}
