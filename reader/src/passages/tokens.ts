// Counts tokens for the embedder: BERT's WordPiece by its tokenizer.json, word by word with a cache of words. Where the
// count could differ from the engine's tokenizer, it is higher, never lower.

export interface TokenCounter {
  count(text: string): number;
}

interface TokenizerFile {
  normalizer?: { lowercase?: boolean; strip_accents?: boolean | null; handle_chinese_chars?: boolean };
  model?: {
    type?: string;
    vocab?: Record<string, number>;
    continuing_subword_prefix?: string;
    max_input_chars_per_word?: number;
  };
}

const remembered = 100_000;

/** Counter for the tokenizer of a tokenizer.json. Other kinds than WordPiece are overestimated. */
export function tokenCounter(json: string): TokenCounter {
  const file = JSON.parse(json) as TokenizerFile;
  const words = file.model?.type === 'WordPiece' && file.model.vocab ? wordPieces(file) : estimate;
  const known = new Map<string, number>();
  return {
    count(text) {
      let tokens = 0;
      for (const [word] of text.matchAll(/\S+/g)) {
        let found = known.get(word);
        if (found === undefined) {
          found = words(word);
          if (known.size >= remembered) known.clear();
          if (word.length < 100) known.set(word, found);
        }
        tokens += found;
      }
      return tokens;
    },
  };
}

/** Estimate for byte-level and unigram tokenizers: mostly at least two letters per token, and at most one token per byte otherwise. */
const estimate = (word: string) => Math.ceil(Buffer.byteLength(word) / 2) + 1;

const removed = /[\ufffd\p{Cc}\p{Cf}\p{Co}]/gu;
const ideographs =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b820}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
/** Only its case is normalized. */
const printableAscii = /^[!-~]*$/;
const accents = /\p{Mn}/gu;
const newerAccents = /[\p{Mn}--[\u0300-\u07f9]]/v;
const commonAccents = /[\p{Mn}&&[\u0300-\u07f9]]/gv;
/** Punctuation, including U+166D by the Unicode version of the engine's tokenizer. */
const wordPattern = /[!-/:-@[-`{-~\p{P}\u166d]|[^\s!-/:-@[-`{-~\p{P}\u166d]+/gu;

function wordPieces({ normalizer = {}, model }: TokenizerFile): (word: string) => number {
  const vocabulary = new Set(Object.keys(model!.vocab!));
  const prefix = model!.continuing_subword_prefix ?? '##';
  const maxWordLength = model!.max_input_chars_per_word ?? 100;
  const lowercase = normalizer.lowercase ?? true;
  const stripped = normalizer.strip_accents ?? lowercase;
  const normalized = (word: string, marks: RegExp) => {
    if (printableAscii.test(word)) return lowercase ? word.toLowerCase() : word;
    let text = word.replace(removed, '');
    if (normalizer.handle_chinese_chars ?? true) text = text.replace(ideographs, ' $& ');
    if (stripped) text = text.normalize('NFD').replace(marks, '');
    // Lower case letter by letter like the engine, since JavaScript changes a sigma at the end of a word.
    return lowercase ? Array.from(text, (character) => character.toLowerCase()).join('') : text;
  };
  const pieces = (part: string): number => {
    if (part.length > 2 * maxWordLength) return 1;
    const characters = Array.from(part);
    if (characters.length > maxWordLength) return 1;
    let count = 0;
    for (let start = 0; start < characters.length; count++) {
      let end = characters.length;
      while (end > start && !vocabulary.has((start > 0 ? prefix : '') + characters.slice(start, end).join(''))) end--;
      if (end === start) return 1; // The whole word is unknown.
      start = end;
    }
    return count;
  };
  const total = (text: string) => {
    let count = 0;
    for (const [part] of text.matchAll(wordPattern)) count += pieces(part);
    return count;
  };
  return (word) => {
    const count = total(normalized(word, accents));
    if (!newerAccents.test(word)) return Math.max(1, count);
    // The engine's tokenizer drops some of these as accents, and keeps others.
    return Math.max(1, count, total(normalized(word, commonAccents)));
  };
}
