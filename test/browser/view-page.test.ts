/** The page of `npx furcate view` in Chromium: wide and narrow, light and dark, by mouse and keys; an accessibility checker finds nothing to complain of. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BinaryFormat } from '../../src/insight/recording/binary-format.js';
import { rewrite } from '../../src/insight/view/rewrite.js';
import type { TimelineTable } from '../../src/insight/view/timeline-table.js';
import { drawnTimeline, longTimeline } from '../helpers/drawn-timelines.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';
import { TELLING, visit } from '../helpers/visits.js';

const folder = mkdtempSync(join(ROOT, '.build/view-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A timeline with something of everything that the page shows. */
const small = drawnTimeline(
  ['caller', 'pool, worker 1', 'pool, worker 2 <b>&amp;'],
  [
    [1, 'published', 'published', 150, 150],
    [2, 'sleep', 'sleeping', 0, 200],
    [1, 'units', 'map <i>', 300, 450, 1000],
    [2, 'task', 'inner', 400, 500],
    [2, 'stolen', 'leaf', 200, 900_000, 1],
    [1, 'wait', 'waiting in a join', 700, 900_010],
    [1, 'root', 'whole', 0, 901_000],
    [0, 'copy', 'copying an array', -500, -100, 8000],
    [0, 'invocation', 'whole', -10, 901_050],
  ],
);

