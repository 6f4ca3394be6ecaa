// Facts from lines: several key-value lines ("Warranty: 2 years") under the name of a thing, and a heading with one value under it.
import {
  type FoundFact,
  isAttribute,
  isCode,
  isColumn,
  isValue,
  numbered,
  type Stated,
  spaced,
  verbFor,
  within,
} from './found-fact.ts';
import { placeOf } from './topic.ts';

const pair = /^(?:[-*•–]\s+)?(\p{Lu}[^:|]{1,40}?)\s*:\s+(\S.{0,120})$/u;
/** "2.1) " before a line. A number without a sign behind it may be of the key: "24 Hour hotline", "1.5 Litre bottle". */
const listed = /^\d+(?:\.\d+)*[.)]\s+/;
const longestValue = 60;

export function keyValueFacts({ passage, topic }: Stated): FoundFact[] {
  const lines = passage.text.split('\n');
  const pairs = lines.map((line) => pairOf(line));
  const place = placeOf(passage.headings.at(-1), topic);
  if (place === undefined) return [];
  const keys = pairs.flatMap((one) => (one ? [one.key.toLowerCase()] : []));
  return pairs.flatMap((one, at) => {
    // A single line with a colon may be anything; two consecutive ones are a list of properties.
    if (!one || !(pairs[at - 1] || pairs[at + 1])) return [];
    if (keys.filter((key) => key === one.key.toLowerCase()).length > 1 || placeOf(one.key, undefined) === place)
      return [];
    const input = isCode(one.key)
      ? `What is ${one.key} ${place.replace(/^of /, 'in ')}?`
      : `What ${verbFor(one.key)} the ${within(one.key)} ${place}?`;
    const [quote, subject] = [spaced(lines[at]!), subjectOf(place)];
    return [{ input, output: one.value, subject, quote, page: passage.page ?? null, confidence: 0.9 }];
  });
}

/** The thing that the innermost heading names. */
const subjectOf = (place: string): string => place.replace(/^(?:of|under .* in) /, '');

function pairOf(line: string): { key: string; value: string } | undefined {
  if (line.includes(' | ')) return undefined;
  const [, key = '', rest = ''] = pair.exec(spaced(line).replace(listed, '')) ?? [];
  const value = rest.replace(/\.$/, '');
  const sentence =
    value.split(' ').length > 8 || /[.!?]\s/.test(value) || (/\.$/.test(rest) && value.split(' ').length > 4);
  if (
    !(isColumn(key) || isCode(key)) ||
    sentence ||
    !isValue(value, longestValue) ||
    // Two lines that were joined to a paragraph.
    value.includes(': ') ||
    !/^[\p{Lu}\p{N}€$£+<>≤≥~]/u.test(value)
  )
    return undefined;
  return { key, value };
}

/** `alone`: no other passage has the same headings. */
export function headingFacts({ passage, topic }: Stated, alone: boolean): FoundFact[] {
  const heading = passage.headings.at(-1);
  const lines = passage.text.split('\n').filter((line) => line.trim() !== '');
  const place = placeOf(passage.headings.at(-2), topic);
  if (!alone || !heading || lines.length !== 1 || place === undefined) return [];
  const value = spaced(lines[0]!).replace(/\.$/, '');
  const attribute = spaced(heading).replace(numbered, '').replace(/:$/, '');
  if (place.endsWith(` ${attribute}`)) return [];
  const fits =
    isAttribute(attribute) &&
    /^\p{Lu}/u.test(attribute) &&
    attribute.split(' ').length <= 3 &&
    value.split(' ').length <= (/\.\s*$/.test(lines[0]!) ? 2 : 5);
  if (!fits || !isValue(value, longestValue) || !/^[\p{Lu}\p{N}€$£]/u.test(value) || /:|[.!?]\s/.test(value)) return [];
  const input = `What ${verbFor(attribute)} the ${within(attribute)} ${place}?`;
  const quote = `${spaced(heading)}\n${spaced(lines[0]!)}`;
  return [{ input, output: value, subject: subjectOf(place), quote, page: passage.page ?? null, confidence: 0.85 }];
}
