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
  caller: 'do not compute or block there while the pool works: move the work into a task, or give the event loop turns',
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const counted = (count: number): string => `${count} ${count === 1 ? 'invocation waits' : 'invocations wait'}`;

/** Adds the sentence to what is known of a stall. */
export function stallOf(stall: Omit<Stall, 'message'>, { maxSpares }: Pick<StallHome['settings'], 'maxSpares'>): Stall {
  const { pool, worker, task, module, invocation, ms, waiting, cause } = stall;
  const why = WHY[cause].replace('maxSpares leaves', `maxSpares = ${maxSpares} leaves`);
  if (cause === 'caller') {
    const message = `furcate: the event loop of the thread that owns pool '${pool}' was busy for ${seconds(ms)}, while ${waiting === 1 ? '1 result' : `${waiting} results`} of the pool waited for it: ${why}.`;
    return { ...stall, message };
  }
  const from = module === undefined ? '' : ` of ${module}`;
  const of = invocation === task ? '' : `, for ${invocation}`;
  const meanwhile = waiting === 0 ? '' : ` while ${counted(waiting)}`;
  const message = `furcate: worker ${worker} of pool '${pool}' has run ${task}${from}${of} for ${seconds(ms)} without a fork, join or checkpoint()${meanwhile}: ${why}.`;
  return { ...stall, message };
}
