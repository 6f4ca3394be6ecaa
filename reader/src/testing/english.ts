// Test helper: detects typical mistakes of sentence patterns in English questions. It is not a grammar checker.
const verb = '(?:is|are|was|were|does|do|did)';
const pronoun = 'it|this|that|these|those|they|he|she|we|you|i|there|here|which|who';
const loose =
  'and|or|but|if|when|while|because|after|before|during|all|some|each|every|most|only|also|not|with|without';

const forms = [
  new RegExp(`^(?:What|When|Where|Who) ${verb} .+\\?$`),
  /^How much (?:does|do) .+ cost\?$/,
  /^Who \p{L}+s? .+\?$/u,
];

export function englishFaultsOf(asked: string): string[] {
  // Quotations are spelled as in the document.
  const question = asked.replace(/"[^"]*"/g, 'Something');
  const wrong: [string, boolean][] = [
    ['no form of a question', !forms.some((form) => form.test(question))],
    [
      'a pronoun or a loose word for its subject',
      new RegExp(`^\\w+(?: much)? ${verb} (?:${pronoun}|${loose})\\b`, 'i').test(question),
    ],
    ['an article that is written large', new RegExp(`${verb} (?:The|A|An) `).test(question)],
    ['the same word twice', /\b(\p{L}+) \1\b/iu.test(question)],
    ['space where none belongs', /\s{2}|\s[?,.]|\n/.test(question)],
    ['two sentences', /[.!?]\s+\p{Lu}/u.test(question)],
    ['quotes that do not close', question.includes('"')],
    ['too long', question.split(' ').length > 40],
  ];
  return wrong.filter(([, is]) => is).map(([what]) => what);
}
