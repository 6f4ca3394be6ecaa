// Questions of a message that asks several: "Who founded it and when?", "Is there parking? What does it cost?".

const maxParts = 3;
const asking =
  'who|whom|whose|what|which|when|where|why|how|is|are|do|does|did|can|could|may|must|should|will|has|have|was|were|' +
  'wer|wem|wen|wie|was|wo|wann|warum|welche[rsnm]?|ist|sind|darf|kann|muss|gibt|hat|qui|quand|où|comment|combien|quel(?:le)?s?|est-ce|quién|qué|cuándo|dónde|cómo|cuánt[oa]s?|cuál(?:es)?';
/** Before a question word, "and" begins another question; elsewhere it joins words. */
const joint = new RegExp(
  String.raw`(?<=[?？])\s*(?:(?:and|und|et|y)\s+)?|\s*,?\s(?:and|und|et|y)\s+(?:also\s+)?(?=(?:(?:in|on|at|for|from|to|by|with)\s+)?(?:${asking})(?![\p{L}'’-]))`,
  'iu',
);

/** The questions in their order; one if there are no more, or too many to answer. */
export function partsOf(message: string): string[] {
  const parts = message
    .split(joint)
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
  return parts.length > maxParts || parts.length === 0 ? [message] : parts;
}
