// The calls of OpenAI's clients below /v1, where every tool looks for them by default. /v1/completions answers clients of both kinds.
import { completion } from './completions.ts';
import { chat, completeText, embedTexts, showModelByParts } from './openai.ts';
import { route } from './route.ts';

export const complete = route({
  ...completion,
  name: 'complete',
  path: '/v1/completions',
  summary: 'Go on from a prompt, or from each of a list',
  description:
    'Greedy, so that the same prompt has the same answer. A call that would take longer than 85 seconds ends with 524: ' +
    "long lists belong in /v1/batch_completions. A body that names `model` instead of `model_name` is one of OpenAI's clients: it is answered as at /inf/completions.",
  twin: completeText,
});

export const chatInV1 = route({
  ...chat,
  name: 'openaiChatInV1',
  path: '/v1/chat/completions',
  summary: 'The same as /inf/chat/completions',
});

export const embedTextsInV1 = route({
  ...embedTexts,
  name: 'openaiEmbedInV1',
  path: '/v1/embeddings',
  summary: 'The same as /inf/embeddings',
});

export const showModelByPartsInV1 = route({
  ...showModelByParts,
  name: 'openaiShowModelByPartsInV1',
  path: '/v1/models/{organisation}/{model}',
  summary: 'One model; the slash of its name written as it is',
  errorShape: 'both',
});
