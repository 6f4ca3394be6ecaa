// Page of an index: its files with their progress, suggested questions, and a search for passages.
import { type Index, type IndexFile, isOver } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { bar, bytes, count, formatDateTime, pluralize } from '../format.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Drop } from '../parts/fields.tsx';
import { List } from '../parts/list.tsx';
import { Card, Facts, Page } from '../parts/page.tsx';
import { Passage, passageAddress } from '../parts/passage.tsx';
import { Empty, Problem, Status, Waiting } from '../parts/states.tsx';
import { useAction, useQuery } from '../query.ts';
import { go, routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';

const above = { name: 'Documents', address: routeAddress('documents') };

export function IndexPage({ id }: { id: string }) {
  const lorekeep = useLorekeep();
  const index = useQuery(`index ${id}`, async (signal) => await lorekeep.showIndex({ id }, { signal }), {
    every: (found) => (isOver(found) ? undefined : 1000),
  });
  const atRest = index.value !== undefined && isOver(index.value);
  const files = useQuery(
    `files of ${id} ${atRest}`,
    async (signal) => await Array.fromAsync(lorekeep.allFiles({ id, limit: 1000 }, { signal })),
    { every: (found) => (atRest ? undefined : found.length > 200 ? 5000 : 1000) },
  );
  const [removing, setRemoving] = useState(false);
  const [leaving, setLeaving] = useState<IndexFile>();
  const add = useAction(async (dropped: File[]) => {
    await lorekeep.addFiles({ id, files: dropped });
    index.again();
    files.again();
  });
  const cancel = useAction(async () => {
    await lorekeep.cancelIndex({ id });
    index.again();
  });
  const { value } = index;
  if (!value)
    return (
      <Page title="Documents" above={above}>
        {index.error ? <Problem error={index.error} again={index.again} /> : <Waiting what="the index" />}
      </Page>
    );
  return (
    <Page
      title={value.name ?? `Index ${id}`}
      above={above}
      lead={
        <>
          <Status of={value.status} live /> {pluralize(value.progress.files, 'file')}, answered by {value.model_name}
        </>
      }
      actions={
        <>
          {!atRest && (
            <button type="button" disabled={cancel.busy} onClick={() => cancel.run()}>
              Stop reading
            </button>
          )}
          {value.ready && (
            <a className="button main" href={`${routeAddress('playground')}?index=${id}`}>
              Ask it
            </a>
          )}
        </>
      }
    >
      {value.error && <p className="note bad">{value.error}</p>}
      {[index.error, add.error, cancel.error].map((error) => error && <Problem key={error.message} error={error} />)}
      <Reading of={value} />
      <Search id={id} ready={value.ready} />
      <Suggestions id={id} ready={value.ready} />
      <Drop
        title="Drop more documents, or choose some"
        hint="A file replaces the one of its name once it is read; the same file is not read again"
        multiple
        busy={add.busy}
        onFiles={(dropped) => add.run(dropped)}
      />
      <List<IndexFile>
        what="files"
        asked={files}
        id={(file) => file.id}
        text={({ name, title, state, kind }) => `${name} ${title ?? ''} ${state} ${kind ?? ''}`}
        empty={<Empty title="No files">Drop some above.</Empty>}
        columns={[
          {
            name: 'File',
            wide: true,
            cell: (file) => (
              <span className="stack tight">
                <a className="row-link" href={`/v1/indexes/${id}/files/${file.id}/download`} download={file.name}>
                  {file.name}
                </a>
                {file.title && file.title !== file.name && <span className="hint">{file.title}</span>}
              </span>
            ),
          },
          { name: 'State', cell: (file) => <FileState file={file} /> },
          {
            name: 'Pages',
            number: true,
            cell: ({ pages, pages_done }) =>
              pages === null ? '–' : pages_done < pages ? `${pages_done} of ${pages}` : count(pages),
          },
          {
            name: 'Passages',
            number: true,
            cell: (file) =>
              file.passages === 0 ? (
                '0'
              ) : (
                <a href={passageAddress(id, file.id)}>
                  {count(file.passages)}
                  <span className="seen-only"> passages of {file.name}</span>
                </a>
              ),
          },
          { name: 'Size', number: true, cell: (file) => bytes(file.bytes) },
          {
            name: 'Remove',
            bare: true,
            cell: (file) => (
              <button type="button" className="plain small" onClick={() => setLeaving(file)}>
                Remove<span className="seen-only"> {file.name}</span>
              </button>
            ),
          },
        ]}
      />
      <div>
        <button type="button" className="small grave" onClick={() => setRemoving(true)}>
          Delete this index
        </button>
      </div>
      {leaving && (
        <Confirm
          title={`Remove “${leaving.name}”?`}
          yes="Remove it"
          onClose={() => setLeaving(undefined)}
          onYes={async () => {
            await lorekeep.deleteIndexFile({ id, file: leaving.id });
            index.again();
            files.again();
          }}
        >
          Its {pluralize(leaving.passages, 'passage')} are gone from the disk, and nothing is answered from it any more.
        </Confirm>
      )}
      {removing && (
        <Confirm
          title="Delete this index?"
          yes="Delete it"
          onClose={() => setRemoving(false)}
          onYes={async () => {
            await lorekeep.deleteIndex({ id });
            go(routeAddress('documents'));
          }}
        >
          Its files and their passages are gone from the disk.
        </Confirm>
      )}
    </Page>
  );
}

function FileState({ file: { state, reason, notices } }: { file: IndexFile }) {
  return (
    <span className="stack tight">
      <span>
        <Status of={state} />
      </span>
      {reason && <span className="hint">{reason}</span>}
      {notices.map((notice) => (
        <span className="hint" key={notice}>
          {notice}
        </span>
      ))}
    </span>
  );
}

interface AskableProps {
  id: string;
  /** Whether the index can be asked. */
  ready: boolean;
}

function Search({ id, ready }: AskableProps) {
  const lorekeep = useLorekeep();
  const [draft, setDraft] = useState('');
  const [sought, setSought] = useState('');
  const found = useQuery(`search ${id} ${sought}`, async (signal) =>
    sought === '' ? null : await lorekeep.searchIndex({ id, query: sought, limit: 10 }, { signal }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSought(draft.trim());
  };
  return (
    <Card title="Find passages">
      <search>
        <form className="row" onSubmit={submit}>
          <input
            type="search"
            dir="auto"
            aria-label="What to look for"
            placeholder="A question or a few words"
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
            style={{ flex: '1 1 16rem', width: 'auto' }}
          />
          <button type="submit" disabled={!ready || draft.trim() === ''}>
            Find
          </button>
        </form>
      </search>
      {found.error && <Problem error={found.error} again={found.again} />}
      {sought !== '' && found.waiting && <Waiting asked what="passages" />}
      {found.value && (
        <div className="stack tight" aria-live="polite">
          {!found.value.retrieval.found && (
            <p className="note">Nothing here is near enough to count as an answer. The nearest passages are:</p>
          )}
          {found.value.passages.map((passage, place) => (
            <Passage
              key={`${passage.file_id} ${passage.passage}`}
              citation={passage}
              index={id}
              open={place === 0}
              threshold={found.value?.retrieval.threshold ?? null}
            />
          ))}
        </div>
      )}
    </Card>
  );
}

interface Suggestion {
  question: string;
  answer: string;
}

function Suggestions({ id, ready }: AskableProps) {
  const lorekeep = useLorekeep();
  const [all, setAll] = useState<Suggestion[]>([]);
  const [none, setNone] = useState(false);
  const more = useAction(async () => {
    const found = await lorekeep.suggestQuestions({ job_id: Number(id) });
    const suggestions = found.map((one) => {
      const by = (word: string) => Object.entries(one).find(([key]) => key.startsWith(word))?.[1] ?? '';
      return { question: by('Question'), answer: by('Answer') };
    });
    setAll((old) => [...old, ...suggestions]);
    setNone(suggestions.length === 0);
  });
  return (
    <Card title="Questions to begin with">
      {all.length === 0 && !none && <p className="quiet">Questions that these documents answer, with their answers.</p>}
      {all.length > 0 && (
        <ul className="stack tight">
          {all.map(({ question, answer }) => (
            <li key={question} dir="auto">
              <a href={`${routeAddress('playground')}?index=${id}&question=${encodeURIComponent(question)}`}>
                {question}
              </a>{' '}
              <span className="quiet">{answer}</span>
            </li>
          ))}
        </ul>
      )}
      {none && (
        <p className="quiet" role="status">
          {all.length === 0 ? 'No questions were found in these documents.' : 'There are no further ones.'}
        </p>
      )}
      {more.error && <Problem error={more.error} />}
      <div>
        <button type="button" disabled={!ready || more.busy} onClick={() => more.run()}>
          {more.busy ? 'Looking …' : all.length > 0 ? 'More questions' : 'Suggest questions'}
        </button>
      </div>
    </Card>
  );
}

/** Progress of the files of an index. */
function Reading({ of: { progress, threshold, created_at } }: { of: Index }) {
  return (
    <Card title="Reading">
      <progress
        value={progress.bytes_read}
        max={Math.max(1, progress.bytes)}
        aria-label="Share of the files that is read"
      />
      <Facts
        of={[
          ['Files read', `${count(progress.files_done)} of ${count(progress.files)}`],
          ['Failed', count(progress.files_failed)],
          ['Read', `${bytes(progress.bytes_read)} of ${bytes(progress.bytes)}`],
          ['Pages', count(progress.pages_done)],
          ['Passages', count(progress.passages)],
          ['Passages count from', threshold === null ? '–' : `${bar(threshold)} similar`],
          ['Made', formatDateTime(created_at)],
        ]}
      />
    </Card>
  );
}
