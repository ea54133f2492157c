/** An accessibility checker finds nothing to complain of on the page: on a desktop and on a phone, light and dark, at first and while a filter is set. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPage } from '../../../examples/browser/build.js';
import { PageServer } from '../../../examples/browser/server.js';
import { LONG_TEST_HANG_MS } from '../../helpers/limits.js';
import { open } from '../../runtimes/browsers.js';
import { ReportServer } from './report-server.js';

/** What the audit posts. */
interface Audit {
  readonly isDark: boolean;
  readonly width: number;
  readonly overflows: boolean;
  readonly ends: readonly string[];
  readonly violations: readonly string[];
  readonly error?: string;
}

/** The sizes and colour schemes that the page is shown in. */
const SCREENS = [
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const;

/** Holds the page in a frame of each size and colour scheme, one after another, and examines it once it is ready. */
const AUDIT = `<!doctype html><html lang="en"><title>Audit</title><script type="module">
async function audit(width, scheme) {
  const frame = document.createElement('iframe');
  frame.title = 'page';
  frame.style = 'border: 0; height: 900px; width: ' + width + 'px; color-scheme: ' + scheme;
  frame.src = './?rows=20000&workers=1&minute=360..720';
  const loading = new Promise((loaded) => { frame.onload = loaded; });
  document.body.append(frame);
  await loading;
  const page = frame.contentDocument, window = frame.contentWindow;
  const sort = page.querySelector('#sort');
  if (sort.disabled) await new Promise((ready) => new MutationObserver(() => sort.disabled || ready()).observe(sort, { attributes: true }));
  const press = (end, key) => end.dispatchEvent(new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const ends = [...page.querySelectorAll('[aria-label^="Departure"][role=slider]')];
  const values = () => ends.map((end) => end.getAttribute('aria-valuenow')).join('..');
  const seen = [values()];
  for (const key of ['Home', 'PageUp', 'End']) { press(ends[0], key); press(ends[1], key); seen.push(values()); }
  press(ends[0], 'Home');
  press(ends[1], 'PageDown');
  const tour = page.querySelector('#tour'), before = values();
  tour.click();
  await new Promise((done) => window.requestAnimationFrame(() => window.requestAnimationFrame(done)));
  tour.click();
  seen.push(before === values() ? 'kept by the tour' : values());
  const script = page.createElement('script');
  script.src = 'axe.js';
  await new Promise((loaded, failed) => { script.onload = loaded; script.onerror = failed; page.head.append(script); });
  const { violations } = await window.axe.run(page);
  const found = {
    isDark: window.matchMedia('(prefers-color-scheme: dark)').matches,
    width: window.innerWidth,
    overflows: page.documentElement.scrollWidth > window.innerWidth,
    ends: seen,
    violations: violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.target + ': ' + node.failureSummary)),
  };
  frame.remove();
  return found;
}
const audits = [];
for (const [width, scheme] of ${JSON.stringify(SCREENS)}) audits.push(await audit(width, scheme).catch((error) => ({ error: String(error) })));
await fetch(new URLSearchParams(location.search).get('to'), { method: 'POST', body: JSON.stringify(audits) });
</script></html>`;

const folder = mkdtempSync(join(tmpdir(), 'flights-audit-'));
const reports = new ReportServer<readonly Audit[]>();
const server = new PageServer({ folder: join(folder, 'page'), isIsolated: true });
let audits: readonly Audit[];

beforeAll(async () => {
  await buildPage(join(folder, 'page'));
  copyFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), join(folder, 'page', 'axe.js'));
  writeFileSync(join(folder, 'page', 'audit.html'), AUDIT);
  const query = new URLSearchParams({ to: await reports.address });
  const opened = open('chromium', `${await server.listen(0)}audit.html?${query}`, folder);
  try {
    audits = await Promise.race([reports.next(), opened.ended.then((how) => Promise.reject(new Error(how)))]);
  } finally {
    await opened.close();
  }
}, LONG_TEST_HANG_MS);
afterAll(() => {
  server.close();
  reports.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each(SCREENS.map((screen, k) => [...screen, k] as const))('at %i pixels, %s', (width, scheme, k) => {
  expect(audits[k]).toEqual({
    isDark: scheme === 'dark',
    width,
    overflows: false,
    ends: ['25..50', '0..2', '0..12', '10..100', 'kept by the tour'],
    violations: [],
  });
});
