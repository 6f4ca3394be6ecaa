// The playground: a conversation with base, tuned models and documents side by side, streamed.
import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useEngine } from '../engine.ts';
import { forPeople } from '../format.ts';
import { FromMemory, Quotation } from '../parts/answer-source.tsx';
import { indexSays, modelSays, type Output } from '../parts/answer-stream.ts';
import { askableModels } from '../parts/askable.ts';
import { type Asked, type Says, useConversation, useConversations } from '../parts/conversation.ts';
import { FormattedText } from '../parts/formatted-text.tsx';
import { Page } from '../parts/page.tsx';
import { Passage } from '../parts/passage.tsx';
import { Problem, Waiting } from '../parts/states.tsx';
import { shipped, TinyBase } from '../parts/tiny-base.tsx';
import { Vote } from '../parts/vote.tsx';
import { useQuery } from '../query.ts';
import { routeAddress } from '../route.ts';
import { useLorekeep } from '../session.tsx';
import { useStoredState } from '../stored-state.ts';

export function PlaygroundPage({ query }: { query: URLSearchParams }) {
  const lorekeep = useLorekeep();
  const named = { model: query.get('model'), index: query.get('index') };
  const choices = useQuery(
    `what can be asked, ${named.model} and ${named.index} among it`,
    async (signal) => await askableModels(lorekeep, signal, named),
  );
  // The model in the address comes first, then the last one used here, if it still exists.
  const [saved, save] = useStoredState<Saved>('playground', {});
  const [picked, setPicked] = useState<Saved>({ tuned: named.model ?? undefined, index: named.index ?? undefined });
  const pick = (change: Saved) => {
    setPicked({ ...picked, ...change });
    save({ ...saved, ...change });
  };
  const [draft, setDraft] = useState(query.get('question') ?? '');
  const [asked, setAsked] = useState<Asked>();
  const conversations = useConversations();
  const [asOf, setAsOf] = useState('');
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
  /** The base of a model; notes about the base apply to tuned models too. */
  const baseOf = (name: string | undefined) => tunedCalled(name)?.base_model ?? baseCalled(name);

  const ask = () => {
    const question = draft.trim();
    if (!question) return;
    setAsked({ question });
    setDraft('');
  };
  const beginAnew = () => {
    conversations.beginAnew();
    setAsked(undefined);
  };
  const hasBegun = asked !== undefined || conversations.kept.size > 0;
  return (
    <Page
      title="Playground"
      lead="Ask, and see what the base, the tuned model and the documents answer, and where each answer comes from. Models hear what was said before."
    >
      <QuestionForm draft={draft} onDraft={setDraft} onAsk={ask} onNew={hasBegun ? beginAnew : undefined}>
        <AsOf value={asOf} onChange={setAsOf} />
      </QuestionForm>
      <TinyBase
        chosen={[chosenBase, chosenTuned?.base_model, chosenIndex?.model_name, ...more.map(baseOf)].find(
          (name) => name === shipped,
        )}
      />
      <div className="columns answers">
        <Answerer
          place="base"
          title="Base"
          about="The unchanged model"
          choice={chosenBase}
          choices={baseChoices}
          onChoice={(base) => pick({ base })}
          asked={asked}
          says={(name, messages, signal) => modelSays(lorekeep, name, messages, signal, asOf)}
        >
          No model is here yet. <a href={routeAddress('models')}>Bring one</a>.
        </Answerer>
        <Answerer
          place="tuned"
          title="Tuned"
          about="The base with its memory"
          choice={chosenTuned?.custom_model_name ?? chosenTuned?.model_name}
          choices={tunedChoices}
          onChoice={(tuned) => pick({ tuned })}
          asked={asked}
          says={(name, messages, signal) => modelSays(lorekeep, name, messages, signal, asOf)}
        >
          No model is tuned yet. <a href={routeAddress('datasets')}>Drop a file of questions and answers</a>, then tune.
        </Answerer>
        {more.map((name, place) => (
          <Answerer
            // biome-ignore lint/suspicious/noArrayIndexKey: a model that is changed stays in its place, with its answer
            key={place}
            place="more"
            title={more.length === 1 ? 'Another model' : `Another model, ${place + 1}`}
            about="Beside the others"
            choice={name}
            choices={all}
            onChoice={(other) => pick({ more: more.with(place, other) })}
            onClose={() => pick({ more: more.toSpliced(place, 1) })}
            asked={asked}
            says={(model, messages, signal) => modelSays(lorekeep, model, messages, signal, asOf)}
          >
            No model is here yet.
          </Answerer>
        ))}
        <Answerer
          place="documents"
          title="Documents"
          about="Answered from passages"
          choice={chosenIndex && String(chosenIndex.job_id)}
          choices={value.indexes.map(({ job_id, name }) => ({
            value: String(job_id),
            name: name ?? `Index ${job_id}`,
          }))}
          onChoice={(index) => pick({ index })}
          asked={asked}
          says={(id, messages, signal) => indexSays(lorekeep, Number(id), messages.at(-1)!.content, signal)}
        >
          No documents are here yet. <a href={routeAddress('documents')}>Drop some</a>.
        </Answerer>
      </div>
      {all.length > 1 && more.length < maxFollowing && (
        <AnotherModel
          all={all.map(({ value }) => value)}
          chosen={[chosenBase, chosenTuned?.custom_model_name ?? chosenTuned?.model_name, ...more]}
          onAdd={(name) => pick({ more: [...more, name] })}
        />
      )}
    </Page>
  );
}

