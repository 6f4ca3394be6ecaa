// The refusals of models and their downloads, a part of the table of errors.
export const downloadErrors = {
  model_download_failed: {
    status: 400,
    sentence: 'The model {name} could not be downloaded: {reason}.',
    hint: 'POST it to /v1alpha/downloaded_models again once that is fixed; it continues from the stored part.',
  },
  model_name_invalid: {
    status: 400,
    sentence: '"{name}" cannot be the name of a model to download: {reason}.',
    hint: 'Write it as on the hub, such as organisation/name.',
  },
  model_precision_differs: {
    status: 409,
    sentence: 'The model {name} is here already, and its weights have the precision {precision}, not {wished}.',
    hint: 'Ask for it without a precision to use it as it is, or delete it and download it again. Models tuned on it are moved afterwards: POST /v1/models/MODEL/move.',
  },
  model_built_in: {
    status: 400,
    sentence: 'The model {name} belongs to the product and cannot be deleted.',
    hint: 'Models that were downloaded or put below the home can be.',
  },
  downloads_limit: {
    status: 429,
    sentence: 'The account has {limit} downloads that wait or run already.',
    hint: 'Ask for more when some of them are complete.',
  },
} as const;
