import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

// CHROMIUM is the program: nothing is downloaded. Its sandbox refuses to work for root, as whom containers run.
const launchOptions = {
  executablePath: process.env['CHROMIUM'],
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
};

export default defineConfig({
  server: {
    headers: {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    },
  },
  test: {
    include: ['browser.spec.mjs'],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions }),
      instances: [{ browser: 'chromium' }],
    },
  },
});
