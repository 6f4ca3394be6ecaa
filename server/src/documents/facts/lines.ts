// Facts from lines: several key-value lines ("Warranty: 2 years") under the name of a thing, and a heading with one value under it.

import { otherForms } from './forms.ts';
import {
  type FoundFact,
  isAttribute,
  isCode,
  isDays,
  isKey,
  isValue,
  numbered,
  questionFor,
  type Stated,
  spaced,
  within,
} from './found-fact.ts';
import { isKeyed, listed } from './sections.ts';
import { hoursOn, ownDate, placeOf, subjectOf } from './topic.ts';

const keyValueLine = /^(?:[-*•–]\s+)?(\p{Lu}[^:|]{1,40}?)\s*:\s+(\S.{0,120})$/u;
const maxLength = 60;

export function keyValueFacts({ passage, topic, language }: Stated): FoundFact[] {
  const lines = passage.text.split('\n');
  const pairs = lines.map((line) => pairOf(line));
  // Two lines with words in lower case may be part of a program.
  const isList = lines.filter(isKeyed).length > 2;
  const place = placeOf(passage.headings.at(-1), topic);
  if (place === undefined) return [];
  const keys = pairs.flatMap((one) => (one ? [one.key.toLowerCase()] : []));
  return pairs.flatMap((one, at) => {
    // A single line with a colon may be anything; two consecutive ones are a list of properties.
    if (!one || !(isKeyed(lines[at - 1]) || isKeyed(lines[at + 1])) || ownDate(one, topic)) return [];
    if (!isList && /^\p{Ll}/u.test(one.value)) return [];
    if (keys.filter((key) => key === one.key.toLowerCase()).length > 1 || placeOf(one.key, undefined) === place)
      return [];
    const input = isDays(one.key)
      ? hoursOn(one.key, passage.headings.at(-1), topic)
      : isCode(one.key)
        ? `What is ${one.key} ${place.replace(/^of /, 'in ')}?`
        : questionFor(one.key, one.value, place, language);
    if (input === undefined) return [];
    const [quote, subject] = [spaced(lines[at]!), subjectOf(place)];
    const asked = language === 'english' && place.startsWith('of ') ? otherForms(within(one.key), subject) : [];
    return [{ input, output: one.value, subject, quote, page: passage.page ?? null, confidence: 0.9, asked }];
  });
}

/** A value that begins in lower case is a word or two, such as "biogas" or "sea green"; more words are a remark. */
const isPlainValue = (value: string): boolean =>
  /^\p{Ll}/u.test(value) &&
  value.split(' ').length <= 3 &&
  !/\b(?:an?|the|to|with|without|if|when|in|on|by|for|of|only|not|see|as|is|are|was|be|must|please|or|and)\b/i.test(
    value,
  );

function pairOf(line: string): { key: string; value: string } | undefined {
  if (line.includes(' | ')) return undefined;
  const [, key = '', rest = ''] = keyValueLine.exec(spaced(line).replace(listed, '')) ?? [];
  const value = rest.replace(/\.$/, '');
  const sentence =
    value.split(' ').length > 8 || /[.!?]\s/.test(value) || (/\.$/.test(rest) && value.split(' ').length > 4);
  if (
    !isKey(key) ||
    sentence ||
    !isValue(value, maxLength) ||
    // Two lines that were joined to a paragraph.
    value.includes(': ') ||
    !(/^[\p{Lu}\p{N}€$£+<>≤≥~]/u.test(value) || isPlainValue(value))
  )
    return undefined;
  return { key, value };
}

/** `alone`: no other passage has the same headings. */
export function headingFacts({ passage, topic, language }: Stated, alone: boolean): FoundFact[] {
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
  if (!fits || !isValue(value, maxLength) || !/^[\p{Lu}\p{N}€$£]/u.test(value) || /:|[.!?]\s/.test(value)) return [];
  const input = questionFor(attribute, value, place, language);
  const quote = `${spaced(heading)}\n${spaced(lines[0]!)}`;
  return [{ input, output: value, subject: subjectOf(place), quote, page: passage.page ?? null, confidence: 0.85 }];
}
