// Quotes for follow-ups: of all readings of the message, the one whose best candidate is most confident counts. Each message of the thread
// is read after the one before, since "And on Saturdays?" may follow "And in winter?".
import { setImmediate } from 'node:timers/promises';
import type { Quote } from './excerpt.ts';
import { asksForm, expectedOf } from './expected.ts';
import { type Candidate, candidatesOf } from './features.ts';
import { comparedTexts, type Likeness, probabilityOf, quoteFrom, type Ranked, ranked } from './quote.ts';
import { asksOn, plainReading, type Reading, readingsAfter } from './readings.ts';
import { sentencesOf } from './sentences.ts';
import { isRow } from './tables.ts';
import type { QuotedPassage, Unit } from './units.ts';
import { bestLikeness, questionWords } from './words.ts';

/** Confidence that a reading loses for each word of the earlier question that it leaves out. */
const droppedWordCost = 0.5;
/** Confidence that a candidate loses without the words of the follow-up itself, which are what is asked. */
const missingWordsCost = 4;
const typedMissingWordsCost = 2;
/** Minimum probability of a candidate without any word of the follow-up. */
const minProbabilityWithout = 0.5;

interface Read {
  reading: Reading;
  ranked: Ranked[];
}

/** `strict` requires every word of the message in the answer or its headings, for messages that need not be follow-ups. */
export async function quoteOfFollowUp(
  { thread, text, strict }: { thread: string[]; text: string; strict: boolean },
  passages: QuotedPassage[],
  likeness: Likeness,
): Promise<Quote | undefined> {
  const said = [plainReading(thread[0]!)];
  let read: Read | undefined;
  for (const message of [...thread.slice(1), text]) {
    read = await bestOf(readingsOf(message, said), passages, likeness);
    if (!read) return undefined;
    said.push(read.reading);
  }
  const { reading } = read!;
  const [first] = read!.ranked;
  const missing = missingShare(reading.own, first!.unit);
  if (missing > 0 && strict) return undefined;
  if (missing === 1 && probabilityOf(first!, read!.ranked) < minProbabilityWithout) return undefined;
  const quote = quoteFrom(read!.ranked, reading.form, passages, questionWords(reading.text), reading.own);
  return (quote && asksOn(text) && sentenceAfter(quote, passages[quote.passage]!)) || quote;
}

/** The sentence after a quoted one in its line, which goes on with it. */
function sentenceAfter({ passage, end }: Quote, { text }: QuotedPassage): Quote | undefined {
  const sentences = sentencesOf(text);
  const line = sentences.findLast(({ start }) => start < end)?.line;
  const next = sentences.find((sentence) => sentence.start >= end && sentence.line === line);
  return next && !isRow(text.split('\n')[next.line]!) ? { ...next, passage } : undefined;
}

/** The readings after the last message, and for a question also after those before it, to which it may go back. */
function readingsOf(message: string, said: Reading[]): Reading[] {
  const last = readingsAfter(said.at(-1)!, message);
  if (!asksForm(message)) return last;
  const further = said.slice(0, -1).flatMap((before) => readingsAfter(before, message));
  // Going back further counts like a word that is left out.
  return [...last, ...further.map((reading) => ({ ...reading, dropped: reading.dropped + 1 }))];
}

async function bestOf(readings: Reading[], passages: QuotedPassage[], likeness: Likeness): Promise<Read | undefined> {
  const all: { reading: Reading; candidates: Candidate[] }[] = [];
  for (const reading of readings) {
    const { text, form } = reading;
    all.push({ reading, candidates: candidatesOf(text, questionWords(text), passages, form) });
    // Other calls go on meanwhile.
    await setImmediate();
  }
  await likeness(
    all[0]!.reading.text,
    all.flatMap(({ reading, candidates }) => [reading.text, ...comparedTexts(candidates)]),
  );
  let best: (Read & { score: number }) | undefined;
  for (const { reading, candidates } of all) {
    const { text, dropped } = reading;
    const order = (await ranked(text, candidates, likeness))
      .map((one) => ({ ...one, confidence: one.confidence - missingCost(reading, one) }))
      .sort((one, other) => other.confidence - one.confidence);
    if (order.length === 0) continue;
    const score = order[0]!.confidence - droppedWordCost * dropped;
    if (!best || score > best.score) best = { reading, ranked: order, score };
  }
  return best;
}

/** A number or time of the type that the follow-up itself asks for may be told in other words: "when can I reach it?" */
function missingCost({ text, form, own }: Reading, { unit, fits }: Ranked): number {
  const isOfType = fits >= 1 && text.endsWith(form) && expectedOf(form)?.required;
  return (isOfType ? typedMissingWordsCost : missingWordsCost) * missingShare(own, unit);
}

function missingShare(own: string[], { words, above, before }: Unit): number {
  if (own.length === 0) return 0;
  const held = [...words, ...above, ...before];
  return own.filter((word) => bestLikeness(word, held) < 0.6).length / own.length;
}
