// Rows with the answers of all targets side by side. A right answer is marked and not repeated.
import type { EvaluationRow } from '@lorekeep/client';
import { FormattedText } from './formatted-text.tsx';
import { List, type ListProps } from './list.tsx';
import { Empty } from './states.tsx';

interface AnswersProps extends Pick<ListProps<EvaluationRow>, 'asked' | 'only' | 'total'> {
  /** Display name of each target, in the order of the answers. */
  names: string[];
}

export function Answers({ names, ...list }: AnswersProps) {
  return (
    <List<EvaluationRow>
      what="answers"
      id={({ row }) => row}
      text={({ input, output, answers }) => [input, output, ...answers.map((one) => one?.output)].join(' ')}
      columns={[
        { name: 'Question', long: true, wide: true, cell: ({ input }) => <FormattedText text={input} /> },
        { name: 'Right answer', long: true, wide: true, cell: ({ output }) => <FormattedText text={output} /> },
        ...names.map((name, place) => ({
          name,
          long: true,
          wide: true,
          cell: ({ answers }: EvaluationRow) => <Answer of={answers[place]} />,
        })),
      ]}
      empty={<Empty title="No answers">Nobody was asked anything.</Empty>}
      {...list}
    />
  );
}

function Answer({ of: answer }: { of: EvaluationRow['answers'][number] | undefined }) {
  if (!answer) return '–';
  const how = answer.outcome !== null && <span className="pill">{answer.outcome}</span>;
  if (answer.exact)
    return (
      <span>
        <span className="pill good">right</span> {how}
      </span>
    );
  if (answer.error !== null) return <span className="pill bad">{answer.error}</span>;
  return (
    <span className="stack tight">
      <span>
        {answer.normalised ? (
          <span className="pill warm">right but for case or punctuation</span>
        ) : (
          <span className="pill bad">wrong</span>
        )}{' '}
        {how}
      </span>
      <span>
        {answer.output === '' ? <span className="quiet">(no words)</span> : <FormattedText text={answer.output} />}
      </span>
    </span>
  );
}
