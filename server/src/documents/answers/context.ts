// Builds the context of a prompt: passages in the user's turn, before the question. Documents are untrusted data (prompt injection):
// their text is sanitized, so that it contains no template token and no label of the prompt format.
import { embeddedText } from '@lorekeep/reader';
import { contentWords, stem } from '../search/content-words.ts';

export interface ContextPassage {
  text: string;
  title: string | null;
  heading: string | null;
  header: string | null;
}

/**
 * The prompt format of lorekeep/quill, which other models understand too. The best passage is last, next to the question. `searched` is
 * the text by which excerpts are chosen.
 */
export function questionWithContext(
  question: string,
  passages: ContextPassage[],
  maxCharacters = Number.POSITIVE_INFINITY,
  searched = question,
): string {
  const each = Math.ceil(maxCharacters / Math.max(1, passages.length));
  const context = passages
    .toReversed()
    .map((passage) => passageText({ ...passage, text: excerpt(passage.text, searched, each) }))
    .join('\n\n');
  return `Context: ${context}\nQuestion: ${question}`;
}

function passageText({ text, title, heading, header }: ContextPassage): string {
  const above = [...new Set([title, heading])].filter(Boolean).join(': ');
  return neutralizeTemplateTokens(embeddedText({ context: above, header: header ?? undefined, text }));
}

/** Excerpt of the sentences that share most words with the question, in text order, up to a number of characters. */
export function excerpt(text: string, question: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const asked = new Set(contentWords(question).map(stem));
  const sentences = text.split(/(?<=[.!?。]\s)|(?<=\n)/).map((sentence, at) => ({
    ...{ sentence, at },
    shared: new Set(
      contentWords(sentence)
        .map(stem)
        .filter((word) => asked.has(word)),
    ).size,
  }));
  const chosen: typeof sentences = [];
  let length = 0;
  // The sentence after a good match often completes it.
  const worth = ({ shared, at }: (typeof sentences)[number]) => shared + 0.5 * (sentences[at - 1]?.shared ?? 0);
  for (const one of sentences.toSorted((a, b) => worth(b) - worth(a) || a.at - b.at)) {
    if (length > 0 && length + one.sentence.length > maxCharacters) break;
    chosen.push(one);
    length += one.sentence.length;
  }
  return chosen
    .sort((a, b) => a.at - b.at)
    .map(({ sentence }) => sentence)
    .join('')
    .slice(0, maxCharacters)
    .trim();
}

/** Sanitizes text of a document: breaks up tokens of chat templates and labels of the prompt format. */
export function neutralizeTemplateTokens(text: string): string {
  return text
    .replace(/<(?=[|｜/]?[\p{L}_▁]|[|｜])/gu, '< ')
    .replace(/([|｜])(?=>)/g, '$1 ')
    .replace(/\[(?=\|)|(?<=\|)\]/g, (bracket) => (bracket === '[' ? '[ ' : ' ]'))
    .replace(/\b(USER|ASSISTANT):/g, '$1 -')
    .replace(/\[(?=\/?(?:INST|SYS|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])/g, '[ ')
    .replace(
      /^([ \t#*>-]*)(context|question|answer|user|human|assistant|system|instruct|instruction|response|output)[ \t]*:/gimu,
      '$1$2 -',
    )
    .replace(/\n{2,}/g, '\n');
}
