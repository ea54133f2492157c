import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['vitest.spec.mjs'],
    setupFiles: ['furcate-setup.mjs'],
    // The build is not in node_modules here, where vitest leaves modules as they are.
    server: { deps: { external: [/\/dist\//] } },
  },
});
