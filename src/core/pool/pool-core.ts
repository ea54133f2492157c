/** A pool as the library itself uses it: its worker groups, one after the other, and what is in flight; runs on the thread that makes it. */
import { RejectedExecutionError } from '../errors.js';
import { CANCELLED_BY_POOL, MAX_TIMER_MS } from '../memory/record-kinds.js';
import { inThisContext } from '../platform/caller-context.js';
import { environmentVariable, host } from '../platform/host.js';
import { isAsync } from '../task/async-task.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import { taskLabel } from '../task/label.js';
import { hooks, offered, type Told } from '../worker/extension.js';
import { useLocals } from '../worker/local-ends.js';
import { askToObserve, releasing } from '../worker/observe.js';
import { cancellationError } from '../worker/requests.js';
import type { PoolView } from '../worker/worker-slot.js';
import { runOnCaller } from './caller.js';
import { type Crash, crashWarning } from './crash.js';
import { isHeard } from './heard.js';
import { InFlight } from './in-flight.js';
import { Invocations } from './invocation.js';
import type { PoolSettings, SubmitOptions } from './options.js';
import type { OwnerCore } from './owner-core.js';
import type { StallHome } from './stall.js';
import { PoolStats, type Stats } from './stats.js';
import { shareWithWorkers, type WorkerGroup } from './worker-group.js';

export class PoolCore implements OwnerCore {
  readonly settings: PoolSettings;
  /** The pool as tasks see it. */
  readonly #face: PoolView;
  readonly #stats: PoolStats;
  /** The worker group, and its invocations. */
  #current: Invocations | undefined;
  #closed = false;
  #terminated = false;
  /** Work that has not ended, in this worker group and in earlier ones. */
  readonly #inFlight = new InFlight(() => this.#retireLater());
  /** Stops the timer that ends idle workers. */
  #stopRetirement: (() => void) | undefined;
  /** True if the workers were used since that timer began. */
  #usedLately = false;
  /** Worker groups that are ending; closing waits for them. */
  readonly #ending = new Map<WorkerGroup, Promise<void>>();
  /** Starts workers in the context in which the pool was made: they outlive the call that needs them first. */
  readonly #startGroup = inThisContext((group: WorkerGroup) => group.start());
  /** To be called at the end, once this thread has run tasks. */
  #endLocals: ((graceMs?: number) => Promise<void>) | undefined;

