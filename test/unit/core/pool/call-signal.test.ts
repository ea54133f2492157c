/** Signals of calls as a tree: what is below ends with what is above, and not the other way round. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallSignal } from '../../../../src/core/pool/signal.js';

/** Each signal is a child of an earlier one, made before or after some aborts. */
const trees = fc.array(fc.record({ parent: fc.nat(), abort: fc.option(fc.nat(), { nil: undefined }) }), {
  minLength: 1,
  maxLength: 20,
});

test('a child has the reason of the first that was aborted, of itself and those above it', () => {
  fc.assert(
    fc.property(trees, (steps) => {
      const signals = [new CallSignal()];
      const parents: (number | undefined)[] = [undefined];
      const reasons: (number | undefined)[] = [undefined];
      for (const [reason, { parent, abort }] of steps.entries()) {
        const above = parent % signals.length;
        signals.push((signals[above] as CallSignal).child());
        parents.push(above);
        reasons.push(reasons[above]);
        if (abort === undefined) continue;
        const ended = abort % signals.length;
        signals[ended]?.abort(reason);
        reasons[ended] ??= reason;
        // A parent stands before its children.
        for (let k = ended + 1; k < signals.length; k++) reasons[k] ??= reasons[parents[k] as number];
      }
      expect(signals.map(({ aborted, reason }) => (aborted ? reason : undefined))).toEqual(reasons);
    }),
  );
});
