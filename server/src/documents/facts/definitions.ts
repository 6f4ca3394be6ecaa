// Facts from glossaries: lines of a term and its definition ("Marver: a steel table ..."), and sentences that define a common noun
// ("A lehr is an oven in which ...").
import { type FoundFact, isNoAttribute, type Stated, spaced } from './found-fact.ts';
import { inTopic } from './topic.ts';

const glossaryHeading = /\b(?:glossary|definitions?|terms|terminology|vocabulary|abbreviations)\b/i;
const termLine = /^(?:[-*•–]\s+)?(\p{Lu}[\p{L}\p{N}' -]{1,40})\s*:\s+(\p{Ll}.{8,200}?)\.?$/u;
const article = /^(?:an?|the|any|one) /;
/** A definition states more than a kind: "an oven in which glass cools". */
const nounDefinition =
  /^(An?) (\p{Ll}[\p{Ll}-]{2,}(?: \p{Ll}[\p{Ll}-]{2,})?) is ((?:an?|the) \p{Ll}[^.]{6,160}? (?:which|that|who|whose|where|for|used|of|with|made)\b[^.]{2,120})\.$/u;
const massNounDefinition =
  /^(\p{Lu}\p{Ll}{2,}) is ((?:an? |the )?\p{Ll}[^.]{8,160} (?:that|which|who|of|used|for)\b[^.]{2,120})\.$/u;
const noNoun =
  /^(?:new|good|bad|better|second|third|further|different|typical|common|simple|single|great|small|large|similar|more|few|little|lot|bit|this|that|it|there|here|what|which|such)\b/i;
const contextReference = /\b(?:this|these|those|it|above|below|following|here|we|you|our|your)\b/i;

export function definitionFacts({ passage, topic }: Stated): FoundFact[] {
  const lines = passage.text.split('\n').map(spaced);
  const listed = [passage.headings.at(-1), passage.title, topic].some((heading) => glossaryHeading.test(heading ?? ''));
  const terms = lines.map((text) => termOf(text, listed));
  const known = terms.filter((term) => term !== undefined).length;
  const page = passage.page ?? null;
  const facts = terms.flatMap((term, at): FoundFact[] => {
    if (!term || (!listed && known < 2) || topic === undefined) return [];
    const input = `What is the meaning of ${term.name} ${inTopic(topic)}?`;
    return [{ input, output: term.text, subject: term.name, quote: lines[at]!, page, confidence: 0.9 }];
  });
  const sentences = lines
    .filter((text) => !text.includes(' | '))
    .flatMap((text) => text.split(/(?<=[.!?])\s+(?=\p{Lu})/u));
  return [...facts, ...sentences.flatMap((sentence) => sentenceOf(sentence, page, listed))];
}

function termOf(text: string, listed: boolean): { name: string; text: string } | undefined {
  const [, term = '', rest = ''] = termLine.exec(text) ?? [];
  const words = term.split(' ');
  if (term === '' || words.length > 4 || isNoAttribute(term) || contextReference.test(rest) || /[.!?:] /.test(rest))
    return undefined;
  if (!article.test(rest) && (!listed || rest.split(' ').length < 3)) return undefined;
  return { name: /^\p{Lu}\p{Ll}+$/u.test(words[0]!) ? term[0]!.toLowerCase() + term.slice(1) : term, text: rest };
}

function sentenceOf(sentence: string, page: number | null, listed: boolean): FoundFact[] {
  const [, an = '', noun = '', rest = ''] = nounDefinition.exec(sentence) ?? [];
  const [, mass = '', said = ''] = (listed && massNounDefinition.exec(sentence)) || [];
  const [about, output] = noun ? [`${an.toLowerCase()} ${noun}`, rest] : [mass.toLowerCase(), said];
  if (about === '' || noNoun.test(noun || mass) || contextReference.test(output)) return [];
  return [{ input: `What is ${about}?`, output, subject: noun || mass, quote: sentence, page, confidence: 0.85 }];
}
