/** A page whose worker runs a test file, and which then begins anew. The script of the worker is this one too. */
import { type Numbered, runInBrowser } from './run-in-browser.js';

if (typeof document === 'undefined') {
  addEventListener('message', async ({ data }: MessageEvent<Numbered>) => {
    await runInBrowser(data);
    postMessage('done');
  });
} else {
  const numbered = (await (await fetch('/next')).json()) as Numbered;
  const worker = new Worker(import.meta.url, { type: 'module' });
  worker.postMessage(numbered);
  worker.addEventListener('message', ({ data }) => data === 'done' && location.reload());
}
