/**
 * The end of a thread's stack: the error of a task that has used it up, and whether there is enough left for what must not fail;
 * runs on every thread that computes.
 *
 * A thread that takes a record must complete it, or the forker waits for ever. A body may overflow the stack, which is caught. The
 * few frames around the body that write its outcome must not overflow. So a join first makes sure that there is more stack than
 * they need: it calls functions inside each other that use as much, and the engine checks whether they fit.
 *
 * Every engine pushes `undefined` for a parameter that a call leaves out, so a frame has a known size on all of them. Arguments
 * of one large call (`Reflect.apply`) do not do: SpiderMonkey keeps them on its heap, or makes no call of an empty function, and checks nothing.
 */
import { isStackOverflow } from '../code/engine-messages.js';

/** The same error on every engine, whose own is the cause: V8's is a `RangeError`, SpiderMonkey's is an `InternalError`. */
export const stackUsedUp = (cause: unknown): RangeError =>
  new RangeError(
    'furcate: the stack is used up: tasks nest too deep, or a function calls itself too often. Split work in halves, not piece by piece. Node gives workers larger stacks: resourceLimits: { stackSizeMb }.',
    { cause },
  );

/** Returns what a body threw, or `stackUsedUp`, as long as the stack suffices for telling. */
export const asStackError = (thrown: unknown): unknown => {
  try {
    return isStackOverflow(thrown) ? stackUsedUp(thrown) : thrown;
  } catch {
    return thrown; // by a getter; or the next frame has the room to tell
  }
};

/**
 * Calls inside each other, of some 576 bytes: 128 KiB in V8 and JavaScriptCore, 97 KiB in SpiderMonkey, in 3 us. Node 20 needs 48 KiB,
 * because it compiles functions on this stack.
 */
const LEVELS = 240;

/** Uses its last parameter, or minifiers may remove them all. */
// biome-ignore format: one block of parameters
function descend(levels: number, _1?: 0, _2?: 0, _3?: 0, _4?: 0, _5?: 0, _6?: 0, _7?: 0, _8?: 0, _9?: 0, _10?: 0, _11?: 0, _12?: 0, _13?: 0, _14?: 0, _15?: 0, _16?: 0, _17?: 0, _18?: 0, _19?: 0, _20?: 0, _21?: 0, _22?: 0, _23?: 0, _24?: 0, _25?: 0, _26?: 0, _27?: 0, _28?: 0, _29?: 0, _30?: 0, _31?: 0, _32?: 0, _33?: 0, _34?: 0, _35?: 0, _36?: 0, _37?: 0, _38?: 0, _39?: 0, _40?: 0, _41?: 0, _42?: 0, _43?: 0, _44?: 0, _45?: 0, _46?: 0, _47?: 0, _48?: 0, _49?: 0, _50?: 0, _51?: 0, _52?: 0, _53?: 0, _54?: 0, _55?: 0, _56?: 0, _57?: 0, _58?: 0, _59?: 0, _60?: 0, _61?: 0, _62?: 0, _63?: 0): number {
  return levels === 0 ? (_63 ?? 0) : descend(levels - 1) + 1;
}

export function hasStackRoom(): boolean {
  try {
    descend(LEVELS);
    return true;
  } catch {
    return false;
  }
}

/** @throws RangeError when the stack is nearly full */
export function requireStackRoom(): void {
  try {
    descend(LEVELS);
  } catch (error) {
    throw stackUsedUp(error);
  }
}
