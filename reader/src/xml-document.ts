// XML of any vocabulary: the text of each element with words, in order. Inline elements do not break a sentence.
import { type Block, blocks, type FileToRead, type Parsed, plainText } from './block.ts';
import { readXml } from './office/xml.ts';
import { decodedFile, firstBytes } from './text/encoding.ts';

export async function* parseXmlDocument(file: FileToRead): AsyncGenerator<Parsed> {
  const head = (await firstBytes(file.path, 1024)).toString('latin1');
  const declared = /^<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/.exec(head)?.[1];
  const found: Block[] = [];
  let text = '';
  const flush = (kind: 'paragraph' | 'heading') => {
    found.push(...blocks({ kind, text: plainText(text), ...(kind === 'heading' ? { level: 2 } : {}) }));
    text = '';
  };
  async function* bytes() {
    for await (const chunk of decodedFile(file, declared)) yield Buffer.from(chunk);
  }
  const steps = readXml(bytes(), {
    open: (name) => {
      if (!isInline(name)) flush('paragraph');
    },
    text: (part) => {
      text += part;
      if (text.length > 262_144) flush('paragraph');
    },
    close: (name) => {
      if (!isInline(name)) flush(/^(title|head|heading)$/i.test(name) ? 'heading' : 'paragraph');
    },
  });
  for await (const _ of steps) yield* found.splice(0);
  flush('paragraph');
  yield* found.splice(0);
}

/** Element names that are inline in most vocabularies. */
const isInline = (name: string) =>
  /^(a|b|i|em|strong|emphasis|code|literal|command|filename|link|ulink|xref|option|replaceable|quote|sub|sup|span|tt|citetitle|varname|function|parameter|userinput|acronym|productname|email|ref)$/i.test(
    name,
  );
