/**
 * Runs a task with `split` and `combine` piece by piece, so that its host can give away what it has not begun: what other hosts take are the pieces
 * that are left, and nothing that was computed is lost.
 *
 *     the job  [ done: one result for each largest node ][ two pieces in flight ][ left: a stack of nodes, the next one on top ]
 *
 * Pieces are nodes of the task's own tree, from left to right. Each takes about `PIECE_MS`: where the last piece was faster, the next one is a
 * larger node, and where it was slower, a smaller one. So a part of the range that is dear is cut as finely as it has to be. Two pieces are in
 * flight, so that the pool is never without work; results are combined here as soon as those of a node are there.
 */
import type { ForkJoinTask } from 'furcate';
import type { PartName } from '../link/arrived.js';
import { combined, nodeDigest, partsOf } from '../split.js';

/** Time that a piece should take (milliseconds): running one costs 0.1 to 0.3, and a host that shares waits for two. */
const PIECE_MS = 50;
/** The size of the first piece, as a part of the job: nothing is known of the pace by then. */
const FIRST_SHARE = 1 / 64;
const MOST_IN_FLIGHT = 2;
/** Least work that is given away (milliseconds): of less, others could not have the result sooner. */
const LEAST_GIVEN_MS = 2 * PIECE_MS;
/** A piece that can be split and lasts this long was misjudged: it is given up when others are idle (milliseconds). */
const LASTING_MS = 4 * PIECE_MS;
/**
 * Factor by which a piece may last longer for each time that the task has been shared before. What a piece has computed is lost when it stops because it
 * is given up. A task that is a list (an element, and the rest) is misjudged again and again, since the rest counts as a half; in all, less than twice its time is lost.
 */
const PATIENCE = 4;
const MOST_SHARES = 10;

/** A node of the task's tree. */
interface PieceNode {
  /** From the job. */
  readonly path: string;
  readonly task: ForkJoinTask<unknown>;
  /** Tells clients that they have cut the same node. It is taken before the task runs, which may change its fields. */
  readonly digest: string;
  /** Its part of the job, if parts of a node were equal. */
  readonly share: number;
  readonly parent: PieceNode | undefined;
  readonly place: number;
  parts: PieceNode[] | undefined;
  isDone: boolean;
  value: unknown;
}

interface Flight {
  readonly startedMs: number;
  readonly controller: AbortController;
}

/** End of a job: it is done, or its host has done some parts of it, and leaves the others to all hosts. */
export type PieceworkEnd =
  | { readonly isShared: false; readonly value: unknown }
  | { readonly isShared: true; readonly done: readonly DonePart[]; readonly left: readonly PartName[] };

/** A part that is done, with its result. */
export interface DonePart {
  readonly name: PartName;
  readonly value: unknown;
}

/**
 * Runs one piece.
 *
 * @param onLate takes its value if it runs to its end although the signal is aborted, since it neither forks nor calls `checkpoint()`
 * @throws when the signal is aborted
 */
export type RunPiece = (
  task: ForkJoinTask<unknown>,
  signal: AbortSignal,
  onLate: (value: unknown) => void,
) => Promise<unknown>;

export class Piecework {
  readonly #run: RunPiece;
  readonly #signal: AbortSignal;
  readonly #lastingMs: number;
  readonly #root: PieceNode;
  /** Nodes that have not begun; the next one is the last. */
  readonly #stack: PieceNode[];
  readonly #inFlight = new Map<PieceNode, Flight>();
  /** Time that the whole job would take at the pace of the last piece. */
  #paceMs: number | undefined;
  #lastEndMs = 0;
  /** Parts that others want; 0 until the host is asked to share. */
  #wanted = 0;
  #failure: { readonly error: unknown } | undefined;
  #end: { resolve(end: PieceworkEnd): void; reject(error: unknown): void } | undefined;

