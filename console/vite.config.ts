// Build of the console: a few files that comply with the content security policy.
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    target: 'es2023',
    // Disables inlining as data URLs, since the policy allows scripts and styles only as files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The PDF renderer is loaded on demand.
    chunkSizeWarningLimit: 2000,
  },
});
