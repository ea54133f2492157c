/**
 * Roots that wait get more urgent: a normal root counts as high after `AGED_MS`, and a low root as normal after `LOW_AGED_MS`. Runs on
 * the thread that owns the pool.
 *
 * A timer looks at the deques every `AGED_MS`, while there are roots in them and something else is in flight. An age is that of a
 * place in the deque of normal roots: all that was pushed before the last look is old enough. While a worker is free, or still starts, nobody
 * is asked to give way: that worker takes the root.
 */
import { ThiefDeque } from '../deque/public-deque.js';
import { store } from '../memory/atomics.js';
import { C_AGED, LOW_ROOTS } from '../memory/layout.js';
import { raisePriority } from '../memory/record-kinds.js';
import { isPublic } from '../memory/records.js';
import { host } from '../platform/host.js';
import { AGED_MS, LOW_AGED_MS } from '../tuning.js';
import { wakeForRoot } from '../worker/sleep.js';
import { invocationOf, NO_INVOCATION, type WorkerSlot } from '../worker/worker-slot.js';

const areAllBusy = ({ memory }: WorkerSlot): boolean =>
  Array.from({ length: memory.lastWorker }, (_, k) => invocationOf(memory, k + 1)).every(
    (invocation) => invocation !== NO_INVOCATION,
  );

export class Ageing {
  readonly #roots: WorkerSlot;
  /** The low roots, as this thread takes them away when they count as normal. */
  readonly #low: ThiefDeque;
  /** Times at which low roots were pushed (milliseconds), and where the deque ended then; the oldest first. */
  readonly #pushed: { readonly end: number; readonly ms: number }[] = [];
  readonly #countsAsNormal: (entry: number) => void;
  #isWatching = false;
  /** End of the deque of normal roots at the last look. */
  #end = 0;

  /** @param countsAsNormal is told of a low root that has been moved to the normal ones */
  constructor(roots: WorkerSlot, countsAsNormal: (entry: number) => void) {
    this.#roots = roots;
    this.#low = new ThiefDeque(roots.words, roots.memory.layout, roots.slot, LOW_ROOTS);
    this.#countsAsNormal = countsAsNormal;
  }

  /** A low root was pushed. */
  pushedLow(): void {
    const { size, end } = this.#roots.deques[LOW_ROOTS];
    const begun = this.#pushed.length - size + 1;
    if (begun > 0) this.#pushed.splice(0, begun);
    this.#pushed.push({ end, ms: host().nowMs() });
  }

  /** Looks at the roots from now on, until none waits any more. */
  watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#end = this.#roots.deque.end;
    this.#look();
  }

  #look(): void {
    host().backgroundTimer(AGED_MS, () => {
      const { deque, deques, memory } = this.#roots;
      this.#isWatching = !memory.isReleased && (deque.size > 0 || deques[LOW_ROOTS].size > 0);
      if (!this.#isWatching) return;
      const isAged = deque.size > ((deque.end - this.#end) | 0);
      store(memory.words, C_AGED, this.#end); // S9: before the request
      this.#end = deque.end;
      this.#moveAgedLow();
      if (isAged && areAllBusy(this.#roots)) wakeForRoot(memory);
      this.#look();
    });
  }

  #moveAgedLow(): void {
    const agedMs = host().nowMs() - LOW_AGED_MS;
    const aged = this.#pushed.filter(({ ms }) => ms < agedMs);
    this.#pushed.splice(0, aged.length);
    const last = aged.at(-1);
    if (last !== undefined) this.#moveLowBefore(last.end);
  }

  #moveLowBefore(end: number): void {
    const { words, records, deque, memory } = this.#roots;
    for (let entry = this.#low.peek(); entry >= 0 && this.#low.isBefore(end); entry = this.#low.peek()) {
      const isStale = !isPublic(words, records.wordOf(entry), entry); // cancelled
      if (!this.#low.tryTake() || isStale) continue;
      raisePriority(words, records.wordOf(entry));
      deque.tryPush(entry); // there are more places than records
      this.#countsAsNormal(entry);
      wakeForRoot(memory);
    }
  }
}
