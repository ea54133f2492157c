/**
 * Runs a test file on a host to its end. A host that crashes or hangs in a test is started anew for the tests behind it, so that a table
 * tells of all of them.
 */
import type { Impossible } from './capabilities.js';
import type { HostEvent, Order } from './in-host/events.js';
import type { FileOutcome, TestOutcome } from './outcome.js';

/** After so many crashes and hangs of one file, its other tests count as failed: each hang takes the time limit of a test. */
const MAX_STARTS = 5;

/** What a silent host gets beyond the time limit of the test that it runs (ms). */
const GRACE_MS = 10_000;

/** A host that runs the tests of one file. */
export interface Running {
  /** Resolves when the host has ended by itself, to how it ended. */
  readonly ended: Promise<string>;
  /** Ends the host, if it has not ended. */
  kill(): Promise<void>;
}

export interface Host {
  readonly name: string;
  /** Whether it runs one file at a time. */
  readonly runsOneFile: boolean;
  /** Starts on an order. Events are passed on as they come. */
  start(order: Order, listen: (event: HostEvent) => void): Running;
  close(): Promise<void>;
}

/** One file, and what was selected of it. */
export interface FileRun extends Pick<Order, 'file' | 'pattern' | 'timeoutMs' | 'variables' | 'checkout'> {
  /** What of the file the host cannot run. */
  readonly impossible: readonly Impossible[];
  /** Why the host cannot load the file. */
  readonly unloadable: string | undefined;
  /** What a program must print. */
  readonly expected?: string;
}

const reasonFor = (test: string, all: readonly Impossible[]): string | undefined =>
  all.find(({ tests }) => new RegExp(tests ?? '').test(test))?.reason;

export async function runOn(host: Host, { unloadable: reason, impossible, ...run }: FileRun): Promise<FileOutcome> {
  if (reason !== undefined)
    return {
      file: run.file,
      tests: [[`all of ${run.file}`, { state: 'not possible', reason }]],
      strays: [],
      seconds: 0,
    };
  if (run.file.endsWith('.mjs')) return runProgram(host, run, reasonFor(PROGRAM, impossible));
  const startedMs = performance.now();
  const outcomes = new Map<number, TestOutcome>();
  const strays: string[] = [];
  const pattern = new RegExp(run.pattern ?? '');
  let names: readonly string[] = [];
  const listen = (event: HostEvent): void => {
    if (event.type === 'collected') names = event.tests;
    else if (event.type === 'stray') strays.push(event.error);
    else if (event.type === 'end')
      outcomes.set(
        event.test,
        event.state === 'passed' ? { state: 'passed' } : { state: 'failed', errors: event.errors },
      );
  };
  for (let starts = 1; ; starts++) {
    const order = { ...run, impossible: impossible.map(({ tests }) => tests ?? ''), skipped: [...outcomes.keys()] };
    const broken = await attempt(host, order, listen);
    if (broken === undefined) break;
    if (broken.test === undefined) strays.push(broken.how);
    else outcomes.set(broken.test, { state: 'failed', errors: [broken.how] });
    if (broken.test === undefined || starts === MAX_STARTS) break;
  }
  names.forEach((name, i) => {
    const reason = reasonFor(name, impossible);
    if (outcomes.has(i) || !pattern.test(name)) return;
    if (reason !== undefined) outcomes.set(i, { state: 'not possible', reason });
    else outcomes.set(i, { state: 'failed', errors: ['not run: the host broke before'] });
  });
  const tests = [...outcomes].sort(([a], [b]) => a - b).map(([i, outcome]) => [names[i] as string, outcome] as const);
  return { file: run.file, tests, strays, seconds: (performance.now() - startedMs) / 1000 };
}

/** The one test of a program, by name. */
const PROGRAM = 'prints what it says, and ends';

/** Runs a program of a user. */
async function runProgram(
  host: Host,
  { expected = '', ...run }: Omit<FileRun, 'unloadable' | 'impossible'>,
  impossible: string | undefined,
): Promise<FileOutcome> {
  const startedMs = performance.now();
  const outcomeOf = async (): Promise<TestOutcome> => {
    if (impossible !== undefined) return { state: 'not possible', reason: impossible };
    let output = '';
    const errors: string[] = [];
    const broken = await attempt(host, { ...run, impossible: [], skipped: [] }, (event) => {
      if (event.type === 'output') output += event.text;
      if (event.type === 'stray') errors.push(event.error);
    });
    if (broken !== undefined) errors.push(broken.how);
    if (output !== expected) errors.push(`it printed\n${output}instead of\n${expected}`);
    return errors.length === 0 ? { state: 'passed' } : { state: 'failed', errors };
  };
  const tests = [[PROGRAM, await outcomeOf()]] as const;
  return { file: run.file, tests, strays: [], seconds: (performance.now() - startedMs) / 1000 };
}

/** How a host broke, and the test that it ran. */
interface Broken {
  readonly test: number | undefined;
  readonly how: string;
}

/** One start of the host, until it is done, has ended, or has been silent for too long. */
async function attempt(host: Host, order: Order, listen: (event: HostEvent) => void): Promise<Broken | undefined> {
  let test: number | undefined;
  let isDone = false;
  const silence = new Silence();
  silence.limit(order.timeoutMs);
  const running = host.start(order, (event) => {
    if (event.type === 'begin') test = event.test;
    if (event.type === 'end') test = undefined;
    if (event.type === 'done') isDone = true;
    silence.limit(event.type === 'begin' ? event.timeoutMs : order.timeoutMs);
    listen(event);
  });
  const how = await Promise.race([running.ended, silence.tooLong]);
  silence.limit(undefined);
  await running.kill();
  return isDone ? undefined : { test, how };
}

/** Tells when a host has given no sign for too long. */
class Silence {
  #timer: NodeJS.Timeout | undefined;
  #resolve: (how: string) => void = () => {};
  readonly tooLong = new Promise<string>((resolve) => {
    this.#resolve = resolve;
  });

  /** There was a sign, and the next one is due in this time; undefined: none is. */
  limit(limitMs: number | undefined): void {
    clearTimeout(this.#timer);
    if (limitMs === undefined) return;
    const dueMs = limitMs + GRACE_MS;
    this.#timer = setTimeout(() => this.#resolve(`it hangs: no sign for ${dueMs / 1000} s`), dueMs);
  }
}
