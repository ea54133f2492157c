/** The steps of a call of `parallelSortBy`: keys are read and objects moved on the calling thread, between argsorts of numbers. */
import type { Callee } from '../../core/engine.js';
import { check, readOptions } from '../call/options.js';
import { type ArgsortSteps, argsorts } from './argsort-steps.js';
import { COLLATOR_OPTIONS, collated, readCollator } from './collated.js';
import { orderOf } from './item-order.js';
import { ORDER_OPTIONS, readOrder } from './sort-keys.js';

export function* sortBySteps(callee: Callee, items: unknown[], key: unknown, given: unknown): ArgsortSteps<unknown[]> {
  const { name } = callee;
  const cure = ArrayBuffer.isView(items) ? ' For a typed array there are parallelSort and parallelArgsort.' : '';
  check(Array.isArray(items), name, 'items', 'an array', items, cure);
  const options = readOptions(callee, given, [...ORDER_OPTIONS, ...COLLATOR_OPTIONS]);
  const collator = readCollator(name, options.given);
  const snapshot = items.slice();
  const { length } = snapshot;
  const wanted = yield* readOrder(name, snapshot, 'key', key, options.given, false);
  const order =
    collator === undefined
      ? yield* argsorts(callee, options, length, orderOf(wanted))
      : yield collated(wanted, collator, options);
  if (items.length !== length) {
    throw new TypeError(
      `furcate: ${name}: items had ${length} elements at the call, and has ${items.length} now, so it was left alone. Wait for the promise before you change it.`,
    );
  }
  for (let i = 0; i < length; i++) items[i] = snapshot[order[i]];
  options.call.onProgress?.(length, length);
  return items;
}
