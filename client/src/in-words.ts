// Messages of errors for programs that people use: places in words instead of paths of a request, and no calls of the API.
import { LorekeepError, type Mistake } from './errors.ts';

/** Sentences keep the white space behind them. */
const sentenceBreak = /(?<=[.!?]\s+)(?=[A-Z"])/;
const callPattern = /\b(GET|POST|PUT|PATCH|DELETE|HEAD)\s+(\/[^\s:;,)]*[^\s:;,).])/g;
/** Calls, fields and headers of a request, and arguments of the client. */
const technicalPattern =
  /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD)\s+\S*\/|(?:^|\s)\/v\d\w*\/|timeoutMs|\bthe header "|\b[Ss]end "(?:data|force)"|\bwith "(?:base_model|dataset_id|from|precision)"/;

type CallInWords = (method: string, path: string) => string | undefined;

/** A message without its sentences about calls, except for calls that the program names in its own words. Empty if none is left. */
export function withoutCalls(message: string, callInWords: CallInWords = () => undefined): string {
  return message
    .split(sentenceBreak)
    .map((sentence) =>
      sentence.replace(callPattern, (call, method: string, path: string) => callInWords(method, path) ?? call),
    )
    .filter((sentence) => !technicalPattern.test(sentence))
    .join('')
    .trimEnd();
}

/** The text of an error, or of its mistakes with their places in words. */
export function errorInWords(error: unknown): string {
  if (error instanceof LorekeepError && error.mistakes.length > 0) return error.mistakes.map(mistakeInWords).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Kinds of mistakes whose message names the row or the fact itself. */
const selfContained = /^(?:row_|more$|change$|conflict$|too_long$)/;

/** `fact 1, question: is missing` of the mistake at `body.facts.0.input`. */
export function mistakeInWords({ loc, msg, type }: Mistake): string {
  const place = selfContained.test(type) ? '' : placeInWords(loc.slice(1));
  return place === '' ? msg : `${place}: ${msg}`;
}

const fields: Record<string, string> = {
  ...{ input: 'question', output: 'answer', model_name: 'model', custom_model_name: 'name', dataset_id: 'dataset' },
  ...{ hf_model_name: 'model', prompt: 'question', job_id: 'number', finetune_args: '' },
};
const elements: Record<string, string> = {
  ...{ facts: 'fact', add: 'fact', change: 'fact', withdraw: 'question', inputs: 'question', data: 'row' },
  ...{ proposals: 'proposal', targets: 'model', prompt: 'question', numbers: 'number', models: 'model' },
};

function placeInWords(path: Mistake['loc']): string {
  const words = path.flatMap((part, at) => {
    if (typeof part === 'number') return [];
    const next = path[at + 1];
    const name = typeof next === 'number' ? `${elements[part] ?? part} ${next + 1}` : (fields[part] ?? part);
    // Arguments of a tuning keep their names, by which people set them.
    return name === '' ? [] : path[at - 1] === 'finetune_args' ? [part] : [name.replaceAll('_', ' ')];
  });
  return words.join(', ');
}
