/**
 * Finds tasks that keep their thread from all others; runs on the thread that owns the pool.
 *
 * While anything is in flight, the pool calls `look` four times in `stallMs`. A look asks each thread that computes to say when it forks, joins,
 * calls `checkpoint` or looks for work (`REQUEST_LOOK`): the thread then clears a bit in a word that forks and joins read anyway. So private forks cost
 * nothing. A bit that is still set tells that the thread has done none of these since it was asked.
 *
 * Whether a stalled thread computes or blocks follows from the processor time that it has used meanwhile: a blocked thread uses none. Where the platform
 * tells only the time of all threads together, and several of them stall, the time may not tell which of them compute.
 */
import type { Stall, StallHome } from '../../core/engine.js';
import { stallOf } from './sentence.js';

/** The share of a processor below which a thread counts as blocked: where only the time of all threads is known, the engine does some work beside it. */
const BLOCKED_SHARE = 0.05;
/** Share of a processor that the last of several threads must have used for all to count as computing. */
const COMPUTING_SHARE = 0.1;

/** State of a thread that was asked. */
interface AskedThread {
  /** Time of the question, and how much the thread, and all threads but the caller's, had used of processors by then (milliseconds). */
  readonly ms: number;
  readonly cpuMs: number | undefined;
  readonly allCpuMs: number | undefined;
}

/**
 * Factor by which tasks may wait longer for a limit before the process is warned, where nobody listens: the holders of the permits may wait for a
 * slow network.
 */
const PATIENCE = 10;

let hasWarned = false;
/** Limits that were reported: once, by whichever pool sees it first. */
const reportedLimits = new WeakSet<object>();

export class StallWatch {
  readonly #home: StallHome;
  readonly #asked = new Map<number, AskedThread>();
  /** The task that was reported last of each thread. */
  readonly #reported = new Map<number, string>();
  #callerIsReported = false;
  /** Since when no thread computes, and nothing waits for one. */
  #restMs: number | undefined;

  constructor(home: StallHome) {
    this.#home = home;
  }

  look(): void {
    const nowMs = this.#home.nowMs();
    this.#lookAtCaller();
    const slots = this.#home.slots();
    const computing = slots.filter((slot) => this.#home.thread(slot).computes);
    for (const slot of slots) this.#lookAt(slot, nowMs, computing.length);
    this.#lookAtLimits(nowMs, computing.length);
  }

  /** Tasks that wait for permits while those that hold them do not compute. */
  #lookAtLimits(nowMs: number, computing: number): void {
    const home = this.#home;
    const { stallMs, onStall } = home.settings;
    if (computing > 0 || home.queued() > 0) {
      this.#restMs = undefined;
      return;
    }
    this.#restMs ??= nowMs;
    const leastMs = onStall === undefined ? PATIENCE * stallMs : stallMs;
    for (const { key, name, waiting, waitedMs, ungivenMs } of home.limits()) {
      if (Math.min(nowMs - this.#restMs, waitedMs, ungivenMs) < leastMs || reportedLimits.has(key)) continue;
      reportedLimits.add(key);
      this.#tell(0, { task: name, module: undefined, invocation: name }, waitedMs, waiting, 'limit');
    }
  }

  /** A look that comes late: the event loop of the caller was busy. It matters if results have waited for it. */
  #lookAtCaller(): void {
    const { stallMs } = this.#home.settings;
    const lateMs = this.#home.lateMs();
    const waiting = lateMs > stallMs ? this.#home.ended() : 0;
    if (waiting === 0 || this.#callerIsReported) return;
    this.#callerIsReported = true;
    this.#tell(0, { task: 'the caller', module: undefined, invocation: '' }, lateMs, waiting, 'caller');
  }

  #lookAt(slot: number, nowMs: number, computing: number): void {
    const home = this.#home;
    const { computes, isAsked, isInSection } = home.thread(slot);
    const asked = this.#asked.get(slot);
    const hasSpare = isInSection && home.blocked() <= home.settings.maxSpares;
    if (!computes || hasSpare) {
      this.#asked.delete(slot);
      return;
    }
    if (!isAsked || asked === undefined) {
      this.#asked.set(slot, { ms: nowMs, cpuMs: home.cpuMs(slot), allCpuMs: home.othersCpuMs() });
      if (!isAsked) home.ask(slot);
      return;
    }
    if (nowMs - asked.ms < home.settings.stallMs) return;
    const running = home.running(slot);
    if (this.#reported.get(slot) === running.key) return;
    this.#reported.set(slot, running.key);
    const cause = isInSection ? 'no spare' : this.#causeOf(slot, asked, nowMs, computing);
    this.#tell(slot, running, nowMs - Math.min(running.sinceMs ?? asked.ms, asked.ms), home.queued(), cause);
  }

  /**
   * Cause of the stall of a thread that was asked at some time: it computes, as one of so many, or blocks; unknown if
   * that cannot be told.
   */
  #causeOf(slot: number, asked: AskedThread, nowMs: number, computing: number): Stall['cause'] {
    const shareOf = (cpuMs = Number.NaN, askedMs = Number.NaN): number => (cpuMs - askedMs) / (nowMs - asked.ms);
    const own = shareOf(this.#home.cpuMs(slot), asked.cpuMs);
    if (!Number.isNaN(own)) return own < BLOCKED_SHARE ? 'blocks' : 'computes';
    const share = shareOf(this.#home.othersCpuMs(), asked.allCpuMs);
    if (Number.isNaN(share)) return 'unknown';
    if (share < BLOCKED_SHARE) return 'blocks';
    return share > computing - 1 + COMPUTING_SHARE || computing === 1 ? 'computes' : 'unknown';
  }

  #tell(
    slot: number,
    running: Pick<Stall, 'task' | 'module' | 'invocation'>,
    ms: number,
    waiting: number,
    cause: Stall['cause'],
  ): void {
    const { settings } = this.#home;
    const worker = slot > settings.parallelism ? slot - 1 : slot; // the roots have a slot between workers and spares
    const { task, module, invocation } = running;
    const known = { pool: settings.name, worker, task, module, invocation, ms, waiting, cause };
    const stall = stallOf(known, settings, () => (slot === 0 ? Promise.resolve(undefined) : this.#home.stack(slot)));
    if (settings.onStall !== undefined) {
      try {
        settings.onStall(stall);
      } catch (error) {
        void Promise.reject(error); // as of other functions of the pool: nobody handles it, and the watch goes on
      }
    } else if (waiting > 0 && !hasWarned) {
      hasWarned = true;
      this.#home.warn(stall.message);
    }
  }
}
