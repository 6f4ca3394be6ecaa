// Outcomes of the tuned models among the targets of an evaluation, and how often each was right.
import type { Evaluation } from '@lorekeep/client';
import { count } from '../format.ts';

export function OutcomesOf({ targets }: { targets: Evaluation['targets'] }) {
  const rows = targets.flatMap(({ name, outcomes }) =>
    Object.entries(outcomes ?? {})
      .filter(([, { answered }]) => answered > 0)
      .map(([outcome, counts]) => ({ name, outcome, ...counts })),
  );
  if (rows.length === 0) return null;
  return (
    <div className="card flush">
      <div className="table cards">
        <table>
          <caption className="seen-only">Right answers by outcome</caption>
          <thead>
            <tr>
              <th scope="col">Asked</th>
              <th scope="col">Outcome</th>
              <th scope="col" className="number">
                Answers
              </th>
              <th scope="col" className="number">
                Word for word
              </th>
              <th scope="col" className="number long">
                But for case and punctuation
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, outcome, answered, exact, normalised }) => (
              <tr key={`${name} ${outcome}`}>
                <td data-label="Asked">{name}</td>
                <td data-label="Outcome">{outcome}</td>
                <td data-label="Answers" className="number">
                  {count(answered)}
                </td>
                <td data-label="Word for word" className="number">
                  {count(exact)}
                </td>
                <td data-label="But for case and punctuation" className="number">
                  {count(normalised)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
