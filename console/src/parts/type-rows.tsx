// Rows typed by hand. A last empty row is always there; what is missing is said at its row.
import { useId, useState } from 'react';
import { useAction } from '../asked.ts';
import { at, go } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { TextField } from './fields.tsx';
import { RowProblems } from './row-problems.tsx';

interface Row {
  key: number;
  input: string;
  output: string;
}

let made = 0;
const emptyRow = (): Row => ({ key: made++, input: '', output: '' });
const isEmpty = ({ input, output }: Row) => input.trim() === '' && output.trim() === '';

export function TypeRows() {
  const lorekeep = useLorekeep();
  const id = useId();
  const [name, setName] = useState('');
  const [rows, setRows] = useState<Row[]>(() => [emptyRow(), emptyRow(), emptyRow()]);
  const change = (key: number, part: 'input' | 'output', value: string) =>
    setRows((old) => {
      const next = old.map((row) => (row.key === key ? { ...row, [part]: value } : row));
      return isEmpty(next.at(-1)!) ? next : [...next, emptyRow()];
    });
  const filled = rows.filter((row) => !isEmpty(row));
  const problems = problemsOf(filled);
  const save = useAction(async () => {
    const data = filled.map(({ input, output }) => ({ input, output }));
    const { dataset_id } = await lorekeep.uploadRows({ data, ...(name.trim() && { name: name.trim() }) });
    go(at('datasets', dataset_id));
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.run();
      }}
    >
      <TextField name="Name" value={name} onChange={setName} placeholder="such as: company policies" />
      <div className="table">
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">
                <span className="seen-only">Row</span>
              </th>
              <th scope="col">Question</th>
              <th scope="col">Exact answer</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => {
              const problem = problems.get(row.key);
              const about = problem ? { 'aria-invalid': true, 'aria-describedby': `${id}-${row.key}` } : {};
              return (
                <tr key={row.key}>
                  <td>{at + 1}</td>
                  <td>
                    <input
                      aria-label={`Question ${at + 1}`}
                      value={row.input}
                      {...about}
                      onChange={(event) => change(row.key, 'input', event.target.value)}
                    />
                    {problem && (
                      <span className="hint" id={`${id}-${row.key}`}>
                        {problem}
                      </span>
                    )}
                  </td>
                  <td>
                    <input
                      aria-label={`Answer ${at + 1}`}
                      value={row.output}
                      {...about}
                      onChange={(event) => change(row.key, 'output', event.target.value)}
                    />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {save.error && <RowProblems error={save.error} />}
      <div className="row end">
        <button type="submit" className="main" disabled={save.busy || filled.length === 0 || problems.size > 0}>
          Keep these rows
        </button>
      </div>
    </form>
  );
}

function problemsOf(rows: Row[]): Map<number, string> {
  const problems = new Map<number, string>();
  const answers = new Map<string, { row: number; output: string }>();
  for (const [at, { key, input, output }] of rows.entries()) {
    const question = input.trim();
    if (question === '') problems.set(key, 'The question is missing.');
    else if (output.trim() === '') problems.set(key, 'The answer is missing.');
    const other = answers.get(question);
    if (!other) answers.set(question, { row: at + 1, output: output.trim() });
    else if (other.output !== output.trim())
      problems.set(key, `Row ${other.row} gives another answer to the same question.`);
  }
  return problems;
}