const maxFollowing = 4;

interface AnotherModelProps {
  all: string[];
  chosen: (string | undefined)[];
  onAdd(name: string): void;
}

function AnotherModel({ all, chosen, onAdd }: AnotherModelProps) {
  return (
    <div>
      <button type="button" onClick={() => onAdd(all.find((name) => !chosen.includes(name)) ?? all[0]!)}>
        Ask another model beside these
      </button>
    </div>
  );
}

interface QuestionFormProps {
  draft: string;
  onDraft(text: string): void;
  onAsk(): void;
  /** Ends the conversation; undefined before one has begun. */
  onNew: (() => void) | undefined;
  children: ReactNode;
}

function QuestionForm({ draft, onDraft, onAsk, onNew, children }: QuestionFormProps) {
  const field = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAsk();
  };
  const onKey = (event: KeyboardEvent) => {
    // Enter also ends an IME composition, which Safari reports only by the key code.
    const composing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key !== 'Enter' || event.shiftKey || composing) return;
    event.preventDefault();
    onAsk();
  };
  return (
    <form className="card ask" onSubmit={submit}>
      <label className="name" htmlFor={field}>
        Question
      </label>
      <textarea
        id={field}
        rows={2}
        dir="auto"
        value={draft}
        placeholder={
          onNew ? 'Ask on: “And when?”' : 'Ask about something that was taught, or that stands in a document'
        }
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={onKey}
      />
      <div className="row apart">
        {children}
        <span className="row">
          {onNew && (
            <button type="button" onClick={onNew}>
              New conversation
            </button>
          )}
          <button type="submit" className="main" disabled={draft.trim() === ''}>
            Ask all
          </button>
        </span>
      </div>
    </form>
  );
}

/** The date at which the used facts are valid; empty for the present. */
function AsOf({ value, onChange }: { value: string; onChange(day: string): void }) {
  return (
    <>
      <span className="hint">Enter asks; Shift and Enter begin a new line.</span>
      <label className="row close">
        As of
        <input type="date" value={value} onChange={(event) => onChange(event.target.value)} />
      </label>
    </>
  );
}

/** Selected targets, by name or id. */
interface Saved {
  base?: string | undefined;
  tuned?: string | undefined;
  index?: string | undefined;
  /** Additional models, bases or tuned ones. */
  more?: string[] | undefined;
}

interface AnswererProps {
  /** Stays where the title changes. */
  place: string;
  title: string;
  about: string;
  choice: string | undefined;
  choices: { value: string; name: string }[];
  onChoice(value: string): void;
  /** Set if the target can be removed. */
  onClose?(): void;
  asked: Asked | undefined;
  says: Says;
  /** Advice if there is nothing to choose. */
  children: ReactNode;
}

function Answerer(props: AnswererProps) {
  const { place, title, about, choice, choices, onChoice, onClose, asked, says, children } = props;
  const select = useId();
  const { turns, stop } = useConversation(place, choice, asked, says);
  const speaks = turns.at(-1)?.output.state === 'speaking';
  return (
    <section className="card stack" aria-label={title}>
      <div className="stack tight">
        <div className="row apart steady">
          <h2>{title}</h2>
          <span className="row">
            {speaks && (
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
        <div aria-live="polite" aria-busy={speaks} className="stack">
          {turns.length === 0 && <p className="quiet said">Nothing asked yet.</p>}
          {turns.map(({ question, output }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added at the end
            <div className="stack tight turn" key={at}>
              <p className="asked" dir="auto">
                {question}
              </p>
              <Answer output={output} />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

function Answer({ output }: { output: Output }) {
  const { text, state, error, memory, citations, nothing, quotedFrom } = output;
  return (
    <>
      <div className="said">
        {text && quotedFrom ? (
          <Quotation text={text} from={quotedFrom} />
        ) : text ? (
          <FormattedText text={text} />
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
