/**
 * Values that fields, arguments and results of tasks may hold beside data and instances of registered classes; runs on the
 * thread that encodes.
 *
 * The runtime's serializer silently copies plain typed arrays. A task may hold none, because its body would write to a copy. A
 * result may hold copies.
 */
import type { CopyRule } from '../code/data-copy.js';
import { Crosses, type Crossing, cloneOf, crossingOf, isOfBuffer, onlyTransferable } from '../code/platform-objects.js';
import { CURE, notShareable, type Refusal } from '../code/value-class.js';
import { isOnSharedMemory, NO_TYPE, typeOfView } from '../memory/element-types.js';
import { mayShare } from '../memory/external-buffers.js';
import { ALIVE, fateOf, freedError, isDetached } from '../memory/shared-array.js';
import { disown } from './slow-paths.js';

const OPTIONS_CURE = 'Options of an invocation come before it: pool.with({ signal }).invoke(fn, ...args).';

/** Messages of the owner alone carry it: the platform cannot clone it in any other way. */
const DATA_CURE = 'Return its data, such as await blob.arrayBuffer() or an ImageData.';
const canBeCloned = (value: object): boolean => !isOfBuffer(value) && cloneOf(value) !== undefined;

/** Refusal of a value, by its kind, that can only be transferred: by the thread that owns a pool, or through a port. */
function onlyTransferred(value: unknown, isPlainValue: boolean): Refusal | undefined {
  const reason = onlyTransferable(value);
  if (reason === undefined) return undefined;
  const cure = !mayShare()
    ? 'A worker can send it through a port: transfer a MessagePort to the task, and port.postMessage(value, [value]) there.'
    : isPlainValue
      ? 'Name it in what the option transfer returns: { transfer: (value) => [value] }.'
      : 'Name it in the option transfer: pool.with({ transfer: [value] }).invoke(fn, value).';
  return { reason, cure };
}

type HowToCross = (value: unknown) => Crossing | undefined;

/** The rule for fields and arguments. @param crossing how an object of the platform crosses */
const inTaskBy =
  (crossing: HowToCross): CopyRule =>
  (value, what, where) => {
    const isView = ArrayBuffer.isView(value);
    if (isView ? isOnSharedMemory(value) : what === 'a SharedArrayBuffer') return value;
    const crosses = crossing(value);
    if (crosses !== undefined) return new Crosses(crosses);
    const transfer = crossing === crossingOf ? onlyTransferred(value, false) : undefined;
    if (transfer !== undefined) throw notShareable(where(), transfer);
    if (typeof value === 'object' && value !== null && crossing === crossingOf && canBeCloned(value))
      throw notShareable(where(), { reason: `is ${what}, which a worker cannot send`, cure: DATA_CURE });
    const reason = `is ${what}${isView ? ' on unshared memory' : ''}, which other workers cannot share`;
    disown(value);
    throw notShareable(where(), { reason, cure: what === 'an AbortSignal' ? OPTIONS_CURE : CURE });
  };

export const inTask = inTaskBy(crossingOf);
/** As `inTask`, where another process gets the task, to which nothing of the platform crosses. */
export const inTaskElsewhere = inTaskBy(() => undefined);

/** The rule for results, by that of tasks. */
const resultBy =
  (inTask: CopyRule): CopyRule =>
  (value, what, where) =>
    ArrayBuffer.isView(value) || what === 'an ArrayBuffer' ? value : inTask(value, what, where);

export const inResult = resultBy(inTask);
export const inResultElsewhere = resultBy(inTaskElsewhere);

const CLONE_CURE = 'Pass the data that a worker can make it from.';
const DETACHED = 'Name each buffer once in what `transfer` returns, and pass it before it is detached.';

/** The rule for plain values: what can be cloned. */
export const ofValues: CopyRule = (value, what, where) => {
  if (ArrayBuffer.isView(value)) {
    if (fateOf(value) !== ALIVE) throw freedError(where());
    if (typeOfView(value) !== NO_TYPE && isDetached(value))
      throw notShareable(where(), { reason: 'is on a buffer that was transferred', cure: DETACHED });
  } else if (!what.endsWith('ArrayBuffer')) {
    const crosses = crossingOf(value);
    if (crosses !== undefined) return new Crosses(crosses);
    disown(value);
    const refusal = onlyTransferred(value, true) ?? { reason: `is ${what}, which cannot be cloned`, cure: CLONE_CURE };
    throw notShareable(where(), refusal);
  }
  return value;
};
