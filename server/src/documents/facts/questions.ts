// Facts from a list of questions (FAQ): a question in a heading or a line, and the short answer under it.
import { type FoundFact, numbered, type Stated, spaced } from './found-fact.ts';

const maxAnswer = 160;
/** Words that refer to something outside of the answer. */
const externalReference =
  /^(?:see|click|it depends)\b|\b(?:above|below|following|here|this page|e\.g\.)\b|[:{}<>=;`\\[\]|]|https?/i;
const questionLabel = /^(?:q|question)\s*\d*[:.]\s*/i;
const answerLabel = /^(?:a|answer)\s*\d*[:.]\s*/i;
const isAsked = (line: string): boolean => /^\p{Lu}[^?!.]*\?$/u.test(line.replace(questionLabel, ''));

/** `alone`: no other passage has the same headings. */
export function questionFacts({ passage, topic }: Stated, alone: boolean): FoundFact[] {
  const heading = spaced(passage.headings.at(-1) ?? '');
  const lines = passage.text.split('\n').map(spaced).filter(Boolean).flatMap(pairOf);
  const page = passage.page ?? null;
  const found = lines.flatMap((line, at) => {
    // An answer of several lines is not short; a question without a mark needs its answer at the end or before another one.
    const whole = lines[at + 2] === undefined || isAsked(lines[at + 2]!);
    return isAsked(line) && lines[at + 1] !== undefined && whole ? factOf(line, lines[at + 1]!, topic, page) : [];
  });
  const single = lines[1] === undefined || isAsked(lines[1]);
  return alone && single && lines[0] !== undefined ? [...factOf(heading, lines[0], topic, page), ...found] : found;
}

/** "Q: ... A: ..." in one line, as a paragraph joins them. */
function pairOf(line: string): string[] {
  const [, asked, answer] = /^((?:Q|Question)\s*\d*[:.] [^?]+\?) ((?:A|Answer)\s*\d*[:.] .+)$/.exec(line) ?? [];
  return asked !== undefined && answer !== undefined ? [asked, answer] : [line];
}

function factOf(question: string, said: string, topic: string | undefined, page: number | null): FoundFact[] {
  const asked = question.replace(numbered, '').replace(questionLabel, '');
  const answer = said.replace(answerLabel, '');
  const words = asked.split(' ').length;
  if (!isAsked(asked) || words < 3 || words > 20) return [];
  if (answer.length > maxAnswer || !/^\p{Lu}|^\d/u.test(answer) || isAsked(answer)) return [];
  if (externalReference.test(answer) || /\b(?:this|these|that|it|above|following)\b/i.test(asked)) return [];
  const input = questionAbout(asked, topic);
  if (input === undefined) return [];
  return [{ input, output: answer, subject: topic ?? '', quote: `${question}\n${answer}`, page, confidence: 0.9 }];
}

/** Adds the topic of the document to a question without a name. */
export function questionAbout(asked: string, topic: string | undefined): string | undefined {
  if (/ (?!I\b)\p{Lu}[\p{L}\p{N}]/u.test(asked)) return asked;
  return topic && `${asked.slice(0, -1)} (${topic})?`;
}
