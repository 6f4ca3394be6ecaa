// The refusals of erasures and receipts, a part of the table of errors.

export const erasureErrors = {
  nothing_to_erase: {
    status: 404,
    sentence: 'No version of the memory "{name}" holds {what}.',
    hint: 'GET /v1/memories/{name}/facts?state=all lists its facts; write the question as it was taught. Nothing was changed.',
  },
  erasure_too_large: {
    status: 422,
    sentence: '{count} facts hold this, and one erasure takes at most {limit}.',
    hint: 'Name a longer text, or erase by questions in several requests.',
  },
  erasure_unconfirmed: {
    status: 409,
    sentence: 'The facts that would be erased are {count} now, and not the set that was confirmed.',
    hint: 'POST /v1/memories/{name}/erasures/plan lists them; look at them and send the digest that it answers. Nothing was changed.',
  },
  memory_busy: {
    status: 409,
    sentence: 'The change {number} of the memory "{name}" by {who} is not over.',
    hint: 'Wait for it: GET /v1/memories/{name}/changes/{number}. Then send this again; nothing was changed.',
  },
  version_erased: {
    status: 409,
    sentence: 'Version {version} of the memory "{name}" was ended by an erasure (receipt {receipt}).',
    hint: 'GET /v1/receipts/{receipt} shows the details. Publish another version.',
  },
  erasure_not_found: {
    status: 404,
    sentence: 'The memory "{name}" has no erasure {number}.',
    hint: 'GET /v1/memories/{name}/erasures lists them.',
  },
  erasure_not_failed: {
    status: 409,
    sentence: 'The erasure {number} of the memory "{name}" has not failed: it is {state}.',
    hint: 'Only a failed erasure is tried again. POST /v1/memories/{name}/erasures orders another one.',
  },
  receipt_not_found: {
    status: 404,
    sentence: 'There is no receipt {number} in this account.',
    hint: 'GET /v1/receipts lists them.',
  },
} as const;
