/** Journals of random programs, as threads that are profiled note them. */
import { CallPlaces } from '../../src/insight/profile/call-places.js';
import { ProfiledRuns } from '../../src/insight/profile/estimate.js';
import { Journal, type JournalData } from '../../src/insight/profile/journal.js';
import { Totals } from '../../src/insight/profile/totals.js';
import { UsedPools } from '../../src/insight/profile/usage.js';
import { type CostTree, costOf } from './cost-trees.js';

/** Of the tasks of a tree. */
export const label = { name: 'tree', module: 'tree.mjs' };

/** Notes a run of a tree. @param spends gives the first cost in the n-th strand @param isApart whether the n-th task runs apart */
export function journalOf(
  tree: CostTree,
  spends: (us: number, n: number) => number,
  isApart: (n: number) => boolean,
): JournalData {
  let strands = 0;
  let tasks = 0;
  const play = (journal: Journal, tree: CostTree): void => {
    const forks: { readonly at: number; readonly tree: CostTree }[] = [];
    const joined = new Set<number>();
    const join = (k: number): void => {
      joined.add(k);
      const { at, tree } = forks[k] as { at: number; tree: CostTree };
      if (isApart(tasks++)) {
        const other = new Journal();
        other.task(label);
        play(other, tree);
        journal.joined(at, other.data(), false);
      } else {
        const forksBefore = journal.begin(at);
        journal.task(label);
        play(journal, tree);
        journal.end(forksBefore);
      }
    };
    strands++;
    let isNoted = false; // whether this strand has spent something
    for (const step of tree) {
      if (typeof step === 'number') {
        journal.spend(isNoted ? step : spends(step, strands));
        isNoted = true;
        continue;
      }
      isNoted = false;
      strands++;
      if ('join' in step) join(step.join);
      else forks.push({ at: journal.fork(), tree: step.fork });
    }
    for (const k of forks.keys()) if (!joined.has(k)) join(k);
  };
  const journal = new Journal();
  journal.task(label);
  play(journal, tree);
  return journal.data() as JournalData;
}

type Added = Parameters<ProfiledRuns['add']>;

/** A run of a tree, as a profile has it. @param rows what it has counted of tasks */
export function measuredRun(tree: CostTree, rows: Added[0]['rows'] = [], usage?: Partial<Added[1]>): Added {
  const journal = journalOf(
    tree,
    (us) => us,
    () => false,
  );
  const none = { tasks: 0, forks: 0, apart: 0, way: [], regions: [], nodes: [], stolen: undefined };
  const account = { ...costOf(tree), ...none, rows, journal, times: new Totals().times };
  return [account, { ...new UsedPools(false).end(0), ...usage }, { stages: [], calls: new CallPlaces() }];
}

/** One run of a tree, as a profile has it. */
export function measuredRuns(tree: CostTree): ProfiledRuns {
  const measured = new ProfiledRuns();
  measured.add(...measuredRun(tree));
  return measured;
}
