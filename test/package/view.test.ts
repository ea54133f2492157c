/** `npx furcate view` of the build: a program is recorded, and what was recorded becomes a page, or JSON. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { ROOT } from '../helpers/project-files.js';
import { timelineOf } from '../helpers/timeline.js';

const folder = mkdtempSync(join(ROOT, '.build/view-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, NODE_OPTIONS: '', DISPLAY: '', WAYLAND_DISPLAY: '', ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

const furcate = (...args: readonly string[]) => run([join(ROOT, 'dist/command.js'), ...args]);

beforeAll(async () => {
  await ensureBuild();
  writeFileSync(
    join(folder, 'tasks.mjs'),
    `import { fork, forkable, join } from 'furcate';
    export const fib = forkable(import.meta.url, 'fib', (n) => {
      if (n < 2) return n;
      const left = fork(fib, n - 1);
      const right = fib(n - 2);
      return join(left) + right;
    });`,
  );
  writeFileSync(
    join(folder, 'program.mjs'),
    `import { ForkJoinPool, parallelMap } from 'furcate';
    import { fib } from './tasks.mjs';
    const pool = new ForkJoinPool({ parallelism: 2, name: 'viewed' });
    await pool.ready();
    await pool.invoke(fib, 20);
    await parallelMap(new Float64Array(200_000), (x) => Math.sqrt(x), { pool });
    await pool.close();`,
  );
  for (const name of ['out.bin', 'out.bin.gz', 'out.json'])
    expect(run(['program.mjs'], { FURCATE_TRACE: name, FURCATE_TRACE_TASKS: name === 'out.bin' ? 'all' : '' })).toEqual(
      { code: 0, stdout: '', stderr: '' },
    );
});

test.each(['out.bin', 'out.bin.gz', 'out.json'])(
  '%s becomes one page, with all of it inside, and what it says in words',
  (name) => {
    const { code, stdout, stderr } = furcate('view', name, '--output', 'page.html', '--no-open');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^page\.html: [\d,]+ events, [\d.,]+ \S+, 2 threads\.\n\n[-!] /);
    const page = readFileSync(join(folder, 'page.html'), 'utf8');
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain(`<h1>${name}</h1>`);
    expect(page).not.toMatch(/(src|href)=/);
    expect(page.split('</script>')).toHaveLength(3);
  },
);

test('names of a timeline do nothing to the terminal', () => {
  const event = { ph: 'X', cat: 'root', name: '\u001b[2Jtask\u2028\n', ts: 0, dur: 900_000, pid: 1, tid: 1 };
  const other = { ...event, name: 'x', cat: 'stolen', dur: 9000, tid: 2 };
  writeFileSync(join(folder, 'hostile.json'), JSON.stringify({ traceEvents: [null, 3, event, other] }));
  const { stdout } = furcate('view', 'hostile.json', '--no-open');
  expect(stdout).toContain("'?[2Jtask??'");
});

test('the page is beside the timeline by default', () => {
  expect(furcate('view', 'out.bin.gz')).toMatchObject({ code: 0, stderr: '' });
  expect(statSync(join(folder, 'out.html')).size).toBeGreaterThan(10_000);
});

test('--json writes what the file would have been, compressed if its name says so, and no page', () => {
  rmSync(join(folder, 'out.html'), { force: true });
  expect(furcate('view', 'out.bin', '--json', 'made.json.gz').stdout).toMatch(/^made\.json\.gz has [\d,]+ events\.\n$/);
  expect(furcate('view', 'out.bin', '--json', 'made.json').code).toBe(0);
  expect(existsSync(join(folder, 'out.html'))).toBe(false);
  const text = readFileSync(join(folder, 'made.json'), 'utf8');
  expect(String(gunzipSync(readFileSync(join(folder, 'made.json.gz'))))).toBe(text);
  const { problems, slices, events } = timelineOf(text);
  expect(problems).toEqual([]);
  expect(slices('root').map(({ name: one }) => one)).toContain('fib');
  expect(slices('copy')).not.toEqual([]);
  expect(slices('task').length).toBeGreaterThan(1000);
  expect(statSync(join(folder, 'out.bin')).size / events.length).toBeLessThan(40);
});

test.each([
  [['nowhere.bin'], 1, /^furcate: ENOENT: .*nowhere\.bin/],
  [['tasks.mjs'], 1, /^furcate: this is no timeline: it is neither a binary file/],
  [[], 2, /^furcate: view takes the path of a timeline\.\n\nUsage/],
  [['out.bin', 'nowhere.bin'], 1, /^furcate: ENOENT: .*nowhere\.bin/],
  [['out.bin', '--output', './out.bin'], 1, /^furcate: \.\/out\.bin is the timeline itself\./],
  [['out.bin', '--json', 'out.bin'], 1, /^furcate: out\.bin is the timeline itself\./],
  [['a.bin', '--xml'], 2, /^furcate: view: Unknown option '--xml'/],
])('view %j ends with %i and says why', (args, code, message) => {
  const outcome = furcate('view', ...args);
  expect(outcome.code).toBe(code);
  expect(outcome.stderr).toMatch(message);
});