function write(name: string, table: TimelineTable): string {
  const pieces: Uint8Array[] = [];
  rewrite(table, new BinaryFormat(0), (piece) => pieces.push(piece));
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

beforeAll(async () => {
  const { view } = (await import(
    pathToFileURL(join(ROOT, 'dist/view.js')).href
  )) as typeof import('../../src/insight/view/command-view.js');
  view([write('small.bin', small)], { opens: false });
  view([write('long.bin', longTimeline(1_000_000))], { opens: false });
});

/** Helps the scripts below: shows a page in a frame, and acts on it. */
const HELP = `
const until = async (holds) => { for (;;) { const found = holds(); if (found) return found; await new Promise((next) => requestAnimationFrame(next)); } };
async function framed(src, width, scheme) {
  const frame = document.createElement('iframe');
  frame.title = 'page';
  frame.style = 'border: 0; height: 900px; width: ' + width + 'px; color-scheme: ' + scheme;
  frame.src = src;
  document.body.append(frame);
  await new Promise((loaded) => { frame.onload = loaded; });
  const page = frame.contentDocument, window = frame.contentWindow;
  const errors = [];
  window.addEventListener('error', ({ message }) => errors.push(message));
  const ready = await until(() => page.documentElement.dataset.ready !== undefined && { how: page.documentElement.dataset.ready });
  if (ready.how !== '') throw new Error(page.querySelector('#summary').textContent);
  const one = (selector) => page.querySelector(selector);
  const frames = () => new Promise((next) => window.requestAnimationFrame(() => window.requestAnimationFrame(() => window.requestAnimationFrame(next))));
  const press = async (target, ...keys) => {
    for (const key of keys) { target.dispatchEvent(new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })); await frames(); }
  };
  const seen = () => one('#seen').textContent;
  return { frame, page, window, errors, one, frames, press, seen };
}
`;

async function tell(script: string): Promise<unknown> {
  const html = `<!doctype html><html lang="en"><title>Test</title><body>${TELLING}<script type="module">${HELP}
    try { console.log(JSON.stringify(await (async () => {${script}})())); } catch (error) { console.error(String(error?.stack ?? error)); }
  </script></body></html>`;
  const told = await visit([
    {
      name: 'view',
      answer({ url = '/' }, response) {
        const file = /^\/(small|long)\.html$/.exec(url)?.[0];
        response.writeHead(200, {
          'Content-Type': url.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8',
        });
        if (url === '/axe.js')
          response.end(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js')));
        else response.end(file === undefined ? html : readFileSync(join(folder, file)));
      },
    },
  ]);
  const [first] = told.get('view') ?? [];
  if (first?.kind !== 'log') throw new Error(first?.text);
  return JSON.parse(first.text);
}

test('is readable on wide and narrow screens, light and dark, and hears mouse and keys', {
  timeout: LONG_TEST_HANG_MS,
}, async () => {
  const found = await tell(`
    const axe = await (await fetch('/axe.js')).text();
    const audits = [];
    for (const [width, scheme] of [[1280, 'light'], [1280, 'dark'], [390, 'light'], [390, 'dark']]) {
      const { frame, page, window, frames } = await framed('/small.html', width, scheme);
      await frames();
      const script = page.createElement('script');
      script.textContent = axe;
      page.head.append(script);
      const { violations } = await window.axe.run(page);
      audits.push({
        isDark: window.matchMedia('(prefers-color-scheme: dark)').matches,
        overflows: page.documentElement.scrollWidth > window.innerWidth,
        violations: violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.target + ': ' + node.failureSummary)),
      });
      frame.remove();
    }
    const { page, window, errors, one, frames, press, seen } = await framed('/small.html', 1200, 'light');
    await frames();
    const canvas = one('#timeline');
    const told = { summary: one('#summary').textContent, title: page.title, hints: [...page.querySelectorAll('[data-hint]')].map(({ dataset }) => dataset.hint), all: seen() };
    const colours = new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer));
    told.isDrawn = colours.size > 5;
    one('#search').value = 'LEAF';
    one('#search').dispatchEvent(new window.Event('input'));
    told.found = one('#found').textContent;
    await press(one('#search'), 'Enter');
    told.chosen = one('#chosen').textContent;
    await press(canvas, 'Home');
    told.home = seen();
    await press(canvas, 'ArrowDown');
    told.within = one('#chosen').textContent.split(':')[0];
    await press(canvas, 'ArrowUp');
    told.around = one('#chosen').textContent.split(':')[0];
    await press(canvas, '+', '+');
    told.zoomedByKeys = seen();
    await press(canvas, 'ArrowRight', '-', 'Escape');
    told.movedByKeys = seen();
    await press(canvas, 'Home');
    canvas.dispatchEvent(new window.WheelEvent('wheel', { deltaY: -600, bubbles: true, cancelable: true }));
    await frames();
    told.zoomedByWheel = seen() !== told.home;
    await press(canvas, 'Home');
    one('[data-hint=one-thread] button').click();
    await frames();
    told.shown = seen();
    const [flame] = page.querySelectorAll('#flame button');
    flame.focus();
    await press(flame, 'ArrowDown');
    told.flame = page.activeElement.textContent;
    page.activeElement.click();
    told.zoomedFlame = [...page.querySelectorAll('#flame button')].map(({ textContent, style }) => textContent + ' ' + style.width);
    told.path = [...page.querySelectorAll('#path tbody th')].map(({ textContent }) => textContent);
    told.bars = page.querySelectorAll('#lengths .bar').length > 3;
    one('#counted').value = 'units';
    one('#counted').dispatchEvent(new window.Event('change'));
    told.units = one('#lengths svg').getAttribute('aria-label').split(',')[0];
    return { audits, errors, ...told };`);
  const clean = (isDark: boolean) => ({ isDark, overflows: false, violations: [] });
  expect(found).toEqual({
    audits: [clean(false), clean(true), clean(false), clean(true)],
    errors: [],
    summary: '9 events \u00b7 902 ms \u00b7 2 threads \u00b7 1 invocation \u00b7 busy for 50 %',
    title: 'small.bin \u2013 Furcate',
    hints: ['one-thread', 'waits'],
    all: '0 \u00b5s to 902 ms',
    home: '0 \u00b5s to 902 ms',
    isDrawn: true,
    found: '1 slice',
    chosen:
      'leaf: stolen task, 900 ms, 900 ms without what is within, at 700 \u00b5s, on pool, worker 2 <b>&amp;, from pool, worker 1',
    within: 'inner',
    around: 'leaf',
    zoomedByKeys: '288 ms to 613 ms',
    movedByKeys: '229 ms to 770 ms',
    zoomedByWheel: true,
    shown: '0 \u00b5s to 902 ms',
    flame: 'whole',
    zoomedFlame: ['all threads 100%', 'whole 100%', 'waiting in a join 99.8124%'],
    path: ['whole', 'leaf', 'inner', 'leaf', 'waiting in a join', 'whole'],
    bars: true,
    units: '1 chunk of algorithms',
  });
});

test('draws of a million events as much as there are pixels, at every zoom', {
  timeout: LONG_TEST_HANG_MS,
}, async () => {
  const found = (await tell(`
    const { one, frames, press, errors } = await framed('/long.html', 1280, 'light');
    const canvas = one('#timeline'), drawn = [];
    for (let zoom = 0; zoom < 30; zoom++) { await press(canvas, '+'); drawn.push(Number(canvas.dataset.drawn)); }
    one('#search').value = 'leaf';
    one('#search').dispatchEvent(new Event('input'));
    await press(canvas, 'Home', 'n');
    return { drawn, errors, found: one('#found').textContent, chosen: one('#chosen').textContent.split(',')[0] };`)) as {
    drawn: number[];
    errors: string[];
    found: string;
    chosen: string;
  };
  expect(found.errors).toEqual([]);
  expect([found.found, found.chosen]).toEqual(['800,000 slices', 'leaf: task in its join']);
  for (const drawn of found.drawn) {
    expect(drawn).toBeGreaterThan(0);
    expect(drawn).toBeLessThan(8 * 2 * 1280 + 400); // lanes, and arrows
  }
});
