// The passages written by hand that the base never saw in training (the exam's topics of engine/quill/text/reading.py), with their
// questions.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../../engine/quill/text');

export interface Reading {
  topic: string;
  text: string;
  /** First questions that the passage answers; follow-ups need a conversation. */
  items: { question: string; answers: string[] }[];
}

export async function readingsOf(): Promise<Reading[]> {
  const program = await readFile(join(folder, 'reading.py'), 'utf8');
  const topics = [.../EXAM_TOPICS = \{([^}]*)\}/.exec(program)![1]!.matchAll(/"([^"]+)"/g)].map(([, topic]) => topic!);
  const files = await Promise.all(
    topics
      .sort()
      .map(async (topic) => ({ topic, text: await readFile(join(folder, 'reading', `${topic}.txt`), 'utf8') })),
  );
  return files.flatMap(({ topic, text }) =>
    text
      .split(/^== .*\n/m)
      .slice(1)
      .map((block) => readingOf(topic, block.slice(0, block.lastIndexOf('\n~')))),
  );
}

function readingOf(topic: string, block: string): Reading {
  const gap = block.trim().lastIndexOf('\n\n');
  const lines = block.trim().slice(gap).trim().split('\n');
  const items = lines.flatMap((line, at) => {
    const answer = lines[at + 1]?.replace(/^A: /, '');
    return line.startsWith('Q: ') && answer && answer !== '-'
      ? [{ question: line.slice(3), answers: answer.split(' | ') }]
      : [];
  });
  return { topic, text: block.trim().slice(0, gap).trim(), items };
}

/** The exam's lenient marking: the reply contains an accepted answer, regardless of case, article and final punctuation. */
export function isRight(said: string, answers: string[]): boolean {
  const bare = (text: string) =>
    text
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^[.,;:!"']+|[.,;:!"']+$/g, '')
      .toLowerCase()
      .replace(/^(?:in|on|at|by|from|to|for) /, '')
      .replace(/^(?:the|a|an) /, '');
  return answers.some((answer) => {
    const at = bare(said).indexOf(bare(answer));
    const around = [bare(said)[at - 1], bare(said)[at + bare(answer).length]];
    return at >= 0 && around.every((sign) => sign === undefined || !/[\p{L}\p{N}_]/u.test(sign));
  });
}
