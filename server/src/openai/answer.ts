// Converts answers of the engine to OpenAI's formats.
import { randomUUID } from 'node:crypto';
import { Refusal } from '@lorekeep/contract';
import type { Delta, End } from '../engine/protocol.ts';

type Logprobs = NonNullable<End['logprobs']>;

export const answerHead = (kind: 'chatcmpl' | 'cmpl', model: string) => ({
  id: `${kind}-${randomUUID().replaceAll('-', '')}`,
  created: Math.floor(Date.now() / 1000),
  model,
});

/** A client that went away gets no answer, so nothing ends as cancelled here. */
export function finishOf({ finish_reason }: End): 'stop' | 'length' {
  if (finish_reason === 'cancelled') throw new Refusal('client_gone');
  return finish_reason;
}

/** `ends` are the choices of all prompts: each prompt is counted once, and each of its answers. */
export function usageOf(ends: End[], choices: number) {
  const prompts = ends.filter((_, at) => at % choices === 0);
  const sum = (of: End[], figure: keyof End['usage']) => of.reduce((total, end) => total + end.usage[figure], 0);
  const prompt_tokens = sum(prompts, 'prompt_tokens');
  const completion_tokens = sum(ends, 'completion_tokens');
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: sum(prompts, 'cached_tokens') },
  };
}

export function chatLogprobs(logprobs: Delta['logprobs']) {
  if (!logprobs) return null;
  const toLogprob = ({ token, logprob, bytes }: Omit<Logprobs[number], 'top'>) => ({ token, logprob, bytes });
  return { content: logprobs.map((one) => ({ ...toLogprob(one), top_logprobs: (one.top ?? []).map(toLogprob) })) };
}

/** `offset`: position of the first of these tokens in the whole text. */
export function textLogprobs(logprobs: Delta['logprobs'], offset: number) {
  if (!logprobs) return null;
  let at = offset;
  return {
    tokens: logprobs.map(({ token }) => token),
    token_logprobs: logprobs.map(({ logprob }) => logprob),
    top_logprobs: logprobs.map(({ top }: Logprobs[number]) =>
      Object.fromEntries((top ?? []).map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset: logprobs.map(({ token }: Logprobs[number], index: number) => {
      const start = at;
      // Tokens that are parts of a character appear as marks; consecutive ones form one character.
      const goesOn = token.includes(mark) && logprobs[index + 1]?.token.startsWith(mark);
      at += characters(token.replaceAll(/\ufffd+/g, goesOn ? '' : mark));
      return start;
    }),
  };
}

/** Mark of bytes that are no whole character. */
const mark = '\ufffd';

/** Length as OpenAI's clients count it: in code points. */
export const characters = (text: string) => [...text].length;
