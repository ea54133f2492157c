/** `npx furcate top` of the build: what it shows of a process that runs, and what it leaves behind. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import type { Outcome } from '../helpers/child-process.js';
import { ROOT } from '../helpers/project-files.js';

const folder = mkdtempSync(join(ROOT, '.build/top-'));
const temporary = mkdtempSync(join(tmpdir(), 'furcate-top-'));
const env = { ...process.env, TMPDIR: temporary, TEMP: temporary, NODE_OPTIONS: '', FURCATE_MONITOR: '1' };
const running: ChildProcess[] = [];

afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
  rmSync(temporary, { recursive: true });
});

beforeAll(async () => {
  await ensureBuild();
  writeFileSync(
    join(folder, 'tasks.mjs'),
    `import { forkable } from 'furcate';
    export const spin = forkable(import.meta.url, 'spin', (cells) => {
      while (Atomics.load(cells, 0) === 0);
    });`,
  );
  writeFileSync(
    join(folder, 'program.mjs'),
    `import { ForkJoinPool } from 'furcate';
    import { spin } from './tasks.mjs';
    const cells = new Int32Array(new SharedArrayBuffer(4));
    const pool = new ForkJoinPool({ parallelism: 2, name: 'watched', stallMs: 0 });
    const all = [1, 2, 3].map(() => pool.invoke(spin, cells));
    process.stdin.once('data', () => Atomics.store(cells, 0, 1));
    await Promise.all(all);
    await pool.close();
    process.stdin.destroy();`,
  );
});

/** Starts the program; it waits for a line of its input. */
function start(): ChildProcess {
  const child = spawn(process.execPath, ['program.mjs'], { cwd: folder, env, stdio: ['pipe', 'inherit', 'inherit'] });
  running.push(child);
  return child;
}

const furcate = (...args: readonly string[]): Promise<Outcome> =>
  new Promise((done) =>
    execFile(process.execPath, [join(ROOT, 'dist/command.js'), 'top', ...args], { env }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    ),
  );

/** The process that script(1) runs in its terminal. */
const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);

/** Asks until the process has said what is looked for. */
async function shows(pattern: RegExp, ...args: readonly string[]): Promise<string> {
  for (;;) {
    const { stdout } = await furcate(...args);
    if (pattern.test(stdout)) return stdout;
  }
}

const filesOf = (): string[] => readdirSync(temporary).flatMap((name) => readdirSync(join(temporary, name)));

test('a process is shown with what its threads run, as a screen and as JSON, and leaves nothing when it has ended', async () => {
  expect(await furcate('--once')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^No process tells of its pools/),
  });
  const [one, other] = [start(), start()];
  const screen = await shows(/queued 1[\s\S]*worker 1 .* spin, [\s\S]*worker 2 .* spin, /, '--once', String(one.pid));
  expect(screen).toContain(`program.mjs (${one.pid}), heap `);
  expect(screen).not.toContain(String(other.pid));
  expect(screen).toMatch(/pool watched: 2 threads, busy \d+ %\n {2}in flight 3 {3}queued 1 \(/);
  await shows(new RegExp(`\\(${other.pid}\\)`), '--once');
  const [mine] = JSON.parse((await furcate('--json', String(one.pid))).stdout) as { pools: { threads: object[] }[] }[];
  expect(mine?.pools[0]?.threads).toMatchObject([
    { name: 'worker 1', task: 'spin' },
    { name: 'worker 2', task: 'spin' },
  ]);
  if (process.getuid !== undefined) {
    const [made] = readdirSync(temporary) as [string];
    expect(statSync(join(temporary, made)).mode & 0o777).toBe(0o700);
    expect(statSync(join(temporary, made, `${one.pid}-0.json`)).mode & 0o777).toBe(0o600);
  }
  one.stdin?.write('end\n');
  await once(one, 'close');
  expect(filesOf().filter((name) => name.startsWith(`${one.pid}-`))).toEqual([]);
  other.kill('SIGKILL'); // it cannot remove its file
  await once(other, 'close');
  expect((await furcate('--once', String(other.pid))).code).toBe(1);
  expect(filesOf()).toEqual([]);
});

test('on a terminal it draws what fits, says how much does not, and gives the screen back at q, Ctrl-C and a signal', async () => {
  if (process.platform !== 'linux') return; // other systems' script(1) takes other arguments
  const one = start();
  await shows(/worker 1 .* spin, /, '--once', String(one.pid));
  const command = (more: string): string =>
    `stty rows 7 cols 44; exec '${process.execPath}' '${join(ROOT, 'dist/command.js')}' top ${more}`;
  for (const [end, more] of [
    ['q', String(one.pid)],
    ['\u0003', ''],
    ['signal', '99999999'],
  ] as const) {
    const terminal = spawn('script', ['-qefc', command(more), '/dev/null'], { env: { ...env, TERM: 'xterm' } });
    running.push(terminal);
    let drawn = '';
    await new Promise<void>((seen) =>
      terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
        drawn += text;
        if (drawn.includes('q quits')) seen();
      }),
    );
    if (end === 'signal') process.kill(childOf(terminal.pid as number), 'SIGTERM');
    else terminal.stdin.write(end);
    const [code] = (await once(terminal, 'close')) as [number];
    expect(code).toBe(0);
    expect(drawn.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    expect(drawn.trimEnd().endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    const lines = drawn.split('\u001b[H')[1]?.split('\u001b[J')[0]?.split('\u001b[K\r\n') as string[];
    expect(lines.length).toBeLessThanOrEqual(7);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(44);
    if (end === 'signal')
      expect(lines[0]).toBe('Process 99999999 tells of no pools. Start it'); // cut at 44
    else expect(lines.at(-3)).toMatch(/^\d+ more lines: enlarge the window/);
  }
  one.stdin?.write('end\n');
  await once(one, 'close');
});

test('a folder that others can read is refused', async () => {
  if (process.getuid === undefined) return;
  const loose = join(temporary, 'loose');
  mkdirSync(join(loose, `furcate-${process.getuid()}`), { recursive: true });
  chmodSync(join(loose, `furcate-${process.getuid()}`), 0o755);
  const outcome = await new Promise<Outcome>((done) =>
    execFile(
      process.execPath,
      [join(ROOT, 'dist/command.js'), 'top', '--once'],
      { env: { ...env, TMPDIR: loose } },
      (error, stdout, stderr) => done({ code: Number(error?.code ?? 0), stdout, stderr }),
    ),
  );
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toMatch(/^furcate: .* must be a folder that only this user can read/);
  rmSync(loose, { recursive: true });
  expect(existsSync(loose)).toBe(false);
});
