/**
 * What fields, arguments and results of tasks may hold beside data and instances of registered classes; runs on the thread that
 * encodes.
 *
 * The runtime's serializer silently copies plain typed arrays. A task may hold none, because its body would write to a copy. A
 * result may hold copies.
 */
import type { CopyRule } from '../code/data-copy.js';
import { CURE, notShareable } from '../code/value-class.js';
import { isOnSharedMemory, NO_TYPE, typeOfView } from '../memory/element-types.js';
import { ALIVE, fateOf, freedError, isDetached } from '../memory/shared-array.js';
import { disown } from './slow-paths.js';

const OPTIONS_CURE = 'Options of an invocation come before it: pool.with({ signal }).invoke(fn, ...args).';

/** The rule for fields and arguments. */
export const inTask: CopyRule = (value, what, where) => {
  const isView = ArrayBuffer.isView(value);
  if (isView ? isOnSharedMemory(value) : what === 'a SharedArrayBuffer') return value;
  const reason = `is ${what}${isView ? ' on unshared memory' : ''}, which other workers cannot share`;
  disown(value);
  throw notShareable(where(), { reason, cure: what === 'an AbortSignal' ? OPTIONS_CURE : CURE });
};

export const inResult: CopyRule = (value, what, where) =>
  ArrayBuffer.isView(value) || what === 'an ArrayBuffer' ? value : inTask(value, what, where);

const CLONE_CURE = 'Pass the data that a worker can make it from.';
const DETACHED = 'Name each buffer once in what `transfer` returns, and pass it before it is detached.';

/** The rule for plain values: what can be cloned. */
export const ofValues: CopyRule = (value, what, where) => {
  if (ArrayBuffer.isView(value)) {
    if (fateOf(value) !== ALIVE) throw freedError(where());
    if (typeOfView(value) !== NO_TYPE && isDetached(value))
      throw notShareable(where(), { reason: 'is on a buffer that was transferred', cure: DETACHED });
  } else if (!what.endsWith('ArrayBuffer')) {
    disown(value);
    throw notShareable(where(), { reason: `is ${what}, which cannot be cloned`, cure: CLONE_CURE });
  }
  return value;
};
