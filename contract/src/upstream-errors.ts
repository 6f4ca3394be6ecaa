// The refusals of engines upstream, a part of the table of errors.
export const upstreamErrors = {
  upstream_unavailable: {
    status: 503,
    sentence: 'The upstream engine of {name} cannot be asked: {reason}.',
    hint: 'Try again in a few seconds; if it stays so, ./lorekeep doctor shows the operator the reason.',
  },
  upstream_failed: {
    status: 502,
    sentence: 'The upstream engine of {name} did not answer as it should: {reason}.',
    hint: 'Try again; if it happens again, the operator finds the reason in the log of the upstream engine.',
  },
  upstream_slow: {
    status: 524,
    sentence: 'The upstream engine of {name} sent nothing for {seconds} seconds.',
    hint: 'Ask for fewer tokens, or let the operator raise the "timeout" of this upstream engine.',
  },
  upstream_refused: {
    status: 400,
    sentence: 'The upstream engine of {name} refuses this request: {reason}.',
    hint: 'Change the request as the reason says.',
  },
  upstream_cannot: {
    status: 400,
    sentence: '{name} is computed by an upstream engine, which cannot do this: {what}.',
    hint: 'Leave it out, or ask a model that is computed here.',
  },
  upstream_only: {
    status: 400,
    sentence: '{name} is computed by an upstream engine, and its weights are not here. They are needed to {purpose}.',
    hint: 'Download the same model under this name (POST /v1alpha/downloaded_models); its answers still come from upstream.',
  },
} as const;
