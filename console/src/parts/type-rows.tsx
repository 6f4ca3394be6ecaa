// Rows typed by hand. A last empty row is always there; what is missing is said at its row.
import { useId, useState } from 'react';
import { useAction } from '../asked.ts';
import { at, go } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { TextField } from './fields.tsx';
import { RowProblems } from './row-problems.tsx';
import { isEmpty, problemsOf, type Row } from './rows.ts';

interface TypedRow extends Row {
  key: number;
}

let made = 0;
const emptyRow = (): TypedRow => ({ key: made++, input: '', output: '' });

export function TypeRows() {
  const lorekeep = useLorekeep();
  const id = useId();
  const [name, setName] = useState('');
  const [rows, setRows] = useState<TypedRow[]>(() => [emptyRow(), emptyRow(), emptyRow()]);
  const change = (key: number, part: 'input' | 'output', value: string) =>
    setRows((old) => {
      const next = old.map((row) => (row.key === key ? { ...row, [part]: value } : row));
      return isEmpty(next.at(-1)!) ? next : [...next, emptyRow()];
    });
  const filled = rows.filter((row) => !isEmpty(row));
  const problems = problemsOf(rows);
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
              const problem = problems.get(at);
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
