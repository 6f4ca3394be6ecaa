// A refusal in the shape that OpenAI's clients know, with the statuses from which they make their exceptions.
import { z } from 'zod';
import type { Refusal } from './refusal.ts';

// Loose: where clients of both kinds call, the body holds our own shape as well.
export const openaiErrorSchema = z
  .looseObject({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable().describe('The field that is wrong.'),
      code: z.string().describe('The code of the table of errors.'),
    }),
  })
  .meta({ id: 'OpenAIError' });

/** Our own statuses as statuses of OpenAI. Clients take an unknown status for an error of the server and retry. */
const theirs: Record<number, number> = { 422: 400, 507: 503, 513: 503, 524: 504, 594: 404 };
export const openaiStatus = (status: number): number => theirs[status] ?? status;

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

export type ErrorShape = 'platform' | 'openai' | 'both';

/** The body of a refusal. A client of either kind finds what it reads in a body of both shapes. */
export function errorBody(refusal: Refusal, shape: ErrorShape): object {
  if (shape === 'platform') return refusal.body();
  return shape === 'openai' ? openaiError(refusal) : { ...refusal.body(), ...openaiError(refusal) };
}

export function openaiError(refusal: Refusal): z.infer<typeof openaiErrorSchema> {
  const status = openaiStatus(refusal.status);
  const mistakes = refusal.mistakes?.map(({ loc, msg }) => ({ place: loc.slice(1).join('.'), whole: loc[0], msg }));
  return {
    error: {
      message: mistakes?.map(({ place, whole, msg }) => `${place || whole}: ${msg}`).join('; ') || refusal.message,
      type: types[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: mistakes?.[0]?.place || null,
      code: refusal.code,
    },
  };
}