  constructor(settings: PoolSettings, face: PoolView) {
    this.settings = settings;
    this.#face = face;
    this.#stats = new PoolStats(settings);
    hooks.notes(settings.trace); // what the caller of an algorithm does itself may come before anything that workers do
    shareWithWorkers(); // before the first group: the first call's context is copied earlier
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Threads that run, for `furcate top`; undefined without workers. */
  get threads(): StallHome | undefined {
    return this.#current?.overview;
  }

  get inFlight(): number {
    return this.#inFlight.count;
  }

  stats(): Stats {
    return this.#stats.read(this.#current, this.inFlight);
  }

  async ready(): Promise<void> {
    this.checkOpen();
    const { group } = this.#start();
    const release = group.retain();
    try {
      await group.ready;
    } finally {
      release();
      if (this.#inFlight.isEmpty) this.#retireLater();
    }
  }

  awaitQuiescence(ms = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.#inFlight.whenEmpty(ms);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.awaitQuiescence();
    await this.#endGroup('stop');
    await this.#endLocals?.(this.settings.graceMs);
  }

  async terminate(): Promise<void> {
    this.#closed = true;
    this.#terminated = true;
    const error = cancellationError(CANCELLED_BY_POOL);
    this.#inFlight.terminate(error);
    const current = this.#current;
    current?.cancelAll(CANCELLED_BY_POOL, error);
    for (const group of this.#ending.keys()) void group.kill();
    await this.#endGroup('kill');
    current?.abandonAll(undefined);
    await this.#endLocals?.();
  }

  /** Hands a checked task to the workers. */
  async submit<T>(task: ForkJoinTask<T>, options: SubmitOptions, dependencies: number, address = 0): Promise<T> {
    if (options.held === undefined || this.#terminated) this.checkOpen();
    if (isAsync(task)) offered('coroutines');
    const invocations = this.#start();
    this.#inFlight.begun();
    try {
      const result = invocations.submit(task, options, dependencies, address);
      if (isHeard()) this.#tell({ task: options.called ?? taskLabel(task).nameOf(task), result });
      return (await result) as T;
    } finally {
      this.#inFlight.ended();
    }
  }

  /** Tells monitoring what happens. */
  #tell(what: Omit<Told, 'of' | 'pool' | 'counts'>): void {
    hooks.told({ of: this, pool: this.settings.name, ...what, counts: () => this.stats() });
  }

  /**
   * Counts a call that submits one task after the other as one that is in flight, until the function that it returns is called. Its tasks
   * say so (`held`): they run in a pool that is being closed, too, and `maxQueue` counts the first of them alone. The workers do not retire
   * meanwhile: between two tasks they may keep results and paused generators of the call.
   *
   * @param terminated called when the pool is terminated; nothing else of the call may be submitted then
   * @throws RejectedExecutionError when the pool is closed, or as many invocations wait as may
   */
  hold(terminated: (error: unknown) => void): () => void {
    this.checkOpen();
    this.#replaceIfLacking();
    if (this.settings.maxQueue !== Number.POSITIVE_INFINITY) this.#live().requireRoom();
    return releasing(this.#inFlight.hold(terminated));
  }

  /**
   * Starts the workers for a call that its caller still prepares: they need longer to come up.
   *
   * @param callerComputes whether the caller is one of the call's threads
   * @throws RejectedExecutionError when the pool is closed; what `createWorker` throws
   */
  startEarly(callerComputes: boolean): void {
    this.checkOpen();
    this.#replaceIfLacking();
    if (this.#current?.group.started === true || this.#needsNoWorker(callerComputes)) return;
    this.#start();
    if (this.#inFlight.isEmpty) this.#retireLater(); // the call may fail before it submits anything
  }

  /** One thread needs no worker if the caller is that thread. */
  #needsNoWorker(callerComputes: boolean): boolean {
    return callerComputes && this.settings.parallelism === 1;
  }

  /** Runs `body` on this thread's slot. */
  computeHere<T>(what: string, body: () => T): T {
    this.checkOpen();
    const { group } = this.#needsNoWorker(true) ? this.#live() : this.#start();
    if (this.#inFlight.isEmpty && group.started) this.#retireLater();
    this.#endLocals ??= useLocals();
    return runOnCaller(group, this.#face, what, body);
  }

  /** @throws RejectedExecutionError when the pool is closed. */
  checkOpen(): void {
    if (!this.#closed) return;
    throw new RejectedExecutionError(`furcate: pool '${this.settings.name}' is closed, and takes no more work.`);
  }

  /** The worker group that the next call runs on. */
  #live(): Invocations {
    this.#replaceIfLacking();
    if (this.#current === undefined || this.#current.group.memory.hasCrashed) {
      const made: Invocations = new Invocations(this.settings, (crash) => this.#crashed(made, crash));
      this.#current = made;
      if (environmentVariable('FURCATE_MONITOR')) hooks.watched(this);
    }
    askToObserve(this.#current.group.memory, this.#current.overview);
    return this.#current;
  }

  /** Ends workers that could not load code, unless they are needed: new ones can. */
  #replaceIfLacking(): void {
    if (this.#current?.group.lacksCode === true && !this.#current.group.isInUse && this.#inFlight.isEmpty)
      void this.#endGroup('stop');
  }

  /** As `#live`, with its workers started. */
  #start(): Invocations {
    const live = this.#live();
    try {
      this.#startGroup(live.group);
    } catch (error) {
      void this.#endGroup('kill');
      throw error;
    }
    return live;
  }

  #crashed(invocations: Invocations, crash: Crash): void {
    this.#stats.add(invocations.group);
    if (this.#current === invocations) this.#current = undefined;
    invocations.abandonAll(crash);
    if (isHeard()) this.#tell({ crash });
    if (!crash.isReported) host().warn(crashWarning(crash, this.settings.name));
  }

  /**
   * The workers have just been used, and end after `keepAliveMs` without a call. Setting a timer anew would take a fifth of a
   * short `invokeSync`, so calls leave a mark only, and a timer that finds the mark starts again.
   */
  #retireLater(): void {
    const { keepAliveMs } = this.settings;
    this.#usedLately = true;
    if (this.#closed || this.#stopRetirement !== undefined || keepAliveMs > MAX_TIMER_MS) return;
    this.#usedLately = false;
    this.#stopRetirement = host().backgroundTimer(keepAliveMs, () => {
      this.#stopRetirement = undefined;
      // Whatever uses the workers calls this again: `ready`, or what is in flight. A call that holds the pool may have left things on them.
      if (this.#current?.group.isInUse || !this.#inFlight.isEmpty) return;
      if (this.#usedLately) this.#retireLater();
      else void this.#endGroup('stop');
    });
  }

  async #endGroup(how: 'stop' | 'kill'): Promise<void> {
    this.#stopRetirement?.();
    this.#stopRetirement = undefined;
    const group = this.#current?.group;
    if (group !== undefined) {
      this.#current = undefined;
      this.#stats.add(group);
      const ended = group[how]().finally(() => this.#ending.delete(group));
      this.#ending.set(group, ended);
    }
    await Promise.all(this.#ending.values());
  }
}
