// Facts from sentences: the sentence patterns of suggested questions, and definitions ("X is the ..."), each with its sentence as the
// quote.
import { contentWords, stem } from '../search/content-words.ts';
import { isGrounded } from '../suggestions/grounded.ts';
import { sentenceQuestionsOf } from '../suggestions/sentences.ts';
import { type FoundFact, type Stated, spaced } from './found-fact.ts';

const name = String.raw`\p{Lu}[\p{L}\p{N}'’.-]*[\p{L}\p{N}](?: (?:of |the )?(?:\p{Lu}[\p{L}\p{N}'’.-]*[\p{L}\p{N}]|\d[\p{L}\p{N}]*)){0,4}`;
const definitionPattern = new RegExp(`^(${name})(?: \\((?:[A-Z]{2,8})\\))? is (the|an?) (\\p{L}.{8,160})$`, 'u');
const noName =
  /^(?:It|This|That|These|Those|There|Here|He|She|We|You|They|If|When|While|Where|Since|As|In|On|At|For|By|With|Note|Also|Another|One|Each|Every|Any|Some|All|What|Which|Who|Why|How|The|An?|Its|Our|Your|My|Such|First|Second|Third|Finally|Next|Only|Both|Below|Above|Yes|No|So|But|And|Or|Otherwise|However|Default|Example|Value|Return|Type|Name|Input|Output|Result|Option|Because|Following|Argument|Although|Though|Unless|Until|Unlike|Like|After|Before|During|Once|Then|Thus|Therefore|Please|Most|Many|Several|Few|Under|Over|Inside|Within|Method|Function|Parameter|Property|Field)\b/;

/** Start of another clause, at which a definition ends. */
const unfinished = /, (?:the|so|but|we|you|it|they|if|when|\p{L}+ing)\b| and \p{L}+ (?:is|are|was|has|have)\b/u;
/** Whether a text can be understood by itself, since it names something. */
const selfContained = /^\S+ .*(?:\p{Lu}|\d)/u;

export function sentenceFacts({ passage }: Stated): FoundFact[] {
  const sentences = passage.text
    .split('\n')
    .filter((line) => !line.includes(' | '))
    .flatMap((line) => spaced(line).split(/(?<=[.!?])\s+(?=\p{Lu})/u))
    .filter((sentence) => /^\p{Lu}.{8,300}[.!]$/u.test(sentence) && !/[{}<>=;`\\[\]]|\.\.\.|https?:/.test(sentence));
  const page = passage.page ?? null;
  const asked = sentenceQuestionsOf(passage).flatMap(({ question, answer }): FoundFact[] => {
    if (!selfContained.test(question) || /^Where .* (?:written|implemented|typed)\?$/.test(question)) return [];
    const words = contentWords(question).map(stem);
    const quote = sentences.find((sentence) => {
      const there = new Set(contentWords(sentence).map(stem));
      return isGrounded({ question, answer }, sentence) && words.every((word) => there.has(word));
    });
    return quote === undefined ? [] : [{ input: question, output: answer, subject: '', quote, page, confidence: 0.9 }];
  });
  return [...asked, ...sentences.flatMap((sentence) => definitionOf(sentence, page))];
}

function definitionOf(sentence: string, page: number | null): FoundFact[] {
  const [, about = '', article, rest = ''] = definitionPattern.exec(sentence.slice(0, -1)) ?? [];
  const unclear =
    /^(?:different|early|open|minimum|maximum|latest|similar|kind|type|simple|set|list|small|new|common|useful|powerful|same|only|first|last|next|following|default|way|case|number|lot|bit|good|bad|great|must|more|most|one|other|above)\b|\b(?:this|that one|these|those|above|below|following|here|it)\b/i;
  if (about === '' || noName.test(about) || unclear.test(rest) || unfinished.test(rest) || rest.split(' ').length < 3)
    return [];
  return [
    {
      input: `What is ${about}?`,
      output: `${article} ${rest}`,
      subject: about,
      quote: sentence,
      page,
      confidence: 0.9,
    },
  ];
}
