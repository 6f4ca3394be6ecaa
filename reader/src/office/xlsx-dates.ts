// Dates in workbooks: only the number format marks a cell as a date. Converts such numbers to dates.
import type { OfficePackage } from './package.ts';
import { attribute } from './xml.ts';

/** Whether a cell's style, by number, shows a date or a time. */
export async function dateFormats(office: OfficePackage, part: string): Promise<(style: number) => boolean> {
  const own = new Map<number, boolean>();
  const styles: boolean[] = [];
  let inCells = false;
  await office.read(part, {
    open: (name, attributes) => {
      if (name === 'numFmt')
        own.set(Number(attribute(attributes, 'numFmtId')), isDateCode(attribute(attributes, 'formatCode') ?? ''));
      else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells) {
        const format = Number(attribute(attributes, 'numFmtId')) || 0;
        styles.push(own.get(format) ?? isBuiltInDate(format));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return (style) => styles[style] ?? false;
}

const isBuiltInDate = (format: number) =>
  (format >= 14 && format <= 22) ||
  (format >= 27 && format <= 36) ||
  (format >= 45 && format <= 47) ||
  (format >= 50 && format <= 58);

/** Date letters of a number format outside of quotes, brackets and escapes. */
const isDateCode = (code: string) => /[ymdhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\.|_.|General/gi, ''));

/** Converts days since the end of 1899 (or of 1903) to a date, a time, or both; undefined if out of range. */
export function dateText(days: number, from1904: boolean): string | undefined {
  if (!Number.isFinite(days) || days < 0 || days > 2_958_466) return undefined;
  // Spreadsheets treat 1900 as a leap year, so days before March 1900 are off by one.
  const offset = from1904 ? 24_107 : days < 60 ? 25_568 : 25_569;
  const seconds = Math.round(days * 86_400);
  const text = new Date((seconds - offset * 86_400) * 1000).toISOString();
  const time = text.slice(11, 19).replace(/:00$/, '');
  if (days < 1) return time;
  return seconds % 86_400 === 0 ? text.slice(0, 10) : `${text.slice(0, 10)} ${time}`;
}
