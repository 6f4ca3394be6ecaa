// Expected answer type of a question (number, money, time, person, place), and detection of it in a text. By patterns for questions in
// English, German, French and Spanish; other questions have no expected type.
import { bestLikeness, wordsOf } from './words.ts';

export interface Expected {
  kind: 'number' | 'money' | 'time' | 'person' | 'place' | 'name';
  /** Whether a text without this type cannot be the answer. */
  required: boolean;
  /** Confidence that the answer has this type; 1 by default. */
  weighs?: number;
  holds(text: string): boolean;
  /** Whether a text may have this type in an ambiguous form, such as an amount without its currency. */
  mayHold?(text: string): boolean;
}

/** Word boundaries in any script, since \b only knows ASCII letters. */
const whole = (words: string) => String.raw`(?<![\p{L}\p{N}])(?:${words})(?![\p{L}\p{N}])`;
const anyOf = (...patterns: string[]) => new RegExp(patterns.join('|'), 'iu');

const numerals =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand|' +
  'half|quarter|third|double|twice|once|dozen|first|second|fourth|fifth|both|none|several|unlimited|' +
  'ein|eine|einen|einer|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig|hundert|einmal|zweimal|' +
  'une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|vingt|cent|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|veinte|cien';
const units =
  'seconds?|minutes?|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|jours?|semaines?|mois|ans?|heures?|días?|semanas?|mes|meses|años?|horas?';
const days =
  '(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?|wochenende|weekends?|' +
  'lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo';
const months =
  '(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|ember|tember|ober)?|may|januar|februar|märz|mai|juni|juli|oktober|dezember|' +
  'janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre';
const moments =
  'noon|midnight|daily|weekly|monthly|yearly|annually|always|never|forever|immediately|at once|christmas|easter|morning|evening|night|spring|summer|autumn|winter|' +
  'when|if|as soon as|after|before|until|till|unless|sobald|wenn|nach|vor|bis|après|avant|jusqu|dès|después|antes|hasta';

const number = anyOf(String.raw`\d`, whole(numerals), '[一二三四五六七八九十百千]');
const money = anyOf(
  '[$€£¥₹%元円]',
  whole('EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?|pence|cents?|francs?|franken|kronor|kronen|yen|rupees?|percent'),
  whole(
    'free|no charge|full fare|without (?:any |payment of any )?(?:charge|payment|fee)|kostenlos|umsonst|gratuite?|gratis|frei(?:en)? eintritt',
  ),
);
const time = anyOf(
  String.raw`\d{1,2}[:.h]\d\d`,
  String.raw`(?<!\p{L})\d{1,2} ?(?:am|pm|a\.m|p\.m|h|uhr|o'clock)(?!\p{L})`,
  String.raw`(?<!\d)(?:1[5-9]|20)\d\d(?!\d)`,
  whole(`${days}|${months}|${units}`),
  '[年月日時点點时]',
);
const moment = anyOf(whole(moments));
const often = anyOf(whole('every|each|per|once|twice|regularly|täglich|jede[nrs]?|monatlich|chaque|cada'));
/** A name of two words, or a role. Without the flag "i", since capitals indicate names. */
const person = new RegExp(
  String.raw`(?<!\p{L})(?:Mr|Mrs|Ms|Dr|Prof|Frau|Herr|Mme|Mlle|Sra?|Doña|Don)\b\.? ?\p{Lu}|\p{Lu}\p{Ll}+(?:[- ]\p{Lu}\.?)? \p{Lu}\p{Ll}+|` +
    whole(
      String.raw`\p{L}+(?:ician|ist|ager|eader|ector|retary|surer|ditor|itter)s?|staff|team|committee|council|board|department|office|authority|company|firm|police|agency|association|ministry|owners?|users?|customers?|chair|members?|family|anybody|anyone|nobody|everybody|everyone|parents?|children|adults?|whoever|persons?|people`,
    ),
  'u',
);
const place = anyOf(
  whole(
    'in|at|on|near|under|above|behind|beside|next to|opposite|inside|outside|to|between|street|road|lane|avenue|im|am|bei|neben|hinter|unter|dans|à|au|sur|chez|en|sobre',
  ),
  '[在里内]',
);