  /** @param options `shares`: how often tasks have been shared that this one was a part of */
  constructor(
    task: ForkJoinTask<unknown>,
    run: RunPiece,
    { signal, shares = 0 }: { readonly signal: AbortSignal; readonly shares?: number },
  ) {
    this.#run = run;
    this.#signal = signal;
    this.#lastingMs = LASTING_MS * PATIENCE ** Math.min(Math.max(shares, 0), MOST_SHARES);
    this.#root = nodeOf(task, undefined, { place: 0, count: 1 });
    this.#stack = [this.#root];
  }

  /** @throws what a piece throws */
  run(): Promise<PieceworkEnd> {
    return new Promise((resolve, reject) => {
      this.#end = { resolve, reject };
      this.#signal.addEventListener('abort', () => this.#abortFlights(), { once: true });
      this.#begin();
    });
  }

  /** Gives away what has not begun, in `wanted` parts or more, once the pieces in flight are done. Does nothing where that is too little. */
  share(wanted: number): void {
    if (this.#end === undefined) return;
    const nowMs = performance.now();
    const lasting = [...this.#inFlight].filter(
      ([node, flight]) => nowMs - this.#runsSince(flight) > this.#lastingMs && canSplit(node),
    );
    if (lasting.length === 0 && this.#leftMs() < LEAST_GIVEN_MS) return;
    this.#wanted = Math.max(wanted, 1);
    for (const [, { controller }] of lasting) controller.abort();
  }

  /** Time that what has not begun would take. */
  #leftMs(): number {
    const share = this.#stack.reduce((sum, node) => sum + node.share, 0);
    return share === 0 ? 0 : share * (this.#paceMs ?? Number.POSITIVE_INFINITY);
  }

  /** Pieces wait for each other in the pool. */
  #runsSince({ startedMs }: Flight): number {
    return Math.max(startedMs, this.#lastEndMs);
  }

  #begin(): void {
    if (this.#inFlight.size === 0 && this.#leftMs() < LEAST_GIVEN_MS) this.#wanted = 0; // too little to be shared
    try {
      while (this.#isGoingOn && this.#inFlight.size < MOST_IN_FLIGHT && this.#stack.length > 0)
        this.#start(this.#next());
    } catch (error) {
      this.#fail(error); // split() has thrown
    }
    if (this.#inFlight.size === 0) this.#finish();
  }

  get #isGoingOn(): boolean {
    return this.#wanted === 0 && this.#failure === undefined && !this.#signal.aborted;
  }

  /** Cuts the next node until it is a piece. */
  #next(): PieceNode {
    for (;;) {
      const node = this.#stack.at(-1) as PieceNode;
      const parts = this.#isPiece(node) ? undefined : split(node);
      this.#stack.pop();
      if (parts === undefined) return node;
      this.#stack.push(...parts.toReversed());
    }
  }

  #isPiece({ share }: PieceNode): boolean {
    return this.#paceMs === undefined ? share <= FIRST_SHARE : share * this.#paceMs <= PIECE_MS;
  }

  #start(node: PieceNode): void {
    const controller = new AbortController();
    const flight = { startedMs: performance.now(), controller };
    this.#inFlight.set(node, flight);
    const end = (value: unknown): void => {
      this.#learn(node, flight);
      complete(node, value);
    };
    let late: { readonly value: unknown } | undefined;
    this.#run(node.task, controller.signal, (value) => {
      late = { value };
    })
      .then(end, (error: unknown) => {
        if (!controller.signal.aborted || this.#signal.aborted) this.#fail(error);
        else if (late !== undefined) end(late.value);
        else this.#giveUp(node, flight);
      })
      .catch((error: unknown) => this.#fail(error)) // combine() has thrown
      .finally(() => {
        this.#inFlight.delete(node);
        this.#begin();
      });
  }

  #learn(node: PieceNode, flight: Flight): void {
    const nowMs = performance.now();
    this.#paceMs = (nowMs - this.#runsSince(flight)) / node.share;
    this.#lastEndMs = nowMs;
  }

  /** Makes a piece one that has not begun, and is known to be slow. */
  #giveUp(node: PieceNode, flight: Flight): void {
    const atLeastMs = (performance.now() - this.#runsSince(flight)) / node.share;
    this.#paceMs = Math.max(this.#paceMs ?? 0, atLeastMs);
    this.#stack.push(node);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#abortFlights();
  }

  #abortFlights(): void {
    for (const { controller } of this.#inFlight.values()) controller.abort();
  }

  #finish(): void {
    const end = this.#end;
    this.#end = undefined;
    if (end === undefined) return;
    if (this.#failure !== undefined) end.reject(this.#failure.error);
    else if (this.#root.isDone) end.resolve({ isShared: false, value: this.#root.value });
    else if (this.#signal.aborted) end.reject(this.#signal.reason);
    else this.#give(end);
  }

  #give(end: { resolve(end: PieceworkEnd): void; reject(error: unknown): void }): void {
    try {
      const done: DonePart[] = [];
      const left: PieceNode[] = [];
      sort(this.#root, done, left);
      cut(left, { wanted: this.#wanted, leastShare: PIECE_MS / (this.#paceMs ?? Number.POSITIVE_INFINITY) });
      end.resolve({ isShared: true, done, left: left.map(nameOfPart) });
    } catch (error) {
      end.reject(error);
    }
  }
}

function nodeOf(
  task: ForkJoinTask<unknown>,
  parent: PieceNode | undefined,
  { place, count }: { readonly place: number; readonly count: number },
): PieceNode {
  const path = parent === undefined ? '' : `${parent.path}-${place}`;
  const share = (parent?.share ?? 1) / count;
  return {
    path,
    task,
    digest: nodeDigest(task),
    share,
    parent,
    place,
    parts: undefined,
    isDone: false,
    value: undefined,
  };
}

const nameOfPart = ({ path, digest }: PieceNode): PartName => [path, digest];

function split(node: PieceNode): readonly PieceNode[] | undefined {
  const tasks = partsOf(node.task);
  node.parts = tasks?.map((task, place) => nodeOf(task, node, { place, count: tasks.length }));
  return node.parts;
}

/** As `split`; a task whose `split` throws is one that has no parts: it may never have to be split, and fails where it is run. */
function trySplit(node: PieceNode): readonly PieceNode[] | undefined {
  try {
    return split(node);
  } catch {
    return undefined;
  }
}

function canSplit({ task }: PieceNode): boolean {
  try {
    return partsOf(task) !== undefined;
  } catch {
    return false;
  }
}

/** Keeps a result, and combines those of the nodes above that have all of theirs. @throws what `combine` throws */
function complete(node: PieceNode, value: unknown): void {
  node.value = value;
  node.isDone = true;
  const { parent } = node;
  if (parent?.parts?.every(({ isDone }) => isDone) !== true) return;
  const results = parent.parts.map((part) => part.value);
  parent.parts = undefined;
  complete(parent, combined(parent.task, results));
}

/** Sorts the largest nodes that are done from those that are not, from left to right. */
function sort(node: PieceNode, done: DonePart[], left: PieceNode[]): void {
  if (node.isDone) done.push({ name: nameOfPart(node), value: node.value });
  else if (node.parts === undefined) left.push(node);
  else for (const part of node.parts) sort(part, done, left);
}

/** Cuts the largest nodes, until there are as many as wanted or they are small. */
function cut(
  nodes: PieceNode[],
  { wanted, leastShare }: { readonly wanted: number; readonly leastShare: number },
): void {
  const whole = new Set<PieceNode>();
  while (nodes.length < wanted) {
    const candidates = nodes.filter((node) => !whole.has(node) && node.share > leastShare);
    if (candidates.length === 0) return;
    const largest = candidates.reduce((a, b) => (b.share > a.share ? b : a));
    const parts = trySplit(largest);
    if (parts === undefined) whole.add(largest);
    else nodes.splice(nodes.indexOf(largest), 1, ...parts);
  }
}
