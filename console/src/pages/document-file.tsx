// Page of a file in an index: its passages in reading order, from the position in the address.

import { pluralize } from '../format.ts';
import { Page } from '../parts/page.tsx';
import { PassageInPlace, passageAddress } from '../parts/passage.tsx';
import { Empty, Problem, Status, Waiting } from '../parts/states.tsx';
import { useMore } from '../parts/use-more.tsx';
import { usePages, useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

const pageSize = 50;

interface FileProps {
  index: string;
  file: string;
  query: URLSearchParams;
}

export function FilePage({ index, file: id, query }: FileProps) {
  const lorekeep = useLorekeep();
  const from = Math.max(0, Math.floor(Number(query.get('from')) || 0));
  const cited = query.get('cited');
  const file = useQuery(
    `file ${id} of ${index}`,
    async (signal) => await lorekeep.showIndexFile({ id: index, file: id }, { signal }),
  );
  const passages = usePages(`passages of ${id} of ${index}`, async (after, signal) => {
    const { passages, next } = await lorekeep.listIndexPassages(
      { id: index, file: id, from: after ?? from, limit: pageSize },
      { signal },
    );
    return { items: passages, next };
  });
  const [visiblePassages, foot] = useMore(passages.value ?? [], 'passages', passages.more);
  const { value } = file;
  const above = { name: 'The index', address: routeAddress('documents', index) };
  const error = file.error ?? passages.error;
  if (!value || !passages.value)
    return (
      <Page title={value?.name ?? 'Passages'} above={above}>
        {error ? (
          <Problem
            error={error}
            again={() => {
              file.again();
              passages.again();
            }}
          />
        ) : (
          <Waiting what="passages" />
        )}
      </Page>
    );
  return (
    <Page
      title={value.name}
      above={above}
      lead={
        <>
          <Status of={value.state} /> {pluralize(value.passages, 'passage')}, in reading order; what is cut overlaps a
          little.
        </>
      }
      actions={
        <a className="button" href={`/v1/indexes/${index}/files/${id}/download`} download={value.name}>
          Download
        </a>
      }
    >
      {error && <Problem error={error} again={passages.again} />}
      {from > 0 && (
        <div>
          <a className="button small" href={passageAddress(index, id, from - pageSize)}>
            Earlier passages
          </a>
        </div>
      )}
      {visiblePassages.length === 0 ? (
        <div className="card flush">
          <Empty title="No passages">
            {from > 0 ? 'The file ends before this place.' : 'Nothing of this file can be found yet.'}
          </Empty>
        </div>
      ) : (
        <ol className="card stack passages" aria-label="Passages">
          {visiblePassages.map((passage) => (
            <li key={passage.passage} {...(String(passage.passage) === cited && { 'aria-current': 'true' as const })}>
              <PassageInPlace passage={passage} file={value} index={index} />
            </li>
          ))}
        </ol>
      )}
      {foot}
    </Page>
  );
}
