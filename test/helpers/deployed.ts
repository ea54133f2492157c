/** Programs that were taken to another place to run there: servers of frameworks, with their pages, and executables. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithUs } from '../runtimes/living.js';
import { BUNDLED_RESULTS } from './bundled-results.js';
import { freePort, siteAt } from './dev-servers.js';
import { LONG_TEST_HANG_MS } from './limits.js';
import { env, pageJson } from './recipes.js';
import { type Told, visit } from './visits.js';

/** A package of tasks, as docs/deploy.md has it, in the folder of an app: the program of fixtures/bundled-app but for its start. */
export function packTasks(app: string): void {
  const folder = join(app, 'node_modules/parallel-tasks');
  mkdirSync(folder, { recursive: true });
  for (const file of ['tasks.js', 'pool.js', 'run.js']) cpSync(join(app, file), join(folder, file));
  const manifest = pageJson('A package of tasks', 'docs/deploy.md');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, exports: './index.js' }));
  writeFileSync(join(folder, 'index.js'), "export { pool } from './pool.js';\nexport { run } from './run.js';\n");
}

/** The module of a route: what the package of tasks computes, and an algorithm with an inline function that the framework bundles. */
export const ROUTE = `
  import { parallelMap } from 'furcate';
  import { taskGraph } from 'furcate/flows';
  import { pool, run } from 'parallel-tasks';
  const computed = async () => {
    const [bundled] = await parallelMap([20], (x) => x + 1, { pool });
    return { flows: typeof taskGraph, bundled, ...(await run(pool)) };
  };
  export const answer = () => computed().catch((error) => ({ error: error.stack }));
`;

/** The program of a page, `page.js` beside that of fixtures/bundled-app: the same, in a pool whose worker file is a bundler's. */
export const PAGE = `
  import { ForkJoinPool } from 'furcate';
  import { run } from './run.js';
  const createWorker = () => new Worker(new URL('./pool-worker.js', import.meta.url), { type: 'module' });
  const tell = (kind, text) => fetch('/told', { method: 'POST', body: JSON.stringify({ kind, text }) });
  export const start = () =>
    void run(new ForkJoinPool({ parallelism: 2, createWorker })).then(
      (results) => tell('log', JSON.stringify({ crossOriginIsolated, ...results })),
      (error) => tell('error', String(error)),
    );
`;

/** The same where the server gives the files of workers without the headers of the page: Vite puts the worker's file into the page's. */
export const INLINE_PAGE = PAGE.replace(
  /const createWorker = .*/,
  "import PoolWorker from './pool-worker.js?worker&inline'; const createWorker = () => new PoolWorker();",
);

/** What it tells. */
export const PAGE_TOLD: readonly Told[] = [
  { kind: 'log', text: JSON.stringify({ crossOriginIsolated: true, ...BUNDLED_RESULTS }) },
];

/** Calls `use` with a folder outside of this project, where nothing is found by chance. */
export async function elsewhere<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'furcate-deployed-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program to its end; returns what it prints. */
export async function printed(cwd: string, program: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd, env, timeout: LONG_TEST_HANG_MS });
  return stdout + stderr;
}

/** A server while it runs. */
export interface Served {
  /** The JSON that it answers to a path. */
  ask(path: string): Promise<unknown>;
  /** What its page tells. */
  show(): Promise<readonly Told[] | undefined>;
}

/** Starts a server, and ends it when `use` is done. */
export async function serving(
  cwd: string,
  server: string,
  use: (served: Served) => Promise<void>,
  node = process.execPath,
): Promise<void> {
  const port = await freePort();
  const child = spawn(node, [server], {
    cwd,
    env: { ...env, PORT: String(port), HOST: 'localhost', HOSTNAME: 'localhost' },
    stdio: 'pipe',
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const hasEnded = endWithUs(() => child.kill('SIGKILL'));
  try {
    await listening(child);
    await use({
      ask: async (path) => (await fetch(`http://localhost:${port}${path}`)).json(),
      show: async () => (await visit([siteAt('deployed', port)])).get('deployed'),
    });
  } finally {
    child.kill('SIGKILL');
    await closed;
    hasEnded();
  }
}

/** Resolves when a server says that it listens. */
function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.on('exit', () => reject(new Error(`the server has ended\n${output}`)));
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (/Listening on|Ready in|Server listening on/.test(output)) resolve();
      });
  });
}
