// Answer policy of a tuned model: the default sources of its answers.
import { type AnswerFrom, answersFrom, type TunedModel, type Unknown, unknowns } from '@lorekeep/client';
import { type FormEvent, useState } from 'react';
import { useAction, useQuery } from '../query.ts';
import { useLorekeep } from '../session.tsx';
import { Choice, TextField } from './fields.tsx';
import { Card } from './page.tsx';
import { Problem } from './states.tsx';

type Policy = Pick<TunedModel, 'answer_from' | 'unknown' | 'unknown_answer' | 'index_id'>;

const choicesOf = (of: Record<string, string>) =>
  Object.entries(of).map(([value, meaning]) => ({ value, name: `${value}: ${meaning}` }));

export function PolicyOf({ model, policy, onDone }: { model: string; policy: Policy; onDone(): void }) {
  const lorekeep = useLorekeep();
  const [answerFrom, setAnswerFrom] = useState<string>(policy.answer_from);
  const [unknown, setUnknown] = useState<string>(policy.unknown);
  const [sentence, setSentence] = useState(policy.unknown_answer ?? '');
  const [index, setIndex] = useState(String(policy.index_id ?? ''));
  const indexes = useQuery('indexes to stand beside facts', async (signal) =>
    (await lorekeep.listIndexes({ limit: 1000 }, { signal })).indexes.map(({ job_id, name }) => ({
      value: String(job_id),
      name: name ?? `index ${job_id}`,
    })),
  );
  // A deleted index counts as none.
  const chosen = indexes.value?.some(({ value }) => value === index) ? index : '';
  const { run, busy, error } = useAction(async () => {
    await lorekeep.changeTunedModel({
      model,
      answer_from: answerFrom as AnswerFrom,
      unknown: unknown as Unknown,
      unknown_answer: sentence.trim(),
      ...(indexes.value && { index: chosen === '' ? '' : Number(chosen) }),
    });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <Card title="Answers">
      <form className="stack" onSubmit={submit}>
        <Choice
          name="It answers from"
          value={answerFrom}
          onChange={setAnswerFrom}
          of={choicesOf(answersFrom)}
          hint="If a request does not set it."
        />
        <Choice
          name="Where no fact about a known name answers"
          value={unknown}
          onChange={setUnknown}
          of={choicesOf(unknowns)}
        />
        <Choice
          name="Documents beside the facts"
          value={chosen}
          onChange={setIndex}
          of={[{ value: '', name: 'none' }, ...(indexes.value ?? [])]}
          hint="An index that answers what no fact answers, with citations."
        />
        <TextField
          name="The sentence that says so"
          value={sentence}
          onChange={setSentence}
          placeholder="The documents do not say."
        />
        {error && <Problem error={error} />}
        <div className="row end">
          <button type="submit" disabled={busy}>
            Set
          </button>
        </div>
      </form>
    </Card>
  );
}
