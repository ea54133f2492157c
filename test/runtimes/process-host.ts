/** Node, Bun and Deno: each test file runs in a process of its own, and each program is one, which must end by itself. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host, Running } from './host-run.js';
import type { HostEvent, Order } from './in-host/events.js';
import { installed } from './install.js';
import { endWithUs } from './living.js';
import { CACHE } from './project.js';

/** How often the file of events is looked at (ms). */
const POLL_MS = 50;

/** What is shown of a host's output when it crashes. */
const SHOWN_OUTPUT = 2_000;

/** What each runtime needs before the name of the program. Deno gets the rights that docs/runtimes.md names, and the one to write events. */
const ARGUMENTS: Readonly<Record<string, (events: string) => readonly string[]>> = {
  bun: () => ['run'],
  deno: (events) => [
    'run',
    '--no-prompt',
    '--node-modules-dir=manual',
    '--allow-read',
    '--allow-env',
    '--allow-sys',
    `--allow-write=${events}`,
  ],
};

/** The command line that runs a program on this host. */
export const commandOf = (name: string, events = ''): readonly [string, ...string[]] => [
  installed(name),
  ...(ARGUMENTS[name]?.(events) ?? []),
];

let runs = 0;

export function processHost(name: string, project: string): Host {
  installed(name);
  return {
    name,
    runsOneFile: false,
    start: (order, listen) => start(name, project, order, listen),
    close: async () => {},
  };
}

function start(name: string, project: string, order: Order, listen: (event: HostEvent) => void): Running {
  const events = join(project, `events-${++runs}.jsonl`);
  writeFileSync(events, '');
  const [program, ...args] = commandOf(name, events);
  const isProgram = order.file.endsWith('.mjs');
  const what = isProgram ? [order.file] : ['harness/process-main.js', JSON.stringify(order), events];
  const child = spawn(program, [...args, ...what], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...order.variables,
      NODE_OPTIONS: '',
      NO_COLOR: '1',
      DENO_DIR: join(CACHE, 'deno-cache'),
      DENO_NO_UPDATE_CHECK: '1',
    },
  });
  const hasEnded = endWithUs(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-SHOWN_OUTPUT);
    });
  }
  if (isProgram) child.stdout.on('data', (text: string) => listen({ type: 'output', text }));
  const reader = new EventReader(events, listen);
  const timer = setInterval(() => reader.read(), POLL_MS);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`it does not start: ${error.message}`));
    child.on('close', (code, signal) => {
      clearInterval(timer);
      hasEnded();
      reader.read();
      reader.close();
      if (isProgram && code === 0) listen({ type: 'done' });
      resolve(`it ended with ${signal ?? `exit code ${code}`}\n${output.trim()}`);
    });
  });
  return {
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(events, { force: true });
    },
  };
}

/** Reads what is appended to a file of events. */
class EventReader {
  readonly #descriptor: number;
  readonly #listen: (event: HostEvent) => void;
  readonly #bytes = Buffer.alloc(65_536);
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string, listen: (event: HostEvent) => void) {
    this.#descriptor = openSync(path, 'r');
    this.#listen = listen;
  }

  read(): void {
    for (;;) {
      const count = readSync(this.#descriptor, this.#bytes);
      if (count === 0) return;
      const all = Buffer.concat([this.#rest, this.#bytes.subarray(0, count)]);
      const end = all.lastIndexOf(10) + 1;
      this.#rest = all.subarray(end);
      for (const line of all.subarray(0, end).toString().split('\n'))
        if (line !== '') this.#listen(JSON.parse(line) as HostEvent);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
