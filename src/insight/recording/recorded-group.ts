/**
 * A worker group that is recorded. Its *directory* on the shared heap says where the ring of each of its threads is; the place of the directory is the mode of
 * the group (`C_OBSERVED`). A thread that meets the mode makes its ring, and writes the ring's place into the directory. All of that is memory of the worker group,
 * and ends with it. `joinGroup` runs on workers, the class on the thread that owns the pool.
 */
import { bytesAt, type hooks, type RecordHome } from '../../core/engine.js';
import { add, load, store } from '../../core/memory/atomics.js';
import { clockUs, type RecordingPlace } from './recorder.js';
import { RING_BYTES, RingMemory, RingWriter } from './ring.js';
import { ThreadTrack, type TimelineSink } from './thread-track.js';
import { QUEUE_DEPTH, QUEUED, SLEEPERS } from './timeline-event.js';

type Slot = Parameters<typeof hooks.recorder>[0];
export type GroupMemory = Slot['memory'];

// Words of a directory: whether tasks are wanted that run in the place of their join; threads for whose ring there was no room; the ring of each slot.
const W_ALL = 0;
const W_WITHOUT_RING = 1;
const W_RINGS = 2;

/** Places on the heap are multiples of this. */
const UNIT = 16;

function directoryAt(place: number, { layout }: GroupMemory): Int32Array {
  const words = W_RINGS + layout.slots;
  const { buffer, byteOffset } = bytesAt(place * UNIT, 4 * words);
  return new Int32Array(buffer, byteOffset, words);
}

const ringAt = (place: number): RingMemory => new RingMemory(bytesAt(place * UNIT, RING_BYTES));

/** A ring for this thread, which its owner finds; of its own memory, which nobody reads, if the heap is full. */
function ringOf(directory: Int32Array, { slot, memory }: Slot): RingMemory {
  const known = directory[W_RINGS + slot] as number; // plain: a thread before this one on the slot wrote it
  if (known !== 0) return ringAt(known);
  try {
    const place = memory.allocate(RING_BYTES) / UNIT;
    const ring = ringAt(place).cleared();
    store(directory, W_RINGS + slot, place); // publishes the ring
    return ring;
  } catch {
    add(directory, W_WITHOUT_RING, 1);
    return new RingMemory(new Uint8Array(RING_BYTES));
  }
}

/** Place to which a thread of a worker group writes. @param mode as `C_OBSERVED` */
export function placeIn(own: Slot, mode: number): RecordingPlace {
  const directory = directoryAt(-mode, own.memory);
  return {
    ring: new RingWriter(ringOf(directory, own)),
    wantsAll: () => directory[W_ALL] === 1, // plain: seen with the next root
    slotOf: (record) => own.memory.slotOf(record),
    roots: own.memory.layout.parallelism + 1,
  };
}

export class RecordedGroup {
  readonly home: RecordHome;
  readonly mode: number;
  readonly #memory: GroupMemory;
  readonly #caller: ThreadTrack;
  readonly #directory: Int32Array;
  readonly #tracks = new Map<number, ThreadTrack>();
  #without = 0;

  /**
   * @param caller the track of this thread
   * @throws RangeError when the heap is full
   */
  constructor(memory: GroupMemory, home: RecordHome, caller: ThreadTrack) {
    const place = memory.allocate(4 * (W_RINGS + memory.layout.slots)) / UNIT;
    this.home = home;
    this.mode = -place;
    this.#memory = memory;
    this.#caller = caller;
    this.#directory = directoryAt(place, memory).fill(0);
  }

  set wantsAll(all: boolean) {
    this.#directory[W_ALL] = Number(all); // plain: published with the next root
  }

  /** Gives what its workers have written. */
  read(sinks: readonly TimelineSink[]): void {
    const without = this.#directory[W_WITHOUT_RING] as number; // plain: for people
    for (const sink of sinks) sink.drop(without - this.#without);
    this.#without = without;
    for (let slot = 1; slot < this.#memory.layout.slots; slot++) this.trackOf(slot)?.read(sinks);
  }

  /** True if its workers have given their event loops a turn since the last task that they have ended. */
  get isAtRest(): boolean {
    return [...this.#tracks.values()].every(({ isAtRest }) => isAtRest);
  }

  /** The track of a slot, once its thread has made its ring. */
  trackOf(slot: number): ThreadTrack | undefined {
    if (slot === 0) return this.#caller;
    const known = this.#tracks.get(slot);
    const place = known === undefined ? load(this.#directory, W_RINGS + slot) : 0;
    if (place === 0) return known;
    const spare = slot - this.#memory.layout.parallelism - 1;
    const name = `${this.home.settings.name}, ${spare > 0 ? `spare ${spare}` : `worker ${slot}`}`;
    const track = new ThreadTrack(name, ringAt(place), (other) => this.trackOf(other));
    this.#tracks.set(slot, track);
    return track;
  }

  /** Gives how it stands with the pool now. */
  count(sinks: readonly TimelineSink[]): void {
    const { queueDepth, queued } = this.home.state();
    const startUs = clockUs();
    const track = { tid: this.#caller.tid, name: this.home.settings.name, other: () => undefined };
    const counts = [
      [QUEUE_DEPTH, 'public tasks', queueDepth],
      [QUEUED, 'waiting invocations', queued],
      [SLEEPERS, 'sleepers', this.home.sleepers()],
    ] as const;
    for (const [kind, name, us] of counts) {
      const event = { kind, name, module: '', startUs, us, about: 0 };
      for (const sink of sinks) sink.add(event, track);
    }
  }
}
