// Page of a webhook: its messages with their delivery state.
import type { ListDeliveriesAnswer } from '@lorekeep/client';
import { ago, count, formatDateTime } from '../format.ts';
import { List } from '../parts/list.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Status, Waiting } from '../parts/states.tsx';
import { usePages, useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

type Delivery = ListDeliveriesAnswer['deliveries'][number];

export function WebhookPage({ id }: { id: string }) {
  const lorekeep = useLorekeep();
  const webhook = useQuery(`webhook ${id}`, async (signal) =>
    (await lorekeep.listWebhooks({ signal })).webhooks.find((one) => String(one.id) === id),
  );
  const deliveries = usePages(
    `deliveries ${id}`,
    async (after, signal) => {
      const { deliveries, next } = await lorekeep.listDeliveries(
        { id, limit: 200, ...(after !== undefined && { after }) },
        { signal },
      );
      return { items: deliveries, next };
    },
    { every: (found) => (found.some(({ status }) => status === 'waiting') ? 2000 : 10_000) },
  );
  const above = { name: 'Webhooks', address: routeAddress('webhooks') };
  if (!webhook.value && webhook.waiting)
    return (
      <Page title={`Webhook ${id}`} above={above}>
        <Waiting what="the webhook" />
      </Page>
    );
  return (
    <Page
      title={`Webhook ${id}`}
      above={above}
      lead={webhook.value ? `Its messages go to ${webhook.value.url}` : 'Its messages, newest first'}
    >
      <List<Delivery>
        what="messages"
        asked={deliveries}
        id={({ id }) => id}
        text={({ job_id, status, last_answer }) => `job ${job_id} ${status} ${last_answer ?? ''}`}
        empty={<Empty title="No message yet">The first one goes out when the next job ends.</Empty>}
        columns={[
          {
            name: 'About',
            cell: ({ job_id }) => <a className="row-link" href={routeAddress('tuning', job_id)}>{`Job ${job_id}`}</a>,
          },
          { name: 'State', cell: ({ status }) => <Status of={status} /> },
          { name: 'Attempts', number: true, cell: ({ attempts }) => count(attempts) },
          { name: 'Last answer', cell: ({ last_answer }) => last_answer ?? '–' },
          {
            name: 'Next attempt',
            cell: ({ status, next_attempt_at }) =>
              status === 'waiting' && next_attempt_at !== null ? formatDateTime(next_attempt_at) : '–',
          },
          { name: 'Made', short: true, cell: ({ created_at }) => ago(created_at) },
        ]}
      />
    </Page>
  );
}
