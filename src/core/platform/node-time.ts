/** Clock, timers and turns of the event loop. */

const askForTimers = () => process.getBuiltinModule('node:timers');
/** Asked for once: to ask for a module takes a microsecond. */
let known: ReturnType<typeof askForTimers> | undefined;

/** Node's own: the fake timers of a test, which replace the global ones, do not stop a pool. */
function timers(): ReturnType<typeof askForTimers> {
  known ??= askForTimers();
  return known;
}

/** Not that of the global `process`, which fake timers replace. */
let hrtime: typeof process.hrtime | undefined;

/** Not `performance`, which a fresh worker takes half a millisecond to load. */
export function nowMs(): number {
  hrtime ??= process.getBuiltinModule('node:process').hrtime;
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** As `nowMs`, in Bun and Deno, whose `hrtime` begins with each thread. */
export const nowMsOfAll = (): number => performance.timeOrigin + performance.now();

/** Only Linux tells it without a library of its own. */
export function osThread(): number {
  try {
    return Number(process.getBuiltinModule('node:fs').readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0;
  }
}

/** @param folder that of a thread */
function linuxCpuMs(folder: string): number | undefined {
  try {
    const text = process.getBuiltinModule('node:fs').readFileSync(`/proc/${folder}/schedstat`, 'utf8');
    return Number.parseInt(text, 10) / 1e6 || undefined; // a kernel that does not count says 0
  } catch {
    return undefined;
  }
}

export const cpuMsOf = (thread: number): number | undefined => linuxCpuMs(`self/task/${thread}`);

/**
 * The processor time of this thread (milliseconds). Node 20 does not tell it, and Linux does. Elsewhere the time that the event loop was active comes close, unless other processes keep
 * the processors busy.
 */
function ownCpuMs(): number {
  const own = (process as { threadCpuUsage?(): { user: number; system: number } }).threadCpuUsage?.();
  if (own !== undefined) return (own.user + own.system) / 1000;
  return (
    linuxCpuMs('thread-self') ?? process.getBuiltinModule('node:perf_hooks').performance.eventLoopUtilization().active
  );
}

export function othersCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 - ownCpuMs();
}

export const turn = (): Promise<void> => new Promise((resume) => timers().setImmediate(resume));

/** A timer that keeps the process alive; returns a function that stops it. */
export function timer(ms: number, callback: () => void): () => void {
  const started = timers().setTimeout(callback, ms);
  return () => timers().clearTimeout(started);
}

export function backgroundTimer(ms: number, callback: () => void): () => void {
  const started = timers().setTimeout(callback, ms).unref();
  return () => timers().clearTimeout(started);
}

export function keepAlive(): () => void {
  const timer = timers().setInterval(() => {}, 2 ** 30);
  return () => timers().clearInterval(timer);
}
