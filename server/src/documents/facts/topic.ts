// Topic of a document, and the section of a statement in it. In a memory of many documents, most names of rows, keys and headings are
// ambiguous without them.
import type { StoredPassage } from '../stored-passages.ts';
import { asName, isNameless, numbered, spaced } from './found-fact.ts';

/** Kind of document after the name of its thing, as in "Zorbex 40 – Operating Manual". */
const kind =
  /(?:\s+[–—|-]|:)\s+(?:[\p{L}\p{N}]+ ){0,3}(?:manual|handbook|guide|instructions|data ?sheet|catalogue|catalog|brochure|leaflet|faq|(?:frequently asked )?questions|documentation|home ?page|home|overview|policy|regulations|rules|readme|reference|specifications?)$/iu;

/** The topic of each passage, by its part of the document. */
export function topicsOf(passages: StoredPassage[], fileName: string): (passage: StoredPassage) => string | undefined {
  const parts = Map.groupBy(passages, ({ part }) => part ?? '');
  const topics = new Map([...parts].map(([part, some]) => [part, topicOf(some, part || fileName)]));
  return ({ part, headings }) => topics.get(part ?? '') ?? thingOf(headings[0]);
}

function topicOf(passages: StoredPassage[], fileName: string): string | undefined {
  const bare = fileName
    .replace(/^.*\//, '')
    .replace(/\.[^.]{1,5}$/, '')
    .replaceAll('_', ' ');
  const [first] = passages;
  const tops = new Set(passages.flatMap(({ headings }) => headings[0] ?? []));
  // A document without a main heading may begin with its title as a line.
  const line = first?.headings.length === 0 && !/[\n|:]/.test(first.text) ? first.text : undefined;
  return [first?.title, tops.size === 1 ? [...tops][0] : line, bare]
    .map((name) => nameOf(name) ?? partOf(name) ?? asPackage(name))
    .find((name) => name !== undefined);
}

/** The part of a title that is a name by its capitals, as in "Telephone numbers – Pellin Cross Health Centre". */
const partOf = (title: string | undefined): string | undefined =>
  spaced(title ?? '')
    .split(/\s+[–—|·-]\s+/)
    .flatMap((part) => nameOf(part) ?? [])
    .find((name) => (name.match(/(?<!\p{L})\p{Lu}\p{Ll}/gu) ?? []).length > 1 || isCoded(name));

const nameOf = (title: string | undefined): string | undefined => asName(spaced(title ?? '').replace(kind, ''));

/** A name of one word in lower case, such as "color-convert" or "sonic-boom README". */
function asPackage(name: string | undefined): string | undefined {
  const bare = spaced(name ?? '').replace(
    /(?: (?:readme|build status|npm version))+$| (?:npm|codecov|build|coverage|ci)\b.*$/i,
    '',
  );
  return /^@?[a-z][a-z0-9]*(?:[-./][a-z0-9]+)+$/.test(bare) ? bare : undefined;
}

/** Whether a text has a letter beside a digit ("RV-2207", "X4"), or a number after capitals ("Zorbex 40"). */
export function isCoded(name: string): boolean {
  const code = /(?:^|[^\p{L}\p{N}])(?=[\p{L}\p{N}./-]*\p{Lu})(?=[\p{L}\p{N}./-]*\p{N})[\p{L}\p{N}./-]{2,}/u;
  return code.test(name) || /^(?:\p{Lu}[\p{L}'’-]* )+\d+\p{L}?$/u.test(name);
}

const thingOf = (heading: string | undefined): string | undefined => {
  const name = nameOf(heading);
  return name !== undefined && isCoded(name) ? name : undefined;
};

/** A section label such as in "C1 Working hours", which looks like a name. */
const sectionNumber = /^\p{Lu}\d{1,2}(?:\.\d+)* \p{Lu}/u;

/** The phrase after a property in a question: "of Zorbex 40", or "under Opening hours in Ultrafen". */
export function placeOf(heading: string | undefined, topic: string | undefined): string | undefined {
  const name = nameOf(heading);
  if (name !== undefined && (name === topic || (isCoded(name) && !sectionNumber.test(name)))) return `of ${name}`;
  const section = sectionOf(heading ?? '');
  if (topic === undefined || section === undefined) return undefined;
  return section === '' || section === topic ? `of ${topic}` : `under ${section} in ${topic}`;
}

/** The section for a question. Empty if the heading adds nothing; undefined if it does not fit into a question. */
function sectionOf(heading: string): string | undefined {
  const section = spaced(heading).replace(numbered, '').replace(/[:.]$/, '');
  if (section === '' || isNameless(section)) return '';
  return /["?!()[\]{}|<>=#;,$`*\\/]|\.\s/.test(section) || section.split(' ').length > 6 ? undefined : section;
}
