/** A stall in words: who, for how long, why, and what to do about it. */
import type { Stall, StallHome } from '../../core/engine.js';

/** The end of the sentence, after what the thread has done. */
const WHY: Readonly<Record<Stall['cause'], string>> = {
  computes:
    'the thread computes, so call checkpoint() in the loop of the task, fork smaller tasks, or give the pool more threads',
  blocks:
    'the thread used no processor time, so it is blocked: wrap the blocking call in blocking(), or await it in an asynchronous task',
  unknown:
    'other threads compute too, so it cannot be told whether this one is blocked: call checkpoint() in its loop if it computes, and wrap what blocks in blocking()',
  'no spare':
    'it is in a blocking() section for which maxSpares leaves no spare thread: raise maxSpares, or limit how many tasks block',
  limit:
    'what holds its permits waits, perhaps for a task that needs them itself: name all limits of a task at once, and await nothing in it that needs one of them',
  caller: 'do not compute or block there while the pool works: move the work into a task, or give the event loop turns',
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const counted = (count: number): string => `${count} ${count === 1 ? 'invocation waits' : 'invocations wait'}`;

/** A stall, whose thread can be asked where it is. */
class ToldStall {
  readonly #stack: Stall['stack'];

  constructor(known: Omit<Stall, 'stack'>, stack: Stall['stack']) {
    Object.assign(this, known);
    this.#stack = stack;
  }

  stack(): Promise<string | undefined> {
    return this.#stack();
  }
}

function messageOf(known: Omit<Stall, 'message' | 'stack'>, maxSpares: number): string {
  const { pool, worker, task, module, invocation, ms, waiting, cause } = known;
  const why = WHY[cause].replace('maxSpares leaves', `maxSpares = ${maxSpares} leaves`);
  if (cause === 'caller')
    return `furcate: the event loop of the thread that owns pool '${pool}' was busy for ${seconds(ms)}, while ${waiting === 1 ? '1 result' : `${waiting} results`} of the pool waited for it: ${why}.`;
  if (cause === 'limit')
    return `furcate: ${waiting === 1 ? '1 task has' : `${waiting} tasks have`} waited for ${task} for ${seconds(ms)}, and no thread of pool '${pool}' computes meanwhile: ${why}.`;
  const from = module === undefined ? '' : ` of ${module}`;
  const of = invocation === task ? '' : `, for ${invocation}`;
  const meanwhile = waiting === 0 ? '' : ` while ${counted(waiting)}`;
  return `furcate: worker ${worker} of pool '${pool}' has run ${task}${from}${of} for ${seconds(ms)} without a fork, join or checkpoint()${meanwhile}: ${why}.`;
}

/** Adds the sentence to what is known of a stall, and a way to ask the thread. */
export function stallOf(
  known: Omit<Stall, 'message' | 'stack'>,
  { maxSpares }: Pick<StallHome['settings'], 'maxSpares'>,
  stack: Stall['stack'],
): Stall {
  return new ToldStall({ ...known, message: messageOf(known, maxSpares) }, stack) as unknown as Stall;
}
