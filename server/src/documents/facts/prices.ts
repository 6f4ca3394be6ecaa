// Tables of prices whose columns are variants or amounts of what the rows name: "City bike | half a day | a week". The columns name no
// property; a heading, or a sentence about the document, tells that their cells are prices.
import type { StoredPassage } from '../stored-passages.ts';
import { type Stated, within } from './found-fact.ts';
import type { Language } from './language.ts';

const money = '[€$£]|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|euros?|pounds?|dollars?|francs?';
/** An amount of money, or a figure in a table of amounts. */
const amount = new RegExp(`^(?:from |ab |\\+ ?)?(?:(?:${money})\\s?)?\\d[\\d.,']*(?:\\s?(?:${money}))?$`, 'iu');
const withCurrency = new RegExp(`(?:${money})\\s?\\d|\\d\\s?(?:${money})`, 'u');
const priceHeading =
  /pric|tariff|fares?\b|fees?\b|rates\b|charges|hire|rental|costs?\b|preis|tarif|prix|gebühr|entgelt|precio/i;
const currencyStatement = new RegExp(
  `\\b(?:prices?|fees?|rates?|charges?|fares?|amounts?|preise|prix)\\b[^.\\n]{0,40}?\\bin (${money})(?![\\p{L}])`,
  'iu',
);
/** Columns that are prices by their own names, as opposed to variants. */
const isPriceColumn = /pric|fee|cost|\brate|charge|fare|tariff|preis|prix/i;
const nonPriceColumn =
  /^(?:moq|pack|qty|quantity|no|nr|per)\.?$|deposit|crew|person|people|seats?|places|beds?|berths?|size|level|\bages?\b|\bmin\b|\bmax\b|minimum|maximum|\bfree\b|^from|threshold|duration|length|width|height|weight|area|\bunits?\b|lessons|power|year|built|number|volume|capacity|stock|code|m²|\bkg\b/i;

/** The word for a price in a document's language. */
export const priceIn: Record<Language, string> = {
  ...{ english: 'price', german: 'Preis', french: 'prix', spanish: 'precio', italian: 'prezzo', dutch: 'prijs' },
  ...{ portuguese: 'preço', swedish: 'pris', norwegian: 'pris' },
};

/** The currency that a document states for its prices. */
export function currencyOf(passages: StoredPassage[]): string | undefined {
  for (const { text } of passages) {
    const found = currencyStatement.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The places of columns that hold prices of variants; empty for other tables. */
export function variantColumns(columns: string[], rows: string[][], { passage, currency }: Stated): Set<number> {
  const { headings, title } = passage;
  const values = (at: number) => rows.map((cells) => cells[at] ?? '').filter((cell) => /\d/.test(cell));
  const variants = columns.flatMap((column, at) => {
    const some = values(at);
    const filled = some.length > 0 && some.filter((cell) => amount.test(cell)).length * 2 > some.length;
    return at > 0 && filled && !nonPriceColumn.test(column) ? [at] : [];
  });
  // Beside columns of amounts with a currency or cents, whole numbers are something else.
  const exact = new Set(
    variants.filter((at) => values(at).some((cell) => withCurrency.test(cell) || /\d[.,]\d\d$/.test(cell))),
  );
  const isSaid =
    currency !== undefined ||
    [...headings, title ?? '', columns[0]!].some((text) => priceHeading.test(text)) ||
    variants.some((at) => values(at).some((cell) => withCurrency.test(cell)));
  const byName = columns.some((column) => isPriceColumn.test(column));
  const found = exact.size > 0 ? exact : new Set(variants);
  return found.size > 1 && isSaid && !byName ? found : new Set();
}

const period = /^(half )?(day|week|month|hour|year|night|term|season)$/i;

/** "for 3 days", "for half a day", "for a quantity of 50", "for MTB". */
export function forVariant(column: string): string {
  const [, half, time] = period.exec(column) ?? [];
  if (time !== undefined) return `for ${half ? 'half ' : ''}${/^hour/i.test(time) ? 'an' : 'a'} ${time.toLowerCase()}`;
  if (/^per /i.test(column)) return within(column);
  if (/^\d+$/.test(column)) return `for a quantity of ${column}`;
  if (/^\d+ ?\+$/.test(column)) return `for ${column.replace(/ ?\+/, '')} or more`;
  if (/^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(column)) return `on ${column}`;
  return `for ${within(column)}`;
}