/** A number that may be an amount: with two decimals, in thousands, or after a verb of paying. */
const amount = anyOf(
  String.raw`(?<![\d.,:])\d{1,3}(?:[,.’' ]\d{3})*[.,]\d\d(?!\d|[:.]\d| ?(?:am|pm|uhr))`,
  String.raw`(?<![\d.,:])\d{1,3}(?:[,.’' ]\d{3})+(?!\d)`,
  String.raw`(?<!\p{L})(?:costs?|pays?|charged?|fees?|fine|deposit|price|rate|rent|for|of|at|is|wants) (?:of |at |is |up to |about )?\d+(?![\d:]|[.,]\d| ?%| \p{L}*(?:days?|hours?|minutes?|weeks?|months?|years?))`,
);
const numeric = (text: string) => number.test(text);
const holdsTime = (text: string) => time.test(text);
/** A number of a unit of time, "every", or words like "forever". */
const span = anyOf(
  String.raw`(?:\d|${whole(numerals)})[\p{L}\s-]{0,14}?${whole(units)}`,
  whole('forever|always|never|unlimited|permanently|daily|weekly|monthly|yearly|annually'),
  '[年月日時点點时]',
);
const holdsSpan = (text: string) => span.test(text) || often.test(text);

/** A number with a unit of the measure, since a time of day is not a depth. */
const measureOf = (units: string) => anyOf(String.raw`\d\s?-?(?:${units})(?!\p{L})`);
const measures: [asked: string, units: RegExp][] = [
  [
    'far|high|deep|tall|wide|thick|height|width|length|depth|distance|diameter|hoch|breit|tief|höhe|breite|länge|hauteur',
    measureOf(
      'mm|cm|m|km|metres?|meters?|millimet\\p{L}+|centimet\\p{L}+|kilomet\\p{L}+|zentimeter|inch(?:es)?|ft|feet|foot|yards?|miles?|"|″',
    ),
  ],
  [
    'heavy|weight|weigh|schwer|gewicht|poids|peso',
    measureOf('g|kg|mg|t|grams?|kilos?|kilogram\\p{L}*|gramm|tons?|tonnes?|tonnen|lbs?|pounds?|oz|ounces?'),
  ],
  [
    'hot|warm|cold|temperature|temperatur|température|temperatura',
    measureOf('°.?|degrees?|c|f|celsius|grad|degrés|grados'),
  ],
].map(([asks, units]) => [whole(asks as string), units as RegExp]);

const holdsMeasure = (question: string, text: string): boolean => {
  const measure = measures.find(([asks]) => new RegExp(asks, 'iu').test(question));
  return measure ? measure[1].test(text) : numeric(text);
};

/** Patterns of questions; the first match counts. */
const forms: { asked: RegExp; expected: Expected }[] = [
  {
    asked: anyOf(whole('who|whom|whose|wer|wem|wen|wessen|qui|quién|quiénes'), '[谁誰]'),
    expected: {
      ...{ kind: 'person', required: false },
      holds: (text) => person.test(text),
      mayHold: (text) => /(?<=\p{L}[^.!?]* )\p{Lu}\p{Ll}/u.test(text),
    },
  },
  {
    asked: anyOf(
      whole('how (?:long|soon|quickly|often|old)|wie (?:lange|oft|alt)|combien de temps|cuánto tiempo|cada cuánto'),
    ),
    expected: {
      ...{ kind: 'time', required: true },
      holds: holdsSpan,
      mayHold: (text) => numeric(text) || holdsTime(text) || moment.test(text),
    },
  },
  {
    asked: anyOf(
      whole(
        "when|(?:what|which) (?:time|day|date|year|month|hours?)|what's the time|wann|um wie ?viel uhr|quand|quelle heure|qué hora|cuándo",
      ),
      '何時|几点|幾點|什么时候|いつ',
    ),
    expected: { kind: 'time', required: true, holds: holdsTime, mayHold: (text) => moment.test(text) },
  },
  {
    asked: anyOf(whole('where|wo|wohin|woher|où|dónde|adónde'), '哪里|どこ'),
    expected: { kind: 'place', required: false, holds: (text) => place.test(text) },
  },
  {
    asked: anyOf(whole('how many|wie viele|combien de|cuánt[oa]s'), '几个|何人|いくつ'),
    expected: { kind: 'number', required: true, holds: numeric },
  },
  {
    asked: anyOf(
      whole(
        'how much (?:is|are|money|do i|do we|does it cost)|how expensive|costs?|prices?|fees?|charges?|fare|salary|rent|deposit|allowance|subscription|' +
          'pay|pays|paid|kostet|kosten|preis|wie teuer|coûten?t?|prix|tarif|cuestan?|precio',
      ),
      '多少钱|いくら|費用',
    ),
    expected: {
      ...{ kind: 'money', required: true },
      holds: (text) => money.test(text),
      mayHold: (text) => amount.test(text),
    },
  },
  {
    asked: anyOf(
      whole(
        'how (?:much|far|high|deep|heavy|big|large|tall|wide|fast|hot|warm|cold|thick|strong)|wie (?:viel|hoch|schwer|groß|weit|breit|lang|tief|warm)|combien|cuánt[oa]',
      ),
      String.raw`(?<!\p{L})(?:what|which|welche[rs]?|quelle?|qué)(?!\p{L}).{0,40}(?<!\p{L})(?:temperature|weight|height|width|length|depth|speed|pressure|wavelength|frequency|concentration|duration|area|voltage|capacity|percentage|distance|number|diameter|size|power|flow|amount|volume|port|temperatur|gewicht|höhe|breite|länge|druck|température|poids|hauteur|temperatura|peso)(?!\p{L})`,
      '多少',
    ),
    expected: { kind: 'number', required: true, holds: numeric },
  },
  {
    asked: anyOf(
      String.raw`(?<!\p{L})(?:what|which)(?!\p{L}).{0,30}(?<!\p{L})(?:level|version|limit|rate|age|percentage|value|code)(?!\p{L})`,
    ),
    expected: { kind: 'number', required: false, holds: numeric },
  },
  {
    asked: anyOf(whole('which|welche[rsnm]?|quel(?:le)?s?|cuál(?:es)?')),
    expected: { kind: 'name', required: false, weighs: 0.5, holds: (text) => name.test(text) },
  },
];
const questionForm =
  /^\s*(?:\p{L}+ )?(?:who|whom|whose|what|which|when|where|why|how|is|are|do|does|did|can|could|may|must|should|will|has|have|was|were|wer|wem|wen|wie|was|wo|wann|warum|welche[rsnm]?|ist|sind|darf|kann|muss|gibt|hat|qui|que|quoi|quand|où|comment|combien|quel(?:le)?s?|est-ce|quién|qué|cuándo|dónde|cómo|cuánt[oa]s?|cuál(?:es)?)(?!\p{L})/iu;

