/** Random programs for profiles, as `test/fixtures/profiled.mjs` plays them, and what they cost by definition. */
import fc from 'fast-check';

type Step = number | { readonly fork: CostTree; readonly form: 'class' | 'function' } | { readonly join: number };
export type CostTree = readonly Step[];

/** Turns random numbers into steps: joins name forks that were not joined, in any order. */
function stepsFrom(parts: readonly (number | CostTree | 'join')[], picks: readonly number[]): CostTree {
  const open: number[] = [];
  let forks = 0;
  let pick = 0;
  const next = (): number => picks[pick++ % picks.length] as number;
  return parts.flatMap((part): Step[] => {
    if (typeof part === 'number') return [part];
    if (part !== 'join') {
      open.push(forks++);
      return [{ fork: part, form: next() % 2 === 0 ? 'class' : 'function' }];
    }
    const [join] = open.splice(next() % Math.max(1, open.length), 1);
    return join === undefined ? [] : [{ join }];
  });
}

export const costTrees: fc.Arbitrary<CostTree> = fc.letrec<{ tree: CostTree }>((tie) => ({
  tree: fc
    .tuple(
      fc.array(
        fc.oneof(
          { withCrossShrink: true, depthSize: 'small' },
          fc.nat(9),
          fc.constant('join' as const),
          tie('tree') as fc.Arbitrary<CostTree>,
        ),
        { maxLength: 8 },
      ),
      fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 }),
    )
    .map(([parts, picks]) => stepsFrom(parts, picks)),
})).tree;

/** Work and span by definition: a task ends when all has ended that it has forked. */
export function costOf(tree: CostTree): { readonly work: number; readonly span: number } {
  let work = 0;
  let now = 0;
  const ends: number[] = [];
  for (const step of tree) {
    if (typeof step === 'number') {
      work += step;
      now += step;
    } else if ('join' in step) now = Math.max(now, ends[step.join] as number);
    else {
      const child = costOf(step.fork);
      work += child.work;
      ends.push(now + child.span);
    }
  }
  return { work, span: Math.max(now, ...ends) };
}
