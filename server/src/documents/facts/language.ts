// Detects the language of a document by its most frequent words. An English question about a column of a German table would mix both
// languages.
import type { StoredPassage } from '../stored-passages.ts';

const stopWords = {
  english: 'the of and to is are for with from not by or at this you we an be it our must may',
  german: 'der die das und ist sind für mit von nicht ein eine den dem des auf zu im bei nur oder wird werden pro ab',
  french: 'le la les et est sont pour avec de des du une un dans sur par au aux ou pas ne en sans',
  spanish: 'el la los las y es son para con de del una un en por no al se que sin',
  italian: 'il lo la gli le e è sono per con di del della una un in non da al che senza',
  dutch: 'de het een en is zijn voor met van niet op te in bij of wordt door naar per',
  portuguese: 'o a os as e é são para com de do da uma um em por não ao que sem',
  swedish: 'och är att det som en ett för med av inte på till från eller kan',
  norwegian: 'og er å det som en et for med av ikke på til fra eller kan',
};
export type Language = keyof typeof stopWords;

const languages = Object.entries(stopWords).map(([name, all]) => ({
  name: name as Language,
  all: new Set(all.split(' ')),
}));

/** Minimum number of words of another language, and their minimum ratio to those of English. */
const minStopWords = 8;
const minRatioToEnglish = 1.3;

/** The language of a document; English unless another one is clear. */
export function languageOf(passages: StoredPassage[]): Language {
  const counts = new Map<Language, number>(languages.map(({ name }) => [name, 0]));
  for (const { text } of passages)
    for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? [])
      for (const { name, all } of languages) if (all.has(word)) counts.set(name, counts.get(name)! + 1);
  const [name, most] = [...counts].sort(([, one], [, other]) => other - one)[0]!;
  return most >= minStopWords && most > counts.get('english')! * minRatioToEnglish ? name : 'english';
}
