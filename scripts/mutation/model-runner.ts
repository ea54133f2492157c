/**
 * Runs the models on one mutant after the other, in a separate process, because an exploration cannot be interrupted and a mutant may
 * make it endless.
 *
 * Explores each scenario up to one preemption, as `npm run test:fast` does; `npm test` explores at least as far.
 */
import { Explorer } from '../../test/model/explorer/explorer.js';
import { type FileText, loadSource, type MakeCopy } from '../../test/model/explorer/load-source.js';
import { type Entry, SCENARIOS } from '../../test/model/scenarios/all.js';

/** A request of the parent: does a model notice the mutant? Without a mutant, the runner times every scenario. */
export interface Question {
  readonly mutant?: FileText;
}

export interface Answer {
  /** The scenario that failed. */
  readonly killedBy?: string;
  /** Why the models cannot judge the mutant: they do not load its file, or it hides an access from them. */
  readonly refused?: string;
}

const MOST_PREEMPTIONS = 1;

/** Scenarios run in this order: first those that noticed an earlier mutant of the same file, then the quickest. */
const durationMs = new Map([...SCENARIOS.keys()].map((name) => [name, 0]));
const killersOf = new Map<string, string[]>();

function orderFor(file: string): string[] {
  const first = killersOf.get(file) ?? [];
  const rest = [...durationMs].sort(([, a], [, b]) => a - b).map(([name]) => name);
  return [...new Set([...first, ...rest])];
}

function explore({ make, bound }: Entry, makeCopy: MakeCopy): void {
  new Explorer(make(), makeCopy, Math.min(bound ?? MOST_PREEMPTIONS, MOST_PREEMPTIONS)).explore();
}

async function answer({ mutant }: Question): Promise<Answer> {
  const copies = new Map<string, MakeCopy>();
  for (const name of orderFor(mutant?.file ?? '')) {
    const entry = SCENARIOS.get(name) as Entry;
    const key = JSON.stringify(entry.changes ?? []);
    try {
      if (!copies.has(key)) copies.set(key, await loadSource(entry.changes, mutant));
    } catch (error) {
      return { refused: String(error) };
    }
    const startMs = performance.now();
    try {
      explore(entry, copies.get(key) as MakeCopy);
    } catch (error) {
      if (mutant === undefined) throw error;
      const killers = killersOf.get(mutant.file) ?? [];
      killersOf.set(mutant.file, [name, ...killers.filter((other) => other !== name)]);
      return { killedBy: name };
    }
    if (mutant === undefined) durationMs.set(name, performance.now() - startMs);
  }
  return {};
}

process.on('message', (question: Question) => {
  void answer(question).then((said) => process.send?.(said));
});
