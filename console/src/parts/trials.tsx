// Values of a sweep side by side: loss curves, recalled facts, and the best value.
import type { Sweep } from '@lorekeep/client';
import { count, duration, percent } from '../format.ts';
import { useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { Curve } from './curve.tsx';
import { Card } from './page.tsx';
import { Problem, Waiting } from './states.tsx';

type Trial = Sweep['trials'][number];

interface TrialsProps {
  id: string;
  over: boolean;
  argument: string;
  /** All values of the sweep, in order. */
  values: unknown[];
}

export function Trials({ id, over, argument, values }: TrialsProps) {
  const lorekeep = useLorekeep();
  const sweep = useQuery(`sweep ${id} ${over}`, async (signal) => await lorekeep.showSweep({ id }, { signal }), {
    every: () => (over ? undefined : 2000),
  });
  if (!sweep.value)
    return (
      <Card title="Side by side">
        {sweep.error ? <Problem error={sweep.error} again={sweep.again} /> : <Waiting what="the values" />}
      </Card>
    );
  const { trials, dataset_id, base_model } = sweep.value;
  const best = bestOf(trials);
  return (
    <Card title={`${argument.replaceAll('_', ' ')}, side by side`}>
      <Curve
        title="Loss"
        across="step"
        from={0}
        lines={trials.map(({ value, curve }) => ({
          name: String(value),
          points: curve.flatMap(({ step, loss }) => (loss === null ? [] : [[step, loss] as [number, number]])),
        }))}
      />
      <div className="table cards">
        <table>
          <caption className="seen-only">What came of each value</caption>
          <thead>
            <tr>
              <th scope="col">Value</th>
              <th scope="col" className="number">
                Recalled
              </th>
              <th scope="col" className="number">
                Steps
              </th>
              <th scope="col" className="number">
                Begun anew
              </th>
              <th scope="col" className="number">
                Time
              </th>
              <th scope="col">
                <span className="seen-only">Use it</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {values.map((value) => {
              const trial = trials.find((one) => JSON.stringify(one.value) === JSON.stringify(value));
              return (
                <tr key={String(value)}>
                  <td data-label="Value">
                    {String(value)} {trial && trial === best && <span className="pill good">best</span>}
                  </td>
                  <td data-label="Recalled" className="number">
                    {trial ? percent(trial.recall) : '–'}
                  </td>
                  <td data-label="Steps" className="number">
                    {trial ? trial.steps.toFixed(1) : '–'}
                  </td>
                  <td data-label="Begun anew" className="number">
                    {trial ? count(trial.restarts) : '–'}
                  </td>
                  <td data-label="Time" className="number">
                    {trial ? duration(trial.seconds) : '–'}
                  </td>
                  <td className="bare">
                    {trial && argument === 'learning_rate' && dataset_id !== null && typeof value === 'number' && (
                      <a
                        className="button small"
                        href={`${routeAddress('tuning', 'new')}?dataset=${dataset_id}&base=${encodeURIComponent(base_model)}&rate=${value}`}
                      >
                        Tune with it
                      </a>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

/** The best trial: most recalled facts, then fewest steps. */
function bestOf(trials: Trial[]): Trial | undefined {
  return trials.toSorted((a, b) => b.recall - a.recall || a.steps - b.steps)[0];
}
