// Questions by the forms of sentences, for models that cannot ask: what a definition defines, what a sentence under a heading says.
import type { Passage } from '../passages/passage.ts';

const longest = 300;
/** A subject that stands by itself: not "it", not half of a longer one. */
const subject = /^(?:The |A |An )?[\p{L}\p{N}][\p{L}\p{N}'’&./ -]{2,60}$/u;
const vague =
  /^(it|this|that|these|those|they|he|she|we|you|i|there|here|which|who|what|each|all|some|one|if|when|in|on|at|for|note)\b/i;

export function questionsOf({ text, headings, title }: Passage): { question: string; answer: string }[] {
  const sentences = text
    .split(/(?<=[.!?])\s+(?=\p{Lu})|\n+/u)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => /^\p{Lu}.*[.!]$/u.test(sentence) && sentence.length <= longest);
  const found: { question: string; answer: string }[] = [];
  for (const sentence of sentences) {
    const formed =
      /^(.{3,60}?) (is|are|was|were|means|opens|closes|costs|requires|contains|provides|supports) (.{3,}?)[.!]$/.exec(
        sentence,
      );
    const [, about = '', verb = '', said = ''] = formed ?? [];
    if (!formed || !subject.test(about) || vague.test(about)) continue;
    const named = /^(The|A|An) /.test(about) ? about[0]!.toLowerCase() + about.slice(1) : about;
    found.push({ question: asked(named, verb), answer: /^(is|are|was|were|means)$/.test(verb) ? said : sentence });
  }
  const heading = headings.at(-1);
  const [first] = sentences.filter((sentence) => sentence.split(' ').length >= 4);
  if (heading && first && heading.length <= 100) {
    const within = title && title !== heading ? ` in "${title}"` : '';
    found.push({ question: `What is said under "${heading}"${within}?`, answer: first });
  }
  return found;
}

function asked(about: string, verb: string): string {
  if (verb === 'means') return `What does ${about} mean?`;
  if (verb === 'opens' || verb === 'closes') return `When does ${about} ${verb.slice(0, -1)}?`;
  if (verb === 'costs') return `What does ${about} cost?`;
  if (verb.endsWith('s') && !/^(is|was)$/.test(verb)) return `What does ${about} ${verb.slice(0, -1)}?`;
  return `What ${verb} ${about}?`;
}
