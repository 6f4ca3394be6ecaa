// Translates failures of the engine into refusals of the table of errors.
import { Refusal } from '@lorekeep/contract';
import { EngineFailure } from '../engine/engine.ts';

/** `place` is the index of the prompt in a call with several. */
export function refusalOf(error: unknown, name: string, place?: number): unknown {
  if (!(error instanceof EngineFailure)) return error;
  const { code, facts } = error;
  const at = place ?? (typeof facts.text === 'number' ? facts.text : undefined);
  const which = at === undefined ? '' : ` number ${at + 1}`;
  const reason = readable(error.message);
  const number = (key: string) => Number(facts[key]);
  const also = { cause: error };
  switch (code) {
    case 'prompt_empty':
      return new Refusal('prompt_empty', { which }, also);
    case 'context_exceeded':
      return new Refusal(
        'context_exceeded',
        {
          which,
          name,
          prompt_tokens: number('prompt_tokens'),
          context: number('context'),
          // An embedding request has no answer to shorten.
          with:
            'text' in facts ? '' : number('room') > 1 ? ` with ${number('room')} for the answer` : ' with the answer',
        },
        'shortest' in facts ? { ...also, hint: shortestAnswer(number('shortest')) } : also,
      );
    case 'template_failed':
      return new Refusal('chat_template_refuses', { name, reason }, also);
    case 'schema_impossible':
      return new Refusal('schema_impossible', { reason }, also);
    case 'max_tokens_too_small':
      return new Refusal(
        'max_tokens_too_small',
        { shortest: number('shortest'), max_tokens: number('max_tokens') },
        also,
      );
    case 'model_not_found':
      return new Refusal('model_not_found', { name }, also);
    case 'model_invalid':
      return new Refusal('model_unusable', { name, reason: String(facts.reason ?? reason) }, also);
    case 'model_damaged':
      return new Refusal('data_damaged', { what: 'model', name, reason: String(facts.reason ?? reason) }, also);
    case 'model_kind':
      return new Refusal('model_unusable', { name, reason }, also);
    case 'model_loading':
      return new Refusal('model_loading', { name, progress: 'it is read into memory' }, also);
    case 'overloaded':
      return new Refusal('overloaded', { reason }, { ...also, headers: { 'Retry-After': '2' } });
    case 'out_of_memory':
      return new Refusal('out_of_memory', { reason }, also);
    case 'stopped':
      return new Refusal('engine_unavailable', { reason }, { ...also, headers: { 'Retry-After': '5' } });
    // A bug of the server or the engine: the log has the details.
    default:
      return error;
  }
}

/** Embeds a sentence of the engine into another sentence. */
const readable = (sentence: string) => sentence.replace(/\.$/, '');

const shortestAnswer = (tokens: number) =>
  `The shortest answer of the shape that was asked for has ${tokens} tokens: ask for less, or send a shorter prompt.`;
