// Topic of a document, and the section of a statement in it. In a memory of many documents, most names of rows, keys and headings are
// ambiguous without them.
import type { StoredPassage } from '../stored-passages.ts';
import { asName, isNameless, numbered, spaced, within } from './found-fact.ts';
import { isTitle, unknownSection } from './sections.ts';

/** Kind of document after the name of its thing, as in "Zorbex 40 – Operating Manual". */
const documentKind =
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
  const line = spaced(first?.text.split('\n')[0] ?? '');
  const title = first?.headings.length === 0 && isTitle(line) ? line : undefined;
  const top = title !== undefined && nameOf(title) ? title : tops.size === 1 ? [...tops][0] : title;
  if (top !== undefined && recordTitle.test(top)) return recordOf(top, first!);
  const titled = [fileTitle.test(first?.title ?? '') ? undefined : first?.title, top]
    .map((name) => titleOf(name) ?? partOf(name) ?? asPackage(name))
    .find((name) => name !== undefined);
  const sent = first?.headings.length === 0 ? sender(line) : undefined;
  return titled ?? sent ?? nameOf(bare) ?? partOf(bare) ?? asPackage(bare);
}

/** Names of files and of programs, which PDFs have for a title. */
const fileTitle = /\.(?:html?|docx?|pdf|xlsx?|pptx?|odt|ods|odp|txt|md|rtf|tex|csv|indd|pages)$|^Microsoft |^untitled/i;

/** Documents of one event, of which there are others with the same title. */
const recordTitle = /^(?:the )?(?:minutes|agenda|protocol) of /i;

/** The title with the date, without which it is ambiguous. */
function recordOf(title: string, { text }: StoredPassage): string | undefined {
  const date = /^Date: +(\S.{1,20}\d{2,4})$/m.exec(text)?.[1];
  if (/\d{4}/.test(title)) return title;
  return date === undefined || title.length > 100 ? undefined : `${title} of ${date.trim()}`;
}

/** Whether a pair is the date that the topic has already. */
export const ownDate = ({ key, value }: { key: string; value: string }, topic: string | undefined): boolean =>
  /^date$/i.test(key) && topic?.endsWith(value) === true;

/** The part of a title that is a name by its capitals, as in "Telephone numbers – Pellin Cross Health Centre". */
const partOf = (title: string | undefined): string | undefined =>
  spaced(title ?? '')
    .split(/\s+[–—|·-]\s+/)
    .flatMap((part) => nameOf(part) ?? [])
    .sort((one, other) => Number(isOfDocument(one)) - Number(isOfDocument(other)))
    .find((name) => (name.match(/(?<!\p{L})\p{Lu}\p{Ll}/gu) ?? []).length > 1 || isCoded(name));

/** Topics that name a document instead of a thing, which has no properties itself. */
const documentary =
  /\b(?:handbook|manual|guide|minutes|agenda|protocol|price list|catalogue?|regulations|rules|policy|statutes|report|leaflet|brochure|glossary|newsletter|timetable|faq)(?: (?:\d{4}|of .*))?$/i;

const isOfDocument = (name: string): boolean => documentary.test(name) || /\bprice list\b/i.test(name);

/** Capitals at the beginning of a text, as letters and notices have their sender: "LINGUARIUM - Language School". */
function sender(line: string): string | undefined {
  const [name] = /^\p{Lu}[\p{Lu}&'’-]+(?: (?:\p{Lu}[\p{Lu}&'’-]+|&))*(?=[ ,]|$)/u.exec(line) ?? [];
  return name !== undefined && /\p{Lu}{4}/u.test(name) && name.length <= 60 && !isNameless(name) ? name : undefined;
}

/** A title without the part that names its document: "Price list Q2 – Corvane Supplies". */
function titleOf(title: string | undefined): string | undefined {
  const name = nameOf(title);
  return name !== undefined && /\s[–—|-]\s/.test(name) && isOfDocument(name.split(/\s[–—|-]\s/)[0]!)
    ? partOf(name)
    : name;
}

function nameOf(title: string | undefined): string | undefined {
  const bare = spaced(title ?? '').replace(documentKind, '');
  const isDocument = documentary.test(bare) && isTitle(bare) && bare.length <= 60 && bare.split(' ').length <= 6;
  return asName(bare) ?? (isDocument && bare.includes(' ') ? bare : undefined);
}

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

const theTopic = (topic: string): string => (/^(?:the|an?) /i.test(topic) ? topic : `the ${topic}`);

/** A document, or a thing, as the place of a statement. */
export const inTopic = (topic: string): string => (documentary.test(topic) ? `in ${theTopic(topic)}` : `in ${topic}`);

const ofTopic = (topic: string): string =>
  documentary.test(topic) ? `according to ${theTopic(topic)}` : `of ${topic}`;

/** The thing or document that a place names. */
export const subjectOf = (place: string): string => place.replace(/^(?:of|according to(?: the)?|under .* in) /, '');

/** The phrase after a property in a question: "of Zorbex 40", or "under Opening hours in Ultrafen". */
export function placeOf(heading: string | undefined, topic: string | undefined): string | undefined {
  const name = nameOf(heading);
  if (name !== undefined && (name === topic || (isCoded(name) && !sectionNumber.test(name)))) return ofTopic(name);
  const top = topic !== undefined && recordTitle.test(topic) && topic.startsWith(spaced(heading ?? ''));
  const section = top ? '' : sectionOf(heading ?? '');
  if (topic === undefined || section === undefined) return undefined;
  return section === '' || section === topic ? ofTopic(topic) : `under ${section} in ${topic}`;
}

/** The section for a question. Empty if the heading adds nothing; undefined if it does not fit into a question. */
export function sectionOf(heading: string): string | undefined {
  const section = spaced(heading)
    .replace(numbered, '')
    .replace(/ (?:\/|\() ?.*$/, '') // "Dates / Calendario", "Prices (per team)"
    .replace(/[:.]$/, '');
  if (section === '' || isNameless(section)) return '';
  if (section === unknownSection) return undefined;
  return /["?!()[\]{}|<>=#;$`*\\/]|\.\s/.test(section) || section.split(' ').length > 6 ? undefined : section;
}

/** "What are the office hours on Monday in Lorwen Court?", below a heading for times. */
export function hoursOn(days: string, heading: string | undefined, topic: string | undefined): string | undefined {
  const section = sectionOf(heading ?? '');
  if (topic === undefined || !section || !/\b(?:hours|times|opening|open)\b/i.test(section)) return undefined;
  const hours = /\b(?:hours|times)$/i.test(section) ? within(section) : 'opening hours';
  return `What are the ${hours} on ${days} ${inTopic(topic)}?`;
}
