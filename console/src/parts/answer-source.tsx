// Source of an answer: words of a document, a fact of the memory, or the base.
import { changeInMemory, type OpenaiChatEvent } from '@lorekeep/client';
import { percent } from '../format.ts';
import { routeAddress } from '../route.ts';
import { FormattedText } from './formatted-text.tsx';
import { SourceOf, TimesOf } from './known-details.tsx';

export type Memory = NonNullable<OpenaiChatEvent['choices'][number]['memory']>;

/** Marks a quotation from a document, as opposed to generated text. */
export function Quotation({ text, from }: { text: string; from: string }) {
  return (
    <figure className="quotation">
      <blockquote>
        <FormattedText text={text} />
      </blockquote>
      <figcaption className="hint">Quoted from {from}</figcaption>
    </figure>
  );
}

export function FromMemory({ memory }: { memory: Memory }) {
  const [best] = memory.facts;
  if (memory.outcome === 'documents')
    return (
      <div className="note">
        <p>No fact answers this; documents of the index beside the facts do.</p>
        <PromptOf memory={memory} />
      </div>
    );
  if (!memory.used)
    return (
      <div className="note">
        <p>
          {memory.outcome === 'unknown'
            ? 'Nothing that was taught answers this, and the model says so.'
            : 'No fact was near enough: this is the base’s own answer.'}
        </p>
        {memory.reason && <p className="hint">Why: {memory.reason}.</p>}
        {best && (
          <p className="hint">
            The nearest was “<bdi>{best.input}</bdi>” ({percent(best.similarity)} similar). <TimesOf fact={best} />
          </p>
        )}
        <PromptOf memory={memory} />
      </div>
    );
  return (
    <div className="note good">
      <p>
        {memory.outcome === 'recite' ? 'From memory. Word for word:' : `From memory. Made of facts (${memory.way}):`}
      </p>
      {memory.facts.map((fact) => (
        <p className="small" key={`${fact.dataset_id} ${fact.row}`}>
          “<bdi>{fact.input}</bdi>” · {percent(fact.similarity)} similar · <RowOf fact={fact} /> <TimesOf fact={fact} />{' '}
          <SourceOf source={fact.source} />
        </p>
      ))}
      <PromptOf memory={memory} />
    </div>
  );
}

/** The row of its dataset, or the change of a memory that added the fact. */
function RowOf({ fact: { dataset_id, row } }: { fact: Memory['facts'][number] }) {
  if (!dataset_id) return `row ${row}`;
  const added = changeInMemory(dataset_id);
  if (!added) return <a href={routeAddress('datasets', dataset_id)}>row {row} of its dataset</a>;
  return (
    <a href={routeAddress('memories', added.memory)}>
      change {added.change} of the memory {added.memory}
    </a>
  );
}

/** The rendered prompt of the base: facts, passages and the question. */
function PromptOf({ memory: { prompt } }: { memory: Memory }) {
  if (!prompt) return null;
  return (
    <details>
      <summary className="small">The prompt that the base read</summary>
      <pre className="small lines" dir="auto">
        {prompt}
      </pre>
    </details>
  );
}
