/**
 * One call of a cluster: it submits jobs, and gives each its result. The first result of a job counts.
 *
 * A job is safe once the server has it: it is in one of the two streams until the call ends. `recover` makes sure of that after an outage, in
 * which the server may have lost what it had: what is in neither stream is submitted again.
 */
import { unpackOutcome } from '../library.js';
import { headerOf, partsIn, type ShareOrder } from '../link/arrived.js';
import { allArrived } from '../link/barrier.js';
import { isHollow, subjectsOf } from '../link/inventory.js';
import type { ResultForm } from '../link/job-kind.js';
import { bytesOfLoad, dropLoad, loadOf } from '../link/large.js';
import { type Link, UNKNOWN } from '../link/link.js';
import { type CallName, digestOf, HEADER, type JobTarget, nameIn, otherKey, placeIn } from '../link/names.js';
import { isMissingConsumer } from '../link/streams.js';
import { noteJob } from '../timeline.js';
import { within } from '../within.js';
import { PublishWindow } from './publish-window.js';
import type { Quota } from './quota.js';
import type { ResultFeed, ResultMessage } from './result-feed.js';
import { StuckJobs } from './stuck-jobs.js';
import { SharedParts, type Work } from './work.js';

/** Parts of a job that is shared, for each host that will have some. */
const PARTS_A_HOST = 4;
/** Time that a job waits for the host that was named for it, when others are idle (milliseconds). */
const PREFERRED_MS = 500;
/** Jobs whose numbers in the stream are asked for at the same time. */
const MOST_ASKED = 64;
/** Time that a cancelled call waits for the server to take back its jobs (milliseconds). */
const PURGE_MS = 1000;
/** Results that are kept before their jobs are submitted. More are read again, when the call recovers. */
const MOST_EARLY = 65_536;

interface Job {
  readonly work: Work;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  isPublishing: boolean;
  /** True if it has a place in the quota of the client. */
  isCounted: boolean;
  /** The host that should have it, or all. */
  place: JobTarget;
  /** Time of submission (milliseconds), and its number in the stream: those of a place are taken in their order. */
  readonly startedMs: number;
  seq: number;
  /** Number of times that its host was asked to share it. */
  asked: number;
}

/** Limits on the jobs of a call. */
interface CallLimits {
  readonly quota: Quota;
  readonly jobTimeoutMs: number | undefined;
}

export class ClusterCall {
  /** Says whether it has been cancelled. */
  aborted = false;
  readonly #link: Link;
  readonly #feed: ResultFeed;
  readonly name: CallName;
  readonly #version: string;
  readonly #quota: Quota;
  readonly #jobTimeoutMs: number | undefined;
  readonly #jobs = new Map<string, Job>();
  /** Results that were there before their jobs were submitted: those of a client that died. */
  readonly #early = new Map<string, ResultMessage>();
  /** Jobs that were queued before they were submitted, as above, with the places where they wait. */
  readonly #queued = new Map<string, JobTarget>();
  /** Begins each key: a job that another version has left must not stand for one of this version. */
  readonly #keyStart: string;
  readonly #stopListening: () => void;
  readonly #window = new PublishWindow();
  /** True if a job may be on its way although nobody waits for it any more. */
  #isUnanswered = false;
  readonly #stuck: StuckJobs;
  #error: unknown;

  constructor(
    link: Link,
    feed: ResultFeed,
    { version, quota, jobTimeoutMs, ...name }: CallName & CallLimits & { readonly version: string },
  ) {
    this.#link = link;
    this.#stuck = new StuckJobs(link);
    this.#quota = quota;
    this.#jobTimeoutMs = jobTimeoutMs;
    this.#feed = feed;
    this.name = name;
    this.#version = version;
    this.#keyStart = version === '' ? '' : `${digestOf(version)}-`;
    this.#stopListening = feed.listen(name.call, (key, message) => this.#take(key, message));
  }

