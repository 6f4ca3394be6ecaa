// Page of usage: tokens and slot seconds by day, key and model, and stored amounts.
import type { ShowOwnAccountAnswer, Usage } from '@lorekeep/client';
import { bytes, count } from '../format.ts';
import { Curve } from '../parts/curve.tsx';
import { List } from '../parts/list.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { Empty, Problem, Waiting } from '../parts/states.tsx';
import { useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

export function UsagePage() {
  const lorekeep = useLorekeep();
  const usage = useQuery('usage', async (signal) => await lorekeep.showUsage({}, { signal }));
  const account = useQuery('account', async (signal) => await lorekeep.showOwnAccount({ signal }));
  const rows = { ...usage, value: usage.value?.usage };
  const total = usage.value?.total;
  const limit = (value: number | null) => (value === null ? 'no limit' : count(value));
  return (
    <Page title="Usage" lead="The last 30 days of this account. Days are counted in UTC.">
      <Card title="In all">
        {total ? (
          <Facts
            big
            of={[
              ['Prompts', count(total.requests)],
              ['Tokens read', count(total.prompt_tokens)],
              ['Tokens written', count(total.completion_tokens)],
              ['Slot seconds of tuning', formatSeconds(total.slot_seconds)],
            ]}
          />
        ) : usage.error ? (
          <Problem error={usage.error} again={usage.again} />
        ) : (
          <Waiting what="usage" />
        )}
        {usage.value && usage.value.usage.length > 0 && (
          <div className="columns">
            <Curve
              title="Tokens written a day"
              across="day"
              from={0}
              lines={[{ name: 'tokens', points: byDay(usage.value.usage, 'completion_tokens') }]}
              ends={chartEnds}
            />
            <Curve
              title="Slot seconds a day"
              across="day"
              from={0}
              lines={[{ name: 'slot seconds', points: byDay(usage.value.usage, 'slot_seconds') }]}
              ends={chartEnds}
            />
          </div>
        )}
      </Card>
      <Card title="Limits">
        {account.value ? (
          <Facts
            of={[
              ['Requests a minute', limit(account.value.limits.requests_per_minute)],
              ['Facts of a job', limit(account.value.limits.data_points)],
              ['Jobs at once', limit(account.value.limits.jobs)],
              ['Stored', storageText(account.value)],
            ]}
          />
        ) : account.error ? (
          <Problem error={account.error} again={account.again} />
        ) : (
          <Waiting what="limits" />
        )}
      </Card>
      <List<Usage>
        what="usage"
        asked={rows}
        id={({ day, key_id, model_name }) => `${day} ${key_id} ${model_name}`}
        text={({ day, key_name, model_name }) => `${day} ${key_name} ${model_name}`}
        empty={
          <Empty title="Nothing used yet">
            Ask something in the playground, tune a model, or call with a key: it is counted here.
          </Empty>
        }
        columns={[
          { name: 'Day', short: true, cell: ({ day }) => day },
          { name: 'Key', cell: ({ key_name }) => key_name },
          { name: 'Model', cell: ({ model_name }) => <Model name={model_name} /> },
          { name: 'Prompts', number: true, cell: ({ requests }) => count(requests) },
          { name: 'Read', number: true, cell: ({ prompt_tokens }) => count(prompt_tokens) },
          { name: 'Written', number: true, cell: ({ completion_tokens }) => count(completion_tokens) },
          { name: 'Slot seconds', number: true, cell: ({ slot_seconds }) => formatSeconds(slot_seconds) },
        ]}
      />
    </Page>
  );
}

const storageText = ({ storage_used_bytes: used, limits: { storage_bytes: limit } }: ShowOwnAccountAnswer) =>
  limit === null ? `${bytes(used)}, no limit` : `${bytes(used)} of ${bytes(limit)}`;

/** Shows short times with a decimal, so that a run below a second is not 0. */
const formatSeconds = (value: number) => count(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));

/** Shortens the hash of a tuned model without an alias. */
function Model({ name }: { name: string }) {
  if (!/^[0-9a-f]{64}$/.test(name)) return name;
  return <a href={routeAddress('models', name)}>{name.slice(0, 16)}…</a>;
}

const chartEnds: [string, string] = ['30 days ago', 'today'];
const dayCount = 30;

/** Fills days without usage with 0. */
function byDay(usage: Usage[], figure: 'completion_tokens' | 'slot_seconds'): [number, number][] {
  const today = Date.parse(new Date().toISOString().slice(0, 10));
  return Array.from({ length: dayCount }, (_, at) => {
    const day = new Date(today - (dayCount - 1 - at) * 86_400_000).toISOString().slice(0, 10);
    const used = usage.filter((row) => row.day === day).reduce((sum, row) => sum + row[figure], 0);
    return [at + 1, used];
  });
}
