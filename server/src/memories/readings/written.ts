// Facts that a base extracts from prose: it is asked for questions and answers of each passage. A pair is accepted if the answer occurs
// word for word in a sentence of the passage, which becomes the quote, and the question can be understood without the passage.
import { maxAskedPassages } from '@lorekeep/contract';
import { z } from 'zod';
import { type FoundFact, spaced } from '../../documents/facts/found-fact.ts';
import { questionAbout } from '../../documents/facts/questions.ts';
import { topicsOf } from '../../documents/facts/topic.ts';
import type { StoredPassage } from '../../documents/stored-passages.ts';
import { isGrounded } from '../../documents/suggestions/grounded.ts';
import { questionKey } from '../../files/question-key.ts';
import { isQuoted } from '../../files/quoted.ts';

const maxFactsOfPassage = 5;
const maxTokens = 600;
const minLength = 80;
const maxLength = { question: 300, answer: 300 };

const answerSchema = z.object({ facts: z.array(z.object({ question: z.string(), answer: z.string() })) });

const text = (length: number) => ({ type: 'string', maxLength: length });
const schema = {
  type: 'object',
  properties: {
    facts: {
      type: 'array',
      maxItems: maxFactsOfPassage,
      items: {
        type: 'object',
        properties: { question: text(maxLength.question), answer: text(maxLength.answer) },
        required: ['question', 'answer'],
        additionalProperties: false,
      },
    },
  },
  required: ['facts'],
  additionalProperties: false,
};

export interface Written {
  messages: { role: 'user'; content: string }[];
  json_schema: Record<string, unknown>;
  max_tokens: number;
  temperature: number;
}
/** Sends a request to the base; returns its answer as text. */
export type AskBase = (request: Written) => Promise<string>;

/** `known` holds the facts found without a model. Their questions are skipped. */
export async function writtenFacts(
  ask: AskBase,
  passages: StoredPassage[],
  fileName: string,
  known: readonly FoundFact[],
): Promise<{ found: FoundFact[]; cut: boolean }> {
  const topicOf = topicsOf(passages, fileName);
  const prose = passages.filter(isProse);
  const asked = new Set(known.map(({ input }) => questionKey(input)));
  const found: FoundFact[] = [];
  for (const passage of prose.slice(0, maxAskedPassages)) {
    const topic = topicOf(passage);
    for (const said of factsIn(await ask(requestFor(passage, topic)))) {
      const fact = validFact(said, passage, topic);
      if (!fact || asked.has(questionKey(fact.input))) continue;
      asked.add(questionKey(fact.input));
      found.push(fact);
    }
  }
  return { found, cut: prose.length > maxAskedPassages };
}

const sentence = /[^.!?\n]{40,}[.!?](?:\s|$)/;

const isProse = ({ text }: StoredPassage): boolean =>
  text.length >= minLength && !text.includes(' | ') && sentence.test(text);

function requestFor({ text, headings }: StoredPassage, topic: string | undefined): Written {
  const from = [topic, ...headings].filter((one, at, all) => one && all.indexOf(one) === at).join(' > ');
  const content =
    `${from ? `From: ${from}\n` : ''}Text: ${text}\n\n` +
    `Write up to ${maxFactsOfPassage} questions that this text answers, each with its answer copied word for word from the text, as JSON: ` +
    '{"facts": [{"question": "...", "answer": "..."}]}. Each question names what it asks about and can be understood without the text. ' +
    'Leave out what is an opinion, an example or an advertisement. Where the text states nothing, write {"facts": []}.';
  return { messages: [{ role: 'user', content }], json_schema: schema, max_tokens: maxTokens, temperature: 0 };
}

function factsIn(said: string): { question: string; answer: string }[] {
  try {
    return answerSchema.parse(JSON.parse(said)).facts.slice(0, maxFactsOfPassage);
  } catch {
    // A truncated answer, or one without JSON, holds no facts.
    return [];
  }
}

/** Words that refer to the passage or to something in it. */
const referringWords =
  /\b(?:it|its|this|these|that|those|he|she|they|his|her|their|we|our|above|below|following|text|passage|document|here)\b/i;

function validFact(
  said: { question: string; answer: string },
  { text, page }: StoredPassage,
  topic: string | undefined,
): FoundFact | undefined {
  const [question, answer] = [spaced(said.question), spaced(said.answer).replace(/(?<=\p{L})\.$/u, '')];
  if (question.length > maxLength.question || answer.length > maxLength.answer || referringWords.test(question))
    return undefined;
  if (!isGrounded({ question, answer }, text)) return undefined;
  const quote = text
    .split(/\n|(?<=[.!?])\s+(?=\p{Lu})/u)
    .map(spaced)
    .find((one) => isQuoted(answer, one));
  const input = questionAbout(question, topic);
  if (quote === undefined || input === undefined) return undefined;
  return { input, output: answer, subject: topic ?? '', quote, page: page ?? null, confidence: 0.7 };
}
