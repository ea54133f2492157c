/**
 * Values on their way to another thread, as bytes: what the fields, arguments and results of tasks, reports, items and results of nodes become,
 * once each. Runs on every thread.
 *
 * A task of the library may return a parcel, or report one. Records and reports carry its bytes as they are, and the receiver gets a parcel.
 */
import { Copier, type CopyRule, openData } from '../code/data-copy.js';
import { isStackOverflow } from '../code/engine-messages.js';
import { ALL, type Detail } from '../code/error-detail.js';
import { NotShareableError } from '../errors.js';
import { ofValues } from './shareable.js';
import { isTree } from './trees.js';
import { placeIn, refuseTooDeep, refuseUncloneable, tooDeep } from './uncloneable.js';
import { fromBytes, toBytes } from './values.js';

const NO_CODES: ReadonlySet<number> = new Set();

/** Values as bytes. */
export class Parcel {
  readonly bytes: Uint8Array;
  /** True if marks stand for instances and errors in it. */
  readonly isMarked: boolean;
  /** Numbers of the classes in it: a thread needs these before it opens it. Known where it was packed. */
  readonly codes: ReadonlySet<number>;

  constructor(bytes: Uint8Array, isMarked: boolean, codes = NO_CODES) {
    this.bytes = bytes;
    this.isMarked = isMarked;
    this.codes = codes;
  }

  /** A copy of the values each time. @throws TaskRegistrationError where the module of a class in them is not loaded on this thread */
  open(): unknown[] {
    try {
      const values = fromBytes(this.bytes);
      return (this.isMarked ? openData(values) : values) as unknown[];
    } catch (error) {
      throw isStackOverflow(error) ? tooDeep('what was sent here', 'cannot be opened', error) : error;
    }
  }
}

/**
 * Packs values.
 *
 * @param nameOf names a value in errors: 'value 17'
 * @param rule for all values but the last
 * @param last for the last one; for what was thrown how much of it, or 'thrown' for all
 * @throws NotShareableError that names the value which cannot be copied, and its part
 */
export function pack(
  values: readonly unknown[],
  nameOf: (k: number) => string,
  rule: CopyRule = ofValues,
  last: CopyRule | Detail | 'thrown' = rule,
): Parcel {
  if (typeof last === 'function' && values.every(isTree)) {
    try {
      return new Parcel(toBytes(values), false);
    } catch {
      // A proxy looks like what it stands for.
    }
  }
  return packCopies(values, nameOf, rule, last);
}

function packCopies(...[values, nameOf, rule = ofValues, last = rule]: Parameters<typeof pack>): Parcel {
  const copier = new Copier();
  const end = values.length - 1;
  const copies = values.map((value, k) => {
    const how = k === end ? last : rule;
    if (typeof how === 'function') return copier.copy(value, how, (path) => placeIn(nameOf(k))(path));
    return copier.thrown(value, how === 'thrown' ? ALL : how);
  });
  const { isMarked, codes } = copier;
  const written = isMarked ? copies : values;
  try {
    return new Parcel(toBytes(written), isMarked, codes);
  } catch (error) {
    // Proxies of plain data, such as those of MobX and Vue, were copied as what they show.
    if (NotShareableError.is(error) && !isMarked) {
      try {
        return new Parcel(toBytes(copies), true, codes);
      } catch {
        // There is something else.
      }
    }
    if (isStackOverflow(error)) refuseTooDeep(written, nameOf);
    if (NotShareableError.is(error))
      for (const [k, value] of written.entries())
        if (k < end || typeof last === 'function') refuseUncloneable(value, placeIn(nameOf(k)));
    throw error;
  }
}
