// The refusals of generations and answers, a part of the table of errors.
export const generationErrors = {
  prompt_empty: {
    status: 400,
    sentence: 'The prompt{which} is empty.',
    hint: 'Send at least one character.',
  },
  context_exceeded: {
    status: 400,
    sentence: 'The prompt{which} has {prompt_tokens} tokens, and {name} reads {context}{with}.',
    hint: 'Send a shorter prompt: nothing is cut off silently.',
  },
  chat_template_refuses: {
    status: 400,
    sentence: 'The conversation cannot be put to {name}: {reason}.',
    hint: 'Send a raw prompt to /inf/completions, or other messages.',
  },
  content_unsupported: {
    status: 400,
    sentence: 'A message holds a part of type "{type}", and models here read text alone.',
    hint: 'Send parts of type "text", or a plain string.',
  },
  schema_impossible: {
    status: 400,
    sentence: 'No answer can have the shape that was asked for: {reason}.',
    hint: 'Change output_type or the JSON schema.',
  },
  max_tokens_too_small: {
    status: 400,
    sentence:
      'The shortest answer of the shape that was asked for has {shortest} tokens, and at most {max_tokens} are allowed.',
    hint: 'Raise the number of tokens or ask for less.',
  },
  dimensions_fixed: {
    status: 400,
    sentence: 'The vectors of {name} have {dimensions} dimensions.',
    hint: 'Leave "dimensions" out.',
  },
  too_many_runs: {
    status: 429,
    sentence: 'The account has {limit} batches and streams that are not complete.',
    hint: 'Wait for some of them, or delete those that are no longer needed.',
  },
  timed_out: {
    status: 524,
    sentence: 'The answer was not ready after {seconds} seconds.',
    hint: 'Ask for fewer prompts or tokens at once, or use POST /v1/batch_completions, which has no time limit.',
  },

  client_gone: {
    status: 499,
    sentence: 'The client went away before the answer was ready.',
    hint: 'The work for it was stopped.',
  },
} as const;
