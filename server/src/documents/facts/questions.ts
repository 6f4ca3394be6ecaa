// Facts from a list of questions (FAQ): a heading with a question, and the short answer under it.
import { type FoundFact, numbered, type Stated, spaced } from './found-fact.ts';

const longestAnswer = 160;
/** Words that refer to something outside of the answer. */
const pointing =
  /^(?:see|click|it depends)\b|\b(?:above|below|following|here|this page|e\.g\.)\b|[:{}<>=;`\\[\]|]|https?/i;

/** `alone`: no other passage has the same headings. */
export function questionFacts({ passage, topic }: Stated, alone: boolean): FoundFact[] {
  const asked = spaced(passage.headings.at(-1) ?? '')
    .replace(numbered, '')
    .replace(/^Q: /, '');
  const answer = spaced(passage.text).replace(/^A: /, '');
  const words = asked.split(' ').length;
  if (!alone || !/^\p{Lu}[^?!.]*\?$/u.test(asked) || words < 3 || words > 20) return [];
  if (passage.text.trim().includes('\n') || answer.length > longestAnswer || !/^\p{Lu}|^\d/u.test(answer)) return [];
  if (pointing.test(answer) || /\b(?:this|these|that|it|above|following)\b/i.test(asked)) return [];
  const input = questionAbout(asked, topic);
  if (input === undefined) return [];
  const quote = `${spaced(passage.headings.at(-1)!)}\n${answer}`;
  return [{ input, output: answer, subject: topic ?? '', quote, page: passage.page ?? null, confidence: 0.9 }];
}

/** Adds the topic of the document to a question without a name. */
export function questionAbout(asked: string, topic: string | undefined): string | undefined {
  if (/ (?!I\b)\p{Lu}[\p{L}\p{N}]/u.test(asked)) return asked;
  return topic && `${asked.slice(0, -1)} (${topic})?`;
}
