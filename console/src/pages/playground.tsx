// The playground: one question, and what the base, tuned models and the documents say to it, side by side as they speak.
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useEngine } from '../engine.ts';
import { forPeople } from '../format.ts';
import { useKept } from '../kept.ts';
import { FromMemory, Quotation } from '../parts/answer-source.tsx';
import { indexSays, modelSays, type Output, type Piece, whenReady } from '../parts/answer-stream.ts';
import { whatCanBeAsked } from '../parts/askable.ts';
import { Page } from '../parts/page.tsx';
import { Passage } from '../parts/passage.tsx';
import { Problem, Waiting } from '../parts/states.tsx';
import { shipped, TinyBase } from '../parts/tiny.tsx';
import { Vote } from '../parts/vote.tsx';
import { WordsOf } from '../parts/words-of.tsx';
import { useQuery } from '../query.ts';
import { at } from '../route.ts';
import { useLorekeep } from '../session.tsx';

export function PlaygroundPage({ query }: { query: URLSearchParams }) {
  const lorekeep = useLorekeep();
  const named = { model: query.get('model'), index: query.get('index') };
  const choices = useQuery(
    `what can be asked, ${named.model} and ${named.index} among it`,
    async (signal) => await whatCanBeAsked(lorekeep, signal, named),
  );
  // A model named by the address counts first; then the one asked last here, if it still exists.
  const [saved, save] = useKept<Saved>('playground', {});
  const [picked, setPicked] = useState<Saved>({ tuned: named.model ?? undefined, index: named.index ?? undefined });
  const pick = (change: Saved) => {
    setPicked({ ...picked, ...change });
    save({ ...saved, ...change });
  };
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
  const tunedCalled = (name: string | undefined) =>
    value.tuned.find(({ model_name, custom_model_name }) => name === model_name || name === custom_model_name);
  const baseCalled = (name: string | null | undefined) =>
    value.bases.find(({ model_name }) => model_name === name)?.model_name;
  const indexCalled = (id: string | undefined) => value.indexes.find(({ job_id }) => String(job_id) === id);
  const chosenTuned = tunedCalled(picked.tuned) ?? tunedCalled(saved.tuned) ?? value.tuned[0];
  const chosenIndex = indexCalled(picked.index) ?? indexCalled(saved.index) ?? value.indexes[0];
  const chosenBase =
    baseCalled(picked.base) ??
    baseCalled(named.model) ??
    (named.model ? chosenTuned?.base_model : (baseCalled(saved.base) ?? chosenTuned?.base_model)) ??
    value.bases[0]?.model_name;
  const baseChoices = value.bases.map(({ model_name }) => ({ value: model_name, name: model_name }));
  const tunedChoices = value.tuned.map((model) => ({
    value: model.custom_model_name ?? model.model_name,
    name: model.custom_model_name ?? `job ${model.job_id}: ${model.model_name.slice(0, 12)}…`,
  }));
  const all = [...tunedChoices, ...baseChoices];
  const more = (picked.more ?? saved.more ?? []).filter((name) => all.some((choice) => choice.value === name));
  /** A tuned model has the base below it: what is said of that holds for it too. */
  const baseOf = (name: string | undefined) => tunedCalled(name)?.base_model ?? baseCalled(name);

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
      <TinyBase
        chosen={[chosenBase, chosenTuned?.base_model, chosenIndex?.model_name, ...more.map(baseOf)].find(
          (name) => name === shipped,
        )}
      />
      <div className="columns answers">
        <Answerer
          title="Base"
          about="The model as it came"
          choice={chosenBase}
          choices={baseChoices}
          onChoice={(base) => pick({ base })}
          asked={asked}
          says={(name, question, signal) => modelSays(lorekeep, name, question, signal)}
        >
          No model is here yet. <a href={at('models')}>Bring one</a>.
        </Answerer>
        <Answerer
          title="Tuned"
          about="The base with its memory"
          choice={chosenTuned?.custom_model_name ?? chosenTuned?.model_name}
          choices={tunedChoices}
          onChoice={(tuned) => pick({ tuned })}
          asked={asked}
          says={(name, question, signal) => modelSays(lorekeep, name, question, signal)}
        >
          No model is tuned yet. <a href={at('datasets')}>Drop a file of questions and answers</a>, then tune.
        </Answerer>
        {more.map((name, place) => (
          <Answerer
            // biome-ignore lint/suspicious/noArrayIndexKey: a model that is changed stays in its place, with its answer
            key={place}
            title={more.length === 1 ? 'Another model' : `Another model, ${place + 1}`}
            about="Beside the others"
            choice={name}
            choices={all}
            onChoice={(other) => pick({ more: more.with(place, other) })}
            onClose={() => pick({ more: more.toSpliced(place, 1) })}
            asked={asked}
            says={(model, question, signal) => modelSays(lorekeep, model, question, signal)}
          >
            No model is here yet.
          </Answerer>
        ))}
        <Answerer
          title="Documents"
          about="Answered from passages"
          choice={chosenIndex && String(chosenIndex.job_id)}
          choices={value.indexes.map(({ job_id, name }) => ({
            value: String(job_id),
            name: name ?? `Index ${job_id}`,
          }))}
          onChoice={(index) => pick({ index })}
          asked={asked}
          says={(id, question, signal) => indexSays(lorekeep, Number(id), question, signal)}
        >
          No documents are here yet. <a href={at('documents')}>Drop some</a>.
        </Answerer>
      </div>
      {all.length > 1 && more.length < maxFollowing && (
        <div>
          <button
            type="button"
            onClick={() => {
              const chosenModels = [chosenBase, chosenTuned?.custom_model_name ?? chosenTuned?.model_name, ...more];
              const next = all.find(({ value }) => !chosenModels.includes(value)) ?? all[0]!;
              pick({ more: [...more, next.value] });
            }}
          >
            Ask another model beside these
          </button>
        </div>
      )}
    </Page>
  );
}

