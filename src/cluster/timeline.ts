/**
 * Jobs on recorded timelines, and the clocks of their processes: each process of a cluster records its own file, and `furcate view` puts them on one timeline. On clients and hosts.
 *
 * All processes know the clock of the server that has the stream of jobs: its answers say what time it is there. Of several round trips the shortest counts, and the clock is at most half of
 * it off.
 */
import { notesOf } from './library.js';
import type { Link } from './link/link.js';
import type { JobName } from './link/names.js';

/** Time between two comparisons of the clocks (milliseconds). */
const EVERY_MS = 10_000;
/** Round trips of a comparison. */
const TRIPS = 8;
const TIMEOUT_MS = 1000;

/** By the clock of this process (microseconds since 1970). */
const nowUs = (): number => (performance.timeOrigin + performance.now()) * 1000;

/** A time as JetStream writes it, in microseconds since 1970; undefined for what is none. */
export function microsecondsOf(time: unknown): number | undefined {
  const [, seconds, fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z$/.exec(String(time)) ?? [];
  return seconds === undefined ? undefined : Date.parse(`${seconds}Z`) * 1000 + Number(`0.${fraction}0`) * 1e6;
}

/** Undefined where the server does not tell its time, as before version 2.10, or does not answer. */
async function offsetOf(link: Link): Promise<{ readonly offsetUs: number; readonly errorUs: number } | undefined> {
  let best: { readonly offsetUs: number; readonly errorUs: number } | undefined;
  try {
    for (let trip = 0; trip < TRIPS; trip++) {
      const sentUs = nowUs();
      const { data } = await link.connection.request(link.streamInfoSubject, '', { timeout: TIMEOUT_MS });
      const errorUs = (nowUs() - sentUs) / 2;
      const serverUs = microsecondsOf((JSON.parse(new TextDecoder().decode(data)) as { readonly ts?: unknown }).ts);
      if (serverUs === undefined) return undefined;
      if (errorUs < (best?.errorUs ?? Number.POSITIVE_INFINITY))
        best = { offsetUs: serverUs - sentUs - errorUs, errorUs };
    }
  } catch {
    // The server is away, or does not permit it.
  }
  return best;
}

/** Compares clocks now and then, while a timeline is recorded, until the connection is closed. @param name of the process */
export function keepClock(link: Link, name: string): void {
  const compare = async (): Promise<void> => {
    const notes = notesOf();
    if (notes === undefined) return;
    notes.process(`${name} (${process.pid})`);
    const offset = await offsetOf(link);
    if (offset !== undefined) notes.clock(offset);
  };
  void compare();
  const timer = setInterval(() => void compare(), EVERY_MS);
  timer.unref();
  void link.connection.closed().then(() => clearInterval(timer));
}

/** A job has ended here: at its client, or at a host. @param startedMs when it began, by `performance.now()` */
export function noteJob(what: string, startedMs: number, { run, call, key }: JobName): void {
  const notes = notesOf();
  notes?.job(what, notes.nowUs() - (performance.now() - startedMs) * 1000, `${run}.${call}.${key}`);
}
