// The playground: one question, and what the base, a tuned model and the documents say to it, side by side as they speak.
import type { Citation, Lorekeep, OpenaiChatEvent } from '@lorekeep/client';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useAsked } from '../asked.ts';
import { whatCanBeAsked } from '../parts/askable.ts';
import { Page } from '../parts/page.tsx';
import { Passage } from '../parts/passage.tsx';
import { Problem, Waiting } from '../parts/states.tsx';
import { at } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { percent } from '../words.ts';

type Memory = NonNullable<OpenaiChatEvent['choices'][number]['memory']>;

interface Said {
  text: string;
  state: 'speaking' | 'done' | 'failed' | 'stopped';
  error?: Error;
  memory?: Memory;
  citations?: Citation[];
  /** The index that the passages are of. */
  index?: number;
  /** Why the documents say nothing. */
  nothing?: string;
}

/** Answers piece by piece; the last piece that names something counts. */
type Piece = Partial<Pick<Said, 'text' | 'memory' | 'citations' | 'index' | 'nothing'>>;

async function* modelSays(
  lorekeep: Lorekeep,
  model: string,
  question: string,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const messages = [{ role: 'user' as const, content: question }];
  for await (const { choices } of lorekeep.openaiChatEvents(
    { model, messages, explain: true, max_tokens: 256 },
    { signal },
  )) {
    const [choice] = choices;
    if (!choice) continue;
    yield { text: choice.delta.content ?? '', ...(choice.memory && { memory: choice.memory }) };
  }
}

async function* indexSays(
  lorekeep: Lorekeep,
  index: number,
  question: string,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  for await (const event of lorekeep.askIndexEvents({ job_id: index, prompt: question, max_tokens: 256 }, { signal })) {
    if ('delta' in event) yield { text: event.delta };
    else if ('citations' in event)
      yield {
        citations: event.citations,
        index,
        ...(!event.retrieval.found && { nothing: 'The documents hold nothing that is near enough to this question.' }),
      };
  }
}

export function PlaygroundPage({ query }: { query: URLSearchParams }) {
  const lorekeep = useLorekeep();
  const named = { model: query.get('model'), index: query.get('index') };
  const choices = useAsked(
    `what can be asked, ${named.model} and ${named.index} among it`,
    async (signal) => await whatCanBeAsked(lorekeep, signal, named),
  );
  const [base, setBase] = useState<string>();
  // A model without a name of its own has null there: what nobody chose is equal to none.
  const [tuned, setTuned] = useState(named.model ?? undefined);
  const [index, setIndex] = useState(named.index);
  const [draft, setDraft] = useState(query.get('question') ?? '');
  const [asked, setAsked] = useState<{ question: string; round: number }>();
  const field = useId();

  const { value } = choices;
  if (!value)
    return (
      <Page title="Playground">
        {choices.error ? <Problem error={choices.error} again={choices.again} /> : <Waiting what="models" />}
      </Page>
    );
  const chosenTuned =
    value.tuned.find(({ model_name, custom_model_name }) => tuned === model_name || tuned === custom_model_name) ??
    value.tuned[0];
  const chosenIndex = value.indexes.find(({ job_id }) => String(job_id) === index) ?? value.indexes[0];
  const namedBase = value.bases.find(({ model_name }) => model_name === named.model)?.model_name;
  const chosenBase = base ?? namedBase ?? chosenTuned?.base_model ?? value.bases[0]?.model_name;

  const ask = () => {
    const question = draft.trim();
    if (question) setAsked((old) => ({ question, round: (old?.round ?? 0) + 1 }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask();
  };
  const onKey = (event: KeyboardEvent) => {
    // Enter also ends a word that is put together from several keys; Safari says so by the number alone.
    const composing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key !== 'Enter' || event.shiftKey || composing) return;
    event.preventDefault();
    ask();
  };

  return (
    <Page
      title="Playground"
      lead="Ask once, and see what the base, the tuned model and the documents answer, and where each answer comes from."
    >
      <form className="card ask" onSubmit={submit}>
        <label className="name" htmlFor={field}>
          Question
        </label>
        <textarea
          id={field}
          rows={2}
          value={draft}
          placeholder="Ask about something that was taught, or that stands in a document"
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKey}
        />
        <div className="row apart">
          <span className="hint">Enter asks; Shift and Enter begin a new line.</span>
          <button type="submit" className="main" disabled={draft.trim() === ''}>
            Ask all
          </button>
        </div>
      </form>
      <div className="columns answers">
        <Answerer
          title="Base"
          about="The model as it came"
          choice={chosenBase}
          choices={value.bases.map(({ model_name }) => ({ value: model_name, name: model_name }))}
          onChoice={setBase}
          asked={asked}
          says={(name, question, signal) => modelSays(lorekeep, name, question, signal)}
        >
          No model is here yet. <a href={at('models')}>Bring one</a>.
        </Answerer>
        <Answerer
          title="Tuned"
          about="The base with its memory"
          choice={chosenTuned?.custom_model_name ?? chosenTuned?.model_name}
          choices={value.tuned.map((model) => ({
            value: model.custom_model_name ?? model.model_name,
            name: model.custom_model_name ?? `job ${model.job_id}: ${model.model_name.slice(0, 12)}…`,
          }))}
          onChoice={setTuned}
          asked={asked}
          says={(name, question, signal) => modelSays(lorekeep, name, question, signal)}
        >
          No model is tuned yet. <a href={at('datasets')}>Drop a file of questions and answers</a>, then tune.
        </Answerer>
        <Answerer
          title="Documents"
          about="Answered from passages"
          choice={chosenIndex && String(chosenIndex.job_id)}
          choices={value.indexes.map(({ job_id, name }) => ({
            value: String(job_id),
            name: name ?? `Index ${job_id}`,
          }))}
          onChoice={setIndex}
          asked={asked}
          says={(id, question, signal) => indexSays(lorekeep, Number(id), question, signal)}
        >
          No documents are here yet. <a href={at('documents')}>Drop some</a>.
        </Answerer>
      </div>
    </Page>
  );
}