  /** To be called before the first job of a run with a name: a client that died may have left jobs and results. */
  async resume(): Promise<void> {
    for (const [key, place] of await this.#waitingPlaces()) this.#queued.set(key, place);
    await this.#feed.upToDate(); // a job that was not there any more had a result by then
  }

  /**
   * Submits a job, unless it is queued or its result is there.
   *
   * @returns its result, or `SharedParts`; never settles when the call is cancelled meanwhile
   * @throws what it threw; where the call was cancelled before, why
   */
  submit(keyInCall: string, work: Work, place?: JobTarget): Promise<unknown> {
    const key = this.#keyStart + keyInCall;
    return new Promise((resolve, reject) => {
      if (this.aborted) {
        reject(this.#error);
        return;
      }
      const job: Job = {
        work,
        resolve,
        reject,
        isPublishing: false,
        isCounted: false,
        asked: 0,
        place,
        startedMs: performance.now(),
        seq: 0,
      };
      this.#begin(key, job);
    });
  }

  #begin(key: string, job: Job): void {
    this.#jobs.set(key, job);
    const early = this.#early.get(key);
    if (early !== undefined) this.#take(key, early);
    else if (this.#queued.has(key)) job.place = this.#queued.get(key);
    else void this.#publish(key, job);
  }

  /** Submits a job by another name: the server says that it has what it has not, and takes nothing by this one. */
  #beginByOtherName(key: string, job: Job): void {
    if (this.#jobs.delete(key)) this.#begin(otherKey(key), job);
  }

  /**
   * Takes back from hosts all that is not done. Resolves when the server has done its part. Hosts hear of it when nothing waits any more: those that
   * abort a job would begin the next one.
   *
   * What was submitted settles no more: the call as a whole does, and its caller would hear of that after thousands of rejections.
   */
  async cancel(error: unknown): Promise<void> {
    if (this.aborted) return;
    this.aborted = true;
    this.#error = error;
    const { connection, names } = this.#link;
    const { run, call } = this.name;
    for (const job of this.#jobs.values()) this.#leaveQuota(job);
    this.#jobs.clear();
    this.#window.release();
    const purged = this.#purgeJobs();
    await within(PURGE_MS, purged);
    if (!connection.isClosed()) connection.publish(names.cancel(run, call));
  }

  /** Takes back the jobs that no host has taken, those on their way to the server included. */
  async #purgeJobs(): Promise<void> {
    await this.#window.settled();
    const { manager, names } = this.#link;
    await manager.streams.purge(names.jobs, { filter: names.jobsOf(this.name) });
  }

  /** True if a job may be one that hosts can share. */
  get isShareable(): boolean {
    return [...this.#jobs.values()].some(({ work }) => work.kind === 'tree');
  }

  /**
   * Asks hosts to share what they run, when others have nothing to do: the largest jobs first, and those that were asked least often.
   *
   * @param idle hosts that wait for work
   */
  share(idle: number): void {
    const keys = [...this.#jobs]
      .filter(([, { work, isPublishing }]) => work.kind === 'tree' && !isPublishing)
      .sort(([, left], [, right]) => left.asked - right.asked || depthOf(left) - depthOf(right))
      .slice(0, idle)
      .map(([key]) => key);
    if (keys.length === 0) return;
    for (const key of keys) (this.#jobs.get(key) as Job).asked++;
    const order: ShareOrder = { keys, wanted: PARTS_A_HOST * (1 + Math.ceil(idle / keys.length)) };
    this.#link.connection.publish(this.#link.names.share(this.name.run, this.name.call), JSON.stringify(order));
  }

  /** True if a job waits, or is run, at a host that was named for it. */
  get isPlaced(): boolean {
    return [...this.#jobs.values()].some(({ place }) => place !== undefined);
  }

  /** True if a job has waited for a while for a host that was named for it. */
  get hasWaited(): boolean {
    return this.#waiting().length > 0;
  }

  #waiting(): [string, Job][] {
    const nowMs = performance.now();
    return [...this.#jobs].filter(
      ([, { place, isPublishing, startedMs }]) =>
        place !== undefined && !isPublishing && nowMs - startedMs >= PREFERRED_MS,
    );
  }

  /**
   * Lets all hosts have jobs that have waited for a while for a host which is busy with others, and those of a host that is not there.
   *
   * @param idle hosts that wait for work; as many jobs of busy hosts are moved, those that the host would take last
   * @param alive the hosts that are there
   */
  async spread(idle: number, alive: ReadonlySet<string>): Promise<void> {
    const nowMs = performance.now();
    const waiting = this.#waiting();
    const movable: [string, Job][] = [];
    const lost: [string, Job][] = [];
    for (const host of new Set(waiting.map(([, { place }]) => place as string))) {
      const own = waiting.filter(([, { place }]) => place === host);
      const taken = await this.#taken(host);
      const isLate = nowMs - Math.max(...own.map(([, { startedMs }]) => startedMs)) >= this.#link.leaseMs;
      if (alive.has(host)) {
        if (idle > 0) movable.push(...(await this.#withNumbers(own)).filter(([, { seq }]) => seq > taken));
      } else if (taken === 0 || isLate) lost.push(...own);
      else lost.push(...own.filter(([, { seq, startedMs }]) => seq > taken || nowMs - startedMs >= this.#link.leaseMs));
    }
    await Promise.all([...lost, ...movable.slice(-idle)].map(([key, job]) => this.#move(key, job)));
  }

  /** The number, in the stream, of the last job of its own that a host has taken. */
  async #taken(host: string): Promise<number> {
    try {
      return (await this.#link.consumer(host)).delivered.stream_seq;
    } catch (error) {
      return isMissingConsumer(error) ? 0 : Number.POSITIVE_INFINITY; // the server is away
    }
  }

  /** Asks for the numbers of jobs that were in the stream before they were submitted: those that a client which died has left. */
  async #withNumbers(jobs: [string, Job][]): Promise<[string, Job][]> {
    const { manager, names } = this.#link;
    const unknown = jobs.filter(([, { seq }]) => seq === UNKNOWN);
    await Promise.all(
      unknown.slice(-MOST_ASKED).map(async ([key, job]) => {
        const last_by_subj = names.job({ ...this.name, key }, job.place);
        const found = await manager.streams.getMessage(names.jobs, { last_by_subj }).catch(() => null);
        job.seq = found?.seq ?? UNKNOWN;
      }),
    );
    return jobs;
  }

  /** If its host takes it meanwhile it is run twice, and the first result counts. */
  async #move(key: string, job: Job): Promise<void> {
    const { manager, names } = this.#link;
    const filter = names.job({ ...this.name, key }, job.place);
    job.place = undefined;
    await manager.streams.purge(names.jobs, { filter }).catch(() => {}); // then two hosts run it
    if (this.#jobs.get(key) === job) await this.#publish(key, job);
  }

  /**
   * Submits again what the server has lost in an outage, and takes results that the feed has not shown. A job leaves its stream after its result has
   * entered the other, so what is in neither was lost.
   */
  async recover(): Promise<void> {
    const missing = [...this.#jobs].filter(([, job]) => !job.isPublishing);
    if (missing.length === 0) return;
    const queued = await this.#waitingPlaces();
    const { names } = this.#link;
    const results = await subjectsOf(this.#link, names.results, names.wholeResultsOf(this.name));
    const done = new Set(results.map((subject) => nameIn(subject).key));
    const waiting = missing.filter(([key, job]) => queued.has(key) && !done.has(key) && this.#jobs.get(key) === job);
    for (const [key, job] of waiting) job.place = queued.get(key); // the server may have brought back where it was before
    const subjectOf = (key: string): string => names.job({ ...this.name, key }, queued.get(key));
    const stuck = await this.#stuck.drop(waiting.map(([key]) => subjectOf(key)));
    for (const [key, job] of missing) {
      if (this.#jobs.get(key) !== job || job.isPublishing) continue;
      const what = stuck.get(subjectOf(key));
      const isDone = done.has(key);
      if (isDone || what !== undefined) await this.#fetch(key); // a stuck one may have got its result meanwhile
      if (this.#jobs.get(key) !== job) continue;
      const result = names.result({ ...this.name, key });
      if (what === 'hollow' || (isDone && (await isHollow(this.#link, names.results, result))))
        this.#beginByOtherName(key, job);
      else if (!isDone && (!queued.has(key) || what === 'dropped')) void this.#publish(key, job);
    }
  }

  /** Takes a result that is in the stream. */
  async #fetch(key: string): Promise<void> {
    const { manager, names } = this.#link;
    const last_by_subj = names.result({ ...this.name, key });
    const found = await this.#link.patiently(() => manager.streams.getMessage(names.results, { last_by_subj }));
    if (found !== null) this.#take(key, { data: found.data, headers: found.header });
  }

  /** The jobs in the stream, by their keys: where each waits, or is run. Of several places, that of all hosts. */
  async #waitingPlaces(): Promise<ReadonlyMap<string, JobTarget>> {
    const { names } = this.#link;
    const subjects = await subjectsOf(this.#link, names.jobs, names.jobsOf(this.name));
    const found = new Map<string, JobTarget>();
    for (const subject of subjects) {
      const { key } = nameIn(subject);
      const isAnywhere = found.has(key) && found.get(key) === undefined;
      if (!isAnywhere) found.set(key, placeIn(subject));
    }
    return found;
  }

  /**
   * To be called when nothing more is submitted or awaited. What is left of it is of no use any more. Resolves when none of its jobs is on its way to the
   * server: then they can be deleted, those included whose host has not acknowledged them yet.
   */
  async end(): Promise<void> {
    this.#stopListening();
    await this.#window.settled();
    const any = this.#link.names.job({ ...this.name, key: 'any' }, undefined);
    if (this.#isUnanswered) await allArrived(this.#link, any).catch(() => {}); // the link is closed
  }

  /** The server need not have the job any more. */
  #forget(key: string, job: Job): void {
    if (this.#jobs.get(key) === job) this.#jobs.delete(key);
    this.#leaveQuota(job);
  }

  #leaveQuota(job: Job): void {
    if (job.isCounted) this.#quota.leave();
    job.isCounted = false;
  }

  async #publish(key: string, job: Job): Promise<void> {
    job.isPublishing = true;
    if (!job.isCounted) {
      await this.#quota.enter();
      job.isCounted = true;
      if (this.#jobs.get(key) !== job) {
        this.#forget(key, job);
        return; // it was cancelled, or another client has submitted it
      }
    }
    if (this.#window.isFull) await this.#window.turn();
    if (this.aborted) return;
    try {
      await this.#window.send(this.#send(key, job));
    } catch (error) {
      this.#forget(key, job);
      job.reject(error);
    } finally {
      job.isPublishing = false;
    }
  }

  async #send(key: string, job: Job): Promise<void> {
    const { kind, what, bytes, shares = 0 } = job.work;
    const name = { ...this.name, key };
    const load = await loadOf(this.#link, name, { bytes, until: this });
    const limit: Record<string, string> =
      this.#jobTimeoutMs === undefined ? {} : { [HEADER.timeout]: `${this.#jobTimeoutMs}` };
    const named = { [HEADER.kind]: kind, [HEADER.what]: what, [HEADER.version]: this.#version };
    const shared: Record<string, string> = shares === 0 ? {} : { [HEADER.shares]: `${shares}` };
    const headers = { ...named, ...limit, ...load.headers, ...shared };
    const subject = this.#link.names.job(name, job.place);
    const seq = await this.#link.publish(subject, load.bytes, { headers, until: this });
    if (seq === undefined) await dropLoad(this.#link, name, load); // it is there already
    job.seq = seq ?? UNKNOWN;
    if (seq === UNKNOWN) this.#isUnanswered = true;
  }

  #take(key: string, message: ResultMessage): void {
    const job = this.#jobs.get(key);
    if (job === undefined) {
      if (!this.aborted && this.#early.size < MOST_EARLY) this.#early.set(key, message);
      return;
    }
    this.#forget(key, job);
    this.#early.delete(key);
    noteJob(job.work.what, job.startedMs, { ...this.name, key });
    this.#outcomeIn(key, message).then(
      ({ failed, value }) => (failed ? job.reject(value) : job.resolve(value)),
      job.reject,
    );
  }

  async #outcomeIn(key: string, message: ResultMessage): Promise<ReturnType<typeof unpackOutcome>> {
    const stored = { chunks: headerOf(message, HEADER.chunks), bytes: message.data };
    const bytes = await bytesOfLoad(this.#link, { ...this.name, key }, stored);
    const form = headerOf(message, HEADER.form) as ResultForm;
    if (form !== 'parts') return unpackOutcome(bytes);
    return { failed: false, value: new SharedParts(partsIn(bytes), key.slice(this.#keyStart.length)) };
  }
}

const depthOf = ({ work }: Job): number => work.depth ?? 0;
