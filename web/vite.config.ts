import { defineConfig } from 'vite';

/** The page is a part of the package: built into dist/web, served by `colibri up`. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // An inlined asset would need `data:` in the page's content policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:4870' } },
});
