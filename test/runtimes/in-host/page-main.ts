/** A page that runs a test file, and then begins anew for the next one. */
import { type Numbered, runInBrowser } from './run-in-browser.js';

await runInBrowser((await (await fetch('/next')).json()) as Numbered);
location.reload();
