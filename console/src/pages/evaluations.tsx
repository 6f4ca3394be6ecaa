// Page of evaluations: several targets asked the questions of a dataset, with their share of right answers.
import type { Evaluation } from '@lorekeep/client';
import { ago, count, percent, short } from '../format.ts';
import { List } from '../parts/list.tsx';
import { namesOfTargets } from '../parts/names.ts';
import { Page } from '../parts/page.tsx';
import { Empty, Status } from '../parts/states.tsx';
import { useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

export const titleOf = ({ name, evaluation_id }: Pick<Evaluation, 'name' | 'evaluation_id'>) =>
  name ?? `Evaluation ${evaluation_id}`;

export function EvaluationsPage() {
  const lorekeep = useLorekeep();
  const evaluations = useQuery(
    'evaluations',
    async (signal) => {
      const found = await Array.fromAsync(lorekeep.allEvaluations({}, { signal }));
      const all = found.flatMap(({ targets }) => targets.map(({ name }) => name));
      const different = [...new Set(all)];
      const names = await namesOfTargets(lorekeep, different, signal);
      const nameOf = new Map(different.map((target, at) => [target, names[at]!]));
      return found.map((one) => ({
        ...one,
        targets: one.targets.map((target) => ({ ...target, name: nameOf.get(target.name)! })),
      }));
    },
    { every: (found) => (found.some(({ status }) => status === 'running') ? 2000 : undefined) },
  );
  const make = (
    <a className="button main" href={routeAddress('evaluations', 'new')}>
      New evaluation
    </a>
  );
  return (
    <Page
      title="Evaluations"
      lead="Ask several models or documents the questions of a dataset, and see how many each answers right."
      actions={make}
    >
      <List<Evaluation>
        what="evaluations"
        asked={evaluations}
        id={({ evaluation_id }) => evaluation_id}
        text={(one) => `${titleOf(one)} ${one.status} ${one.targets.map(({ name }) => name).join(' ')}`}
        empty={
          <Empty title="No evaluations yet" action={make}>
            Choose a dataset and whom to ask. How a tuned model does beside its base also stands on the page of its job.
          </Empty>
        }
        columns={[
          {
            name: 'Name',
            wide: true,
            cell: (one) => (
              <a className="row-link" href={routeAddress('evaluations', one.evaluation_id)}>
                {titleOf(one)}
              </a>
            ),
          },
          { name: 'State', short: true, cell: ({ status }) => <Status of={status} /> },
          { name: 'Questions', number: true, cell: ({ rows }) => count(rows) },
          {
            name: 'Right, word for word',
            wide: true,
            cell: ({ targets }) => (
              <span className="stack tight">
                {targets.map(({ name, exact }) => (
                  <span key={name}>
                    {exact === null ? '–' : percent(exact)} <span className="hint">{short(name, 40)}</span>
                  </span>
                ))}
              </span>
            ),
          },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
        ]}
      />
    </Page>
  );
}
