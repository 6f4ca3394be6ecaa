// When an answer is right: word for word, or but for what people do not hear (case, articles, punctuation around words).

export interface Score {
  exact: boolean;
  normalised: boolean;
}

/** White space around an answer is nobody's mistake. */
export function scored(answer: string, right: string): Score {
  const exact = answer.trim() === right.trim();
  return { exact, normalised: exact || normalised(answer) === normalised(right) };
}

/** A minus or a point stays where a digit follows. */
const marksBefore = /^(?:(?![-.]\d)\p{P})+/u;
const marksAfter = /(?:(?![%‰])\p{P})+$/u;

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
  // Where nothing is left, what was said is compared as it stands.
  return bare.join(' ') || words.join(' ') || text.trim();
}
