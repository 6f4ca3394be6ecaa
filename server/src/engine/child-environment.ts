// Allow-list of the environment variables that child processes inherit. The server's own environment holds secrets: the operator's key,
// the password of the database, and other secrets of the machine's owner.
import { join } from 'node:path';
import { checkout } from '../config/settings.ts';

/** Exact names, and prefixes (entries that end in an underscore). */
const always = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  // The dynamic loader and the allocator.
  ...['LD_LIBRARY_PATH', 'LD_PRELOAD', 'DYLD_LIBRARY_PATH', 'GLIBC_TUNABLES', 'MALLOC_'],
];
const computing = [
  ...['CUDA_', 'NVIDIA_', 'CUBLAS_', 'NCCL_', 'HIP_', 'HSA_', 'ROCR_', 'ROCM_'],
  ...['PYTORCH_', 'TORCH_', 'TORCHINDUCTOR_', 'TRITON_'],
  ...['OMP_', 'GOMP_', 'KMP_', 'MKL_', 'OPENBLAS_', 'ONEDNN_', 'DNNL_', 'ATEN_'],
];
/** Proxies and certificates, both spellings of each. */
const network = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
];
/** Variables of package installers. */
const installing = ['PIP_', 'NETRC', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_CONFIG_DIRS', 'LOREKEEP_PYTHON'];

const needs = {
  /** Programs that read images of pages. */
  read: [...always, 'TESSDATA_PREFIX'],
  compute: [...always, ...computing],
  download: [...always, ...network],
  install: [...always, ...network, ...installing],
};

export function childEnvironment(need: keyof typeof needs): Record<string, string> {
  const allowed = (name: string) =>
    needs[need].some((one) => (one.endsWith('_') ? name.startsWith(one) : name === one));
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && allowed(entry[0]),
    ),
  );
}

/** Added for `python -m lorekeep`, which runs from the checkout. */
export function pythonEnvironment(need: 'compute' | 'download'): Record<string, string> {
  return {
    ...childEnvironment(need),
    PYTHONPATH: join(checkout, 'engine'),
    PYTHONUNBUFFERED: '1',
  };
}