/** Whether a text begins like a question. */
export const asksForm = (text: string): boolean => questionForm.test(text);

/** A capital letter or a digit inside of a sentence. */
const name = /(?<=\p{L}[^.!?]* )\p{Lu}|\d|`|\p{L}_\p{L}/u;
const yesOrNo =
  /^\s*(?:is|are|do|does|did|can|may|must|should|will|has|have|was|were|darf|kann|ist|sind|muss|peut-on|puede|está)(?!\p{L})/iu;

/**
 * "cost", "price" or "port" is the subject of a question only if it follows the question word; "may" and "can" ask for yes or
 * no.
 */
export function expectedOf(question: string): Expected | undefined {
  const text = question.slice(0, 1_000);
  if (yesOrNo.test(text)) return undefined;
  // "Which currency is it priced in?" asks for the noun, not for a price.
  const thing = thingOf(text);
  const part = thing !== undefined && /^\s*(?:\p{L}+ )?(?:which|what)(?!\p{L})/iu.test(text) ? `which ${thing}` : text;
  const expected = forms.find(({ asked }) => asked.test(part))?.expected;
  if (expected?.kind !== 'number' || !expected.required || countedNoun.test(text)) return expected;
  return { ...expected, holds: (answer) => holdsMeasure(text, answer) };
}

/** The noun of "what" or "which": "insurance company" in "Which insurance company insures it?". */
export function thingOf(question: string): string | undefined {
  const [, words] = thingQuestion.exec(question.slice(0, 1_000)) ?? [];
  const noun = words?.replace(verb, '').trim();
  return noun ? noun : undefined;
}
const thingQuestion =
  /(?<!\p{L})(?:(?:which|what)(?:['’]s| is| are| was| were)? (?:the |your |our |my |an? )?|welche[rsnm]? |quel(?:le)?s? (?:est |sont )?(?:la |le |les )?)((?:[\p{L}\p{N}-]+\s*){1,4})/iu;

/** The text without words of the question that could be taken for an answer: numbers, and for persons roles and names. */
export function withoutAsked(text: string, question: string, expected: Expected): string {
  const askedWords = new Set(question.toLowerCase().match(word));
  const taken = (part: string) => (expected.kind === 'person' || /\d/.test(part)) && askedWords.has(part.toLowerCase());
  return text
    .replace(itemNumber, '')
    .replace(/\[\d{1,2}\]/g, '')
    .replace(word, (part) => (taken(part) ? '…' : part));
}

const word = /[\p{L}\p{N}.,-]*[\p{L}\p{N}]/gu;
/** The number of a list item or of a clause. */
const itemNumber = /^\s*(?:[-*•]\s+)?(?:\(?\p{L}\)|\d+(?:\.\d+)*[.)]?)\s+(?=["“(]?\p{Lu})/u;

const countedNoun = /(?<!\p{L})(?:how many|wie viele|combien de|cuánt[oa]s)\s+(?:of the\s+)?((?:[\p{L}-]+\s*){1,3})/iu;
const verb =
  /(?<!\p{L})(?:is|comes?|goes|i|we|you|they|it|s|to|of|in|on|at|for|from|by|per|with|without|including|after|before|when|if|are|was|were|do|does|did|can|could|may|must|will|has|have|should|sind|hat|haben|kann|darf|muss|est|sont|peut|faut|hay|son|tiene|puede)(?!\p{L}).*$/iu;
/** The words after a number are looked ahead to, since they may hold the next number: "from two thousand years in nine rooms". */
const numberThenWords = new RegExp(String.raw`(?:\d[\d.,]*|${whole(numerals)})(?=[ -]((?:[^\s.;]+\s*){1,4}))`, 'giu');

/** "Pillars 14 and 15 should not be parked against" counts no parking spaces. */
const predicate = /(?<!\p{L})(?:is|are|was|were|be|should|must|may|can|will|not)(?!\p{L}).*$/iu;

const labelledNumber = new RegExp(
  String.raw`([\p{L}-]+)\s*[:=]\s*(?:(?:up to|at most|at least|about|max\.?) )?(?:\d|${whole(numerals)})`,
  'giu',
);

/** Whether the words of a cell and of its names contain the noun of "how many". */
export function countsIn(question: string, words: string[]): boolean {
  const wanted = thingsCounted(question);
  return wanted.length === 0 || wanted.some((word) => bestLikeness(word, words) >= 0.6);
}

function thingsCounted(question: string): string[] {
  const things = countedNoun.exec(question.slice(0, 1_000))?.[1];
  return things === undefined ? [] : wordsOf(things.replace(verb, ''));
}

/** Whether a number in the text counts the noun of "how many": "8 kg" is not a number of tents. */
export function countsWhat(question: string, text: string): boolean {
  const wanted = thingsCounted(question);
  if (wanted.length === 0) return true;
  const counts = [...text.matchAll(numberThenWords)].map(([, after]) => after!.replace(predicate, ''));
  const named = [...text.matchAll(labelledNumber)].map(([, before]) => before!);
  // "There were 31 of them" counts the subject of the sentence before.
  if (/\d\s+of (?:them|these|those)(?!\p{L})/iu.test(text)) counts.push(text);
  return [...counts, ...named].some((part) => {
    const words = wordsOf(part);
    return wanted.some((word) => bestLikeness(word, words) >= 0.6);
  });
}

/**
 * Degree to which a table cell has the expected type. A bare number suffices where a sentence would name the currency or unit, if the
 * names around it say what it measures.
 */
export function cellHolds(
  expected: Expected,
  question: string,
  cell: string,
  names: { column: string; around: string },
): number {
  const { column, around } = names;
  if (expected.kind === 'money') {
    // A column of currencies names no price.
    if (/^\p{Lu}{3}$/u.test(cell)) return 0;
    if (expected.holds(cell)) return 1;
    if (!/^\D{0,6}\d[\d.,'\s]*\D{0,12}$/u.test(cell)) return 0;
    if (moneyColumn.test(column)) return 1;
    return expected.mayHold!(cell) ? 0.7 : moneyColumn.test(around) ? 0.4 : 0;
  }
  // A cell that is a name scores higher than one that contains a name.
  if (expected.kind === 'person')
    return expected.holds(cell) ? (fullName.test(cell) ? 1 : 0.6) : expected.mayHold!(cell) ? 0.4 : 0;
  if (expected.holds(cell)) return 1;
  if (expected.kind !== 'number') return expected.holds(column) ? 0.7 : expected.mayHold?.(cell) ? 0.4 : 0;
  const measured = measures.find(([asks]) => new RegExp(asks, 'iu').test(question));
  return numeric(cell) && (!measured || new RegExp(measured[0], 'iu').test(`${column} ${around}`)) ? 0.5 : 0;
}
const fullName = /^(?:[\p{Lu}&][^\s]*(?: |$)){1,5}$/u;

const moneyColumn = anyOf(
  whole(
    'prices?|costs?|amounts?|fees?|rates?|charges?|rent|fare|allowances?|limits?|deposits?|salary|wages?|income|expenses|spent|budget|total|eur|usd|gbp|chf|preis|kosten|betrag|prix|tarif|precio',
  ),
  '[$€£]',
);
