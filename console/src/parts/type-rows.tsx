// Editor for rows, typed or pasted from a spreadsheet. There is always an empty last row; problems are shown at their row.
import { type ClipboardEvent, useId, useState } from 'react';
import { pluralize } from '../format.ts';
import { useAction } from '../query.ts';
import { go, routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { pastedRows } from './cells.ts';
import { TextField } from './fields.tsx';
import { RowProblems } from './row-problems.tsx';
import { isEmpty, problemsOf, type Row } from './rows.ts';
import { useMore } from './use-more.tsx';

interface TypedRow extends Row {
  key: number;
}

type Part = 'input' | 'output';

let lastId = 0;
const typed = (row: Row = { input: '', output: '' }): TypedRow => ({ key: lastId++, ...row });
const withEmptyLast = (rows: TypedRow[]) => (rows.length > 0 && isEmpty(rows.at(-1)!) ? rows : [...rows, typed()]);

export function TypeRows() {
  const lorekeep = useLorekeep();
  const id = useId();
  const [name, setName] = useState('');
  const [rows, setRows] = useState<TypedRow[]>(() => [typed(), typed(), typed()]);
  const [pasted, setPasted] = useState('');
  const change = (key: number, part: Part, value: string) =>
    setRows((old) => withEmptyLast(old.map((row) => (row.key === key ? { ...row, [part]: value } : row))));
  /** Pastes from the focused cell on, replacing rows and adding new ones. */
  const paste = (event: ClipboardEvent, place: number, part: Part) => {
    const cells = pastedRows(event.clipboardData.getData('text/plain'), event.clipboardData.getData('text/html'));
    if (!cells) return;
    event.preventDefault();
    setRows((old) => {
      const next = [...old];
      for (const [at, [first = '', second]] of cells.entries()) {
        const row = next[place + at] ?? typed();
        const both = part === 'input' && second !== undefined;
        next[place + at] = { ...row, ...(both ? { input: first, output: second } : { [part]: first }) };
      }
      return withEmptyLast(next);
    });
    const taken = part === 'input' ? 2 : 1;
    const wider = cells.some((row) => row.length > taken);
    setPasted(
      `${pluralize(cells.length, 'row')} pasted.${wider ? ` Only the first ${taken === 1 ? 'column' : 'two columns'} of it ${taken === 1 ? 'was' : 'were'} taken.` : ''}`,
    );
  };
  const filled = rows.filter((row) => !isEmpty(row));
  const problems = problemsOf(rows);
  const save = useAction(async () => {
    const data = filled.map(({ input, output }) => ({ input, output }));
    const { dataset_id } = await lorekeep.uploadRows({ data, ...(name.trim() && { name: name.trim() }) });
    go(routeAddress('datasets', dataset_id));
  });
  const [visibleRows, foot] = useMore(rows, 'rows');
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.run();
      }}
    >
      <TextField name="Name" value={name} onChange={setName} placeholder="such as: company policies" />
      <p className="hint">Rows can be copied in a spreadsheet and pasted into a field here.</p>
      <div className="table">
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">
                <span className="seen-only">Row</span>
              </th>
              <th scope="col">Question</th>
              <th scope="col">Exact answer</th>
              <th scope="col">
                <span className="seen-only">Delete</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {visibleRows.map((row, at) => {
              const problem = problems.get(at);
              const about = attributesOf(problem && `${id}-${row.key}`);
              const field = (label: string, part: Part) => (
                <textarea
                  aria-label={`${label} ${at + 1}`}
                  rows={1}
                  value={row[part]}
                  {...about}
                  onPaste={(event) => paste(event, at, part)}
                  onChange={(event) => change(row.key, part, event.target.value)}
                />
              );
              return (
                <tr key={row.key}>
                  <td>{at + 1}</td>
                  <td>
                    {field('Question', 'input')}
                    {problem && (
                      <span className="hint" id={`${id}-${row.key}`}>
                        {problem}
                      </span>
                    )}
                  </td>
                  <td>{field('Answer', 'output')}</td>
                  <td>
                    {!isEmpty(row) && (
                      <button
                        type="button"
                        className="plain small"
                        onClick={() => setRows(withEmptyLast(rows.filter(({ key }) => key !== row.key)))}
                      >
                        Delete<span className="seen-only"> row {at + 1}</span>
                      </button>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {foot}
      <p className="hint" role="status">
        {pasted}
      </p>
      {save.error && <RowProblems error={save.error} />}
      <div className="row end">
        <span className="hint">{pluralize(filled.length, 'row')}</span>
        <button type="submit" className="main" disabled={save.busy || filled.length === 0 || problems.size > 0}>
          Keep these rows
        </button>
      </div>
    </form>
  );
}

/** Attributes of a field with a problem that the element of this id describes, or without one. */
const attributesOf = (problem: string | undefined) => ({
  dir: 'auto',
  ...(problem && { 'aria-invalid': true, 'aria-describedby': problem }),
});
