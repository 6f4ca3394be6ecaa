// Rows of a dataset with their numbers, in pages.

import { FormattedText } from './formatted-text.tsx';
import type { Row } from './rows.ts';
import { useMore } from './use-more.tsx';

export interface NumberedRow extends Row {
  row: number;
}

export function NumberedRows({ rows, name }: { rows: NumberedRow[]; name: string }) {
  const [visibleRows, foot] = useMore(rows, 'of them');
  return (
    <>
      <div className="table cards">
        <table>
          <caption className="seen-only">{name}</caption>
          <thead>
            <tr>
              <th scope="col" className="number">
                Row
              </th>
              <th scope="col">Question</th>
              <th scope="col">Answer</th>
            </tr>
          </thead>
          <tbody>
            {visibleRows.map(({ row, input, output }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: one row can contradict several others, and rows keep their place
              <tr key={`${row} ${at}`}>
                <td className="number" data-label="Row">
                  {row}
                </td>
                <td data-label="Question" className="wide">
                  <FormattedText text={input} />
                </td>
                <td data-label="Answer" className="wide">
                  <FormattedText text={output} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {foot}
    </>
  );
}
