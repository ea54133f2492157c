/** Runs the programs of this folder on a runtime, as a process or in a page; all of them are installed as the tests of test/runtimes do it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, open } from '../../test/runtimes/browsers.js';
import { RUNNING_NODE } from '../../test/runtimes/install.js';
import { PageServer } from '../../test/runtimes/page-server.js';
import { commandOf } from '../../test/runtimes/process-host.js';
import { CACHE, type Project } from '../../test/runtimes/project.js';
import type { Effort } from '../harness/compare.js';

export const WORKS = ['round trip', 'reduce', 'fib'] as const;
export type Work = (typeof WORKS)[number];
/** Milliseconds by candidate, one for each round. */
export type Samples = Readonly<Record<Work, Readonly<Record<string, readonly number[]>>>>;

/** Where the project has the programs: the server of pages puts URLs in the places of packages' names below `test/`. */
export const PROGRAMS = 'test/benchmarks';

/** What all others are compared with. */
export const REFERENCE = RUNNING_NODE;
const PROCESSES = [...new Set([REFERENCE, 'node-20', 'node-22', 'node-24', 'node-26', 'bun', 'deno'])];
const BROWSERS: readonly Browser[] = ['chromium', 'firefox'];
export const HOSTS: readonly string[] = [...PROCESSES, ...BROWSERS];

/** No run takes longer (ms). */
const HANG_MS = 300_000;

async function inProcess(host: string, project: Project, effort: Effort): Promise<Samples> {
  const [program, ...args] = commandOf(host, project.folder); // Deno must be allowed to write somewhere
  const command = [...args, join(PROGRAMS, 'process.mjs'), JSON.stringify(effort)];
  const env = { ...process.env, NODE_OPTIONS: '', DENO_DIR: join(CACHE, 'deno-cache'), DENO_NO_UPDATE_CHECK: '1' };
  const { stdout } = await promisify(execFile)(program, command, { cwd: project.folder, env, timeout: HANG_MS });
  return JSON.parse(stdout) as Samples;
}

async function inPage(browser: Browser, { folder, packages }: Project, effort: Effort): Promise<Samples> {
  let hear: (text: string) => void = () => {};
  const heard = new Promise<string>((resolve) => {
    hear = resolve;
  });
  const server = new PageServer({
    folder,
    packages,
    answers: {
      '/': () => `<!doctype html><title>Furcate</title><script type="module" src="/${PROGRAMS}/page.mjs"></script>`,
      '/effort': () => JSON.stringify(effort),
      '/samples': (body) => {
        hear(body);
        return '{}';
      },
    },
  });
  const opened = open(browser, await server.origin, CACHE);
  const timer = setTimeout(() => hear(`{"error":"no answer for ${HANG_MS / 1000} s"}`), HANG_MS);
  try {
    const how = await Promise.race([heard, opened.ended.then((end) => JSON.stringify({ error: end }))]);
    const samples = JSON.parse(how) as Samples & { readonly error?: string };
    if (samples.error !== undefined) throw new Error(`${browser}: ${samples.error}`);
    return samples;
  } finally {
    clearTimeout(timer);
    await opened.close();
    server.close();
  }
}

export const measureOn = (host: string, project: Project, effort: Effort): Promise<Samples> =>
  BROWSERS.includes(host as Browser) ? inPage(host as Browser, project, effort) : inProcess(host, project, effort);
