// Build of the console: a few files of our own, none of them with anything that the page's rules forbid.
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    target: 'es2023',
    // Nothing is written into the page or the styles as data: the rules allow scripts and styles as files alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The renderer of PDF pages loads when a page is viewed.
    chunkSizeWarningLimit: 2000,
  },
});