const maxFollowing = 4;

/** Selected targets, by name or id. */
interface Saved {
  base?: string | undefined;
  tuned?: string | undefined;
  index?: string | undefined;
  /** Further models, bases or tuned ones. */
  more?: string[] | undefined;
}

interface AnswererProps {
  title: string;
  about: string;
  choice: string | undefined;
  choices: { value: string; name: string }[];
  onChoice(value: string): void;
  /** Present if the target can be removed. */
  onClose?(): void;
  asked: { question: string; round: number } | undefined;
  says(choice: string, question: string, signal: AbortSignal): AsyncGenerator<Piece>;
  /** Advice when there is nothing to choose. */
  children: ReactNode;
}

function Answerer({ title, about, choice, choices, onChoice, onClose, asked, says, children }: AnswererProps) {
  const select = useId();
  const { output, stop } = useOutput(choice, asked, says);
  return (
    <section className="card stack" aria-label={title}>
      <div className="stack tight">
        <div className="row apart steady">
          <h2>{title}</h2>
          <span className="row">
            {output?.state === 'speaking' && (
              <button type="button" className="small" onClick={stop}>
                Stop
              </button>
            )}
            {onClose && (
              <button type="button" className="small" onClick={onClose}>
                Remove<span className="seen-only"> {title}</span>
              </button>
            )}
          </span>
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
        <div aria-live="polite" aria-busy={output?.state === 'speaking'} className="stack">
          {output ? <Answer output={output} /> : <p className="quiet said">Nothing asked yet.</p>}
        </div>
      )}
    </section>
  );
}

function useOutput(choice: string | undefined, asked: AnswererProps['asked'], says: AnswererProps['says']) {
  const [output, setOutput] = useState<Output>();
  const running = useRef<AbortController>(null);
  const latest = useRef(says);
  latest.current = says;
  useEffect(() => {
    if (!asked || choice === undefined) return;
    const controller = new AbortController();
    running.current = controller;
    let now: Output = { text: '', state: 'speaking' };
    const show = (change: Partial<Output>) => {
      now = { ...now, ...change };
      setOutput(now);
    };
    show({});
    (async () => {
      try {
        const { signal } = controller;
        for await (const piece of whenReady(() => latest.current(choice, asked.question, signal), signal))
          show({ ...piece, text: now.text + (piece.text ?? '') });
        show({ state: 'done' });
      } catch (error) {
        // A newer question or another page replaced this answer.
        if (running.current !== controller) return;
        show(controller.signal.aborted ? { state: 'stopped' } : { state: 'failed', error: error as Error });
      }
    })();
    return () => {
      running.current = null;
      controller.abort();
    };
  }, [choice, asked]);
  return { output, stop: () => running.current?.abort() };
}

function Answer({ output }: { output: Output }) {
  const { text, state, error, memory, citations, nothing, quotedFrom } = output;
  return (
    <>
      <div className="said">
        {text && quotedFrom ? (
          <Quotation text={text} from={quotedFrom} />
        ) : text ? (
          <WordsOf text={text} />
        ) : state === 'speaking' ? (
          <Thinking waits={output.waits ?? null} />
        ) : (
          !error && <span className="quiet">(no words)</span>
        )}
      </div>
      {error && <Problem error={error} />}
      {state === 'stopped' && <p className="hint">Stopped here.</p>}
      {memory && <FromMemory memory={memory} />}
      {state === 'done' && output.answer && <Vote key={output.answer.id} on={output.answer} />}
      {nothing && <p className="note">{nothing}</p>}
      {citations && citations.length > 0 && (
        <div className="stack tight">
          <h3>{nothing ? 'The nearest passages' : 'From these passages'}</h3>
          {citations.map((citation, place) => (
            <Passage
              key={`${citation.file_id} ${citation.passage}`}
              citation={citation}
              index={output.index ?? ''}
              open={place === 0}
            />
          ))}
        </div>
      )}
    </>
  );
}

function Thinking({ waits }: { waits: string | null }) {
  const engine = useEngine();
  if (!waits) return <span className="quiet">Thinking …</span>;
  const why = waits === 'engine' ? `The engine is ${engine ?? 'starting'}.` : forPeople(waits);
  return <span className="quiet">{why} Your question is asked as soon as that is over.</span>;
}
