// Rows with what each target answered, side by side; what is right is said and not repeated.
import type { EvaluationRow } from '@lorekeep/client';

interface AnswersProps {
  caption: string;
  /** What each target is called here, in the order of the answers. */
  names: string[];
  rows: EvaluationRow[];
}

export function Answers({ caption, names, rows }: AnswersProps) {
  return (
    <div className="table cards">
      <table>
        <caption className="seen-only">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" className="long">
              Question
            </th>
            <th scope="col" className="long">
              Right answer
            </th>
            {names.map((name) => (
              <th scope="col" className="long" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, input, output, answers }) => (
            <tr key={row}>
              <td data-label="Question">{input}</td>
              <td data-label="Right answer">{output}</td>
              {names.map((name, place) => (
                <td key={name} data-label={name}>
                  <div>
                    <Answer of={answers[place]} />
                  </div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Answer({ of: answer }: { of: EvaluationRow['answers'][number] | undefined }) {
  if (!answer) return '–';
  if (answer.exact) return <span className="pill good">right</span>;
  if (answer.error !== null) return <span className="pill bad">{answer.error}</span>;
  return answer.output === '' ? <span className="quiet">(no words)</span> : answer.output;
}
