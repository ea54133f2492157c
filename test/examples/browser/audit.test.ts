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

/** Holds the page in a frame of a size and a colour scheme, and examines it once it is ready. */
const AUDIT = `<!doctype html><html lang="en"><title>Audit</title><iframe title="page"></iframe><script type="module">
const query = new URLSearchParams(location.search);
const post = (found) => fetch(query.get('to'), { method: 'POST', body: JSON.stringify(found) });
const frame = document.querySelector('iframe');
frame.style = 'border: 0; height: 900px; width: ' + query.get('width') + 'px; color-scheme: ' + query.get('scheme');
frame.src = './?rows=20000&workers=1&minute=360..720';
frame.onload = async () => {
  try {
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
    await post({
      isDark: window.matchMedia('(prefers-color-scheme: dark)').matches,
      width: window.innerWidth,
      overflows: page.documentElement.scrollWidth > window.innerWidth,
      ends: seen,
      violations: violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.target + ': ' + node.failureSummary)),
    });
  } catch (error) { await post({ error: String(error) }); }
};
</script></html>`;

const folder = mkdtempSync(join(tmpdir(), 'flights-audit-'));
const reports = new ReportServer<Audit>();
const server = new PageServer({ folder: join(folder, 'page'), isIsolated: true });
let address: string;

beforeAll(async () => {
  await buildPage(join(folder, 'page'));
  copyFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), join(folder, 'page', 'axe.js'));
  writeFileSync(join(folder, 'page', 'audit.html'), AUDIT);
  address = await server.listen(0);
});
afterAll(() => {
  server.close();
  reports.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)('at %i pixels, %s', { timeout: LONG_TEST_HANG_MS }, async (width, scheme) => {
  const query = new URLSearchParams({ to: await reports.address, width: String(width), scheme });
  const opened = open('chromium', `${address}audit.html?${query}`, folder);
  try {
    const found = await Promise.race([reports.next(), opened.ended.then((how) => Promise.reject(new Error(how)))]);
    expect(found).toEqual({
      isDark: scheme === 'dark',
      width,
      overflows: false,
      ends: ['25..50', '0..2', '0..12', '10..100', 'kept by the tour'],
      violations: [],
    });
  } finally {
    await opened.close();
  }
});
