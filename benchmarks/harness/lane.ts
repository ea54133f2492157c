/**
 * A lane is a separate process that does one candidate's work on request, and is otherwise idle; this side runs on the main thread
 * of a benchmark.
 *
 * V8 specialises code to what has run in an isolate, so candidates that share a process change each other's figures. Candidates in
 * lanes do not, and can still be measured in turn.
 */
import { type ChildProcess, fork } from 'node:child_process';
import type { Sample } from './compare.js';

/** How long a request may take before the run fails, because its lane hangs (ms). */
const REQUEST_LIMIT_MS = 120_000;

/** A piece of work that every lane has, and that does nothing: it is answered when the lane is open. */
export const READY = 'ready';

export interface Request {
  readonly work: string;
  readonly argument: unknown;
}

export type Reply = { readonly sample: Sample } | { readonly failure: string };

export class Lane {
  readonly #child: ChildProcess;
  readonly #name: string;

  /**
   * @param url a module that calls `serveLane`
   * @param argument passed to the function that the module gives to `serveLane`
   * @param execArgv options of Node for the process; default: those of this process
   */
  constructor(name: string, url: URL, argument: unknown, execArgv: readonly string[] = process.execArgv) {
    this.#name = name;
    this.#child = fork(url, [JSON.stringify(argument)], { serialization: 'advanced', execArgv: [...execArgv] });
  }

  /** Lets the lane do a piece of work. The lane measures the time itself. */
  async run(work: string, argument?: unknown): Promise<Sample> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const settle = (error?: Error, sample?: Sample): void => {
        clearTimeout(limit);
        child.off('message', onMessage);
        child.off('exit', onExit);
        if (sample === undefined) reject(error);
        else resolve(sample);
      };
      const onMessage = (reply: Reply): void => {
        if ('sample' in reply) settle(undefined, reply.sample);
        else settle(new Error(`${this.#name}, ${work}: ${reply.failure}`));
      };
      const onExit = (code: number | null, signal: string | null): void =>
        settle(new Error(`${this.#name}, ${work}: the process ended with ${code ?? signal}.`));
      const limit = setTimeout(() => {
        child.kill('SIGKILL');
        settle(new Error(`${this.#name}, ${work}: no answer within ${REQUEST_LIMIT_MS / 1000} s.`));
      }, REQUEST_LIMIT_MS);
      child.on('message', onMessage);
      child.on('exit', onExit);
      child.send({ work, argument } satisfies Request);
    });
  }

  /** Ends the process. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.disconnect();
    });
  }
}

/** Runs `use` once all lanes are open, so that none is measured while others load; then ends them, whatever happens. */
export async function withLanes<T>(lanes: readonly Lane[], use: () => Promise<T>): Promise<T> {
  try {
    await Promise.all(lanes.map((lane) => lane.run(READY)));
    return await use();
  } finally {
    await Promise.all(lanes.map((lane) => lane.end()));
  }
}
