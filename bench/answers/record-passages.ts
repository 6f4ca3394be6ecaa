// Loaded before the product by `./lorekeep bench fit-quotations`: each question with the passages that its quotation is chosen from is
// appended to the file RECORDED_PASSAGES. The API leaves out the header of a table that begins in an earlier passage.
import { appendFileSync } from 'node:fs';
import { maxQuotedPassages, Quoter } from '../../server/src/documents/quoting/quoter.ts';
import type { QuotedPassage } from '../../server/src/documents/quoting/units.ts';

export interface Recorded {
  question: string;
  passages: QuotedPassage[];
}

const { quote } = Quoter.prototype;
Quoter.prototype.quote = async function (index, question, passages, callContext) {
  const kept = passages
    .slice(0, maxQuotedPassages)
    .map(({ text, title, headings, header, file }) => ({ text, title, headings, header, file }));
  const recorded: Recorded = { question, passages: kept };
  appendFileSync(process.env.RECORDED_PASSAGES!, `${JSON.stringify(recorded)}\n`);
  return await quote.call(this, index, question, passages, callContext);
};
