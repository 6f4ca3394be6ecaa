// Rules for right answers: word for word, or without differences that are not heard (case, articles, punctuation around
// words).

export interface Score {
  exact: boolean;
  normalised: boolean;
}

// A run at the end of a text is looked for from its first character alone (the lookbehinds): from each one of them, a long text takes
// quadratic time.

const token = String.raw`<\|(?:eot_id|im_end|end|endoftext|end_of_text)\|>|<end_of_turn>|<\/s>`;
/** End-of-turn tokens of chat templates at the end of an expected answer. No model generates them as text. */
const endOfTurn = new RegExp(String.raw`(?<!\s|${token})(?:\s*(?:${token}))+\s*$`);

/** White space around an answer does not count as an error. */
export function score(answer: string, expected: string): Score {
  const right = expected.replace(endOfTurn, '') || expected;
  const exact = answer.trim() === right.trim() || answer.trim() === expected.trim();
  return { exact, normalised: exact || normalised(answer) === normalised(right) };
}

/** A minus or a point stays where a digit follows. */
const marksBefore = /^(?:(?![-.]\d)\p{P})+/u;
const marksAfter = /(?<!(?![%‰])\p{P})(?:(?![%‰])\p{P})+$/u;

/** Signs that belong to a value stay: 5% is not 5, -3 is not 3, and 1.5 is not 15. */
export function normalised(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .split(/\s+/)
    .map((word) => word.replace(marksBefore, '').replace(marksAfter, ''))
    .filter((word) => word !== '');
  const bare = words.filter((word) => !/^(an?|the)$/.test(word));
  // If nothing is left, the answer is compared unchanged.
  return bare.join(' ') || words.join(' ') || text.trim();
}