interface AnswererProps {
  title: string;
  about: string;
  choice: string | undefined;
  choices: { value: string; name: string }[];
  onChoice(value: string): void;
  asked: { question: string; round: number } | undefined;
  says(choice: string, question: string, signal: AbortSignal): AsyncGenerator<Piece>;
  /** What to do when there is nothing to choose. */
  children: ReactNode;
}

function Answerer({ title, about, choice, choices, onChoice, asked, says, children }: AnswererProps) {
  const select = useId();
  const { said, stop } = useSaid(choice, asked, says);
  return (
    <section className="card stack" aria-label={title}>
      <div className="stack tight">
        <div className="row apart steady">
          <h2>{title}</h2>
          {said?.state === 'speaking' && (
            <button type="button" className="small" onClick={stop}>
              Stop
            </button>
          )}
        </div>
        <p className="hint">{about}</p>
        {choice !== undefined && (
          <>
            <label className="seen-only" htmlFor={select}>
              {title}: which one
            </label>
            <select id={select} value={choice} onChange={(event) => onChoice(event.target.value)}>
              {choices.map(({ value, name }) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </>
        )}
      </div>
      {choice === undefined ? (
        <p className="quiet">{children}</p>
      ) : (
        <div aria-live="polite" aria-busy={said?.state === 'speaking'} className="stack">
          {said ? <Answer said={said} /> : <p className="quiet said">Nothing asked yet.</p>}
        </div>
      )}
    </section>
  );
}

function useSaid(choice: string | undefined, asked: AnswererProps['asked'], says: AnswererProps['says']) {
  const [said, setSaid] = useState<Said>();
  const running = useRef<AbortController>(null);
  const latest = useRef(says);
  latest.current = says;
  useEffect(() => {
    if (!asked || choice === undefined) return;
    const controller = new AbortController();
    running.current = controller;
    let now: Said = { text: '', state: 'speaking' };
    const show = (change: Partial<Said>) => {
      now = { ...now, ...change };
      setSaid(now);
    };
    show({});
    (async () => {
      try {
        for await (const piece of latest.current(choice, asked.question, controller.signal))
          show({ ...piece, text: now.text + (piece.text ?? '') });
        show({ state: 'done' });
      } catch (error) {
        // Another question, or another page: nobody looks at this answer any more.
        if (running.current !== controller) return;
        show(controller.signal.aborted ? { state: 'stopped' } : { state: 'failed', error: error as Error });
      }
    })();
    return () => {
      running.current = null;
      controller.abort();
    };
  }, [choice, asked]);
  return { said, stop: () => running.current?.abort() };
}

function Answer({ said }: { said: Said }) {
  const { text, state, error, memory, citations, nothing } = said;
  return (
    <>
      <p className="said">
        {text ||
          (state === 'speaking' ? (
            <span className="quiet">Thinking …</span>
          ) : (
            !error && <span className="quiet">(no words)</span>
          ))}
      </p>
      {error && <Problem error={error} />}
      {state === 'stopped' && <p className="hint">Stopped here.</p>}
      {memory && <FromMemory memory={memory} />}
      {nothing && <p className="note">{nothing}</p>}
      {citations && citations.length > 0 && (
        <div className="stack tight">
          <h3>From these passages</h3>
          {citations.map((citation, place) => (
            <Passage
              key={`${citation.file_id} ${citation.passage}`}
              citation={citation}
              index={said.index ?? ''}
              open={place === 0}
            />
          ))}
        </div>
      )}
    </>
  );
}

function FromMemory({ memory }: { memory: Memory }) {
  const [best] = memory.facts;
  if (!memory.used)
    return (
      <div className="note">
        <p>No fact was near enough: this is the base’s own answer.</p>
        {best && (
          <p className="hint">
            The nearest was “{best.input}” ({percent(best.similarity)} similar).
          </p>
        )}
      </div>
    );
  return (
    <div className="note good">
      <p>From memory. The fact that was used:</p>
      {memory.facts.map(({ input, similarity, dataset_id, row }) => (
        <p className="small" key={`${dataset_id} ${row}`}>
          “{input}” · {percent(similarity)} similar ·{' '}
          {dataset_id ? <a href={at('datasets', dataset_id)}>row {row} of its dataset</a> : `row ${row}`}
        </p>
      ))}
    </div>
  );
}
