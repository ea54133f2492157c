/**
 * Makes the three helpers that StrykerJS puts into each instrumented module available as globals of a test realm. The library compiles
 * some of its functions again from their text (src/core/code/specialize.ts), and such functions cannot see names of their module. Runs
 * before each test file of the stage `source`.
 */
import fc from 'fast-check';

type Counts = Record<string, number>;

/** The state that StrykerJS and instrumented code share in a realm. */
interface Namespace {
  activeMutant?: string;
  currentTestId?: string;
  hitCount?: number;
  hitLimit?: number;
  mutantCoverage?: { static: Counts; perTest: Record<string, Counts> };
}

const realm = globalThis as unknown as Record<string, unknown> & { __stryker__?: Namespace };

function namespace(): Namespace {
  realm.__stryker__ ??= {};
  return realm.__stryker__;
}

function cover(...ids: string[]): void {
  const ns = namespace();
  ns.mutantCoverage ??= { static: {}, perTest: {} };
  const { perTest } = ns.mutantCoverage;
  let counts = ns.mutantCoverage.static;
  if (ns.currentTestId) {
    perTest[ns.currentTestId] ??= {};
    counts = perTest[ns.currentTestId] as Counts;
  }
  for (const id of ids) counts[id] = (counts[id] ?? 0) + 1;
}

function isActive(id: string): boolean {
  const ns = namespace();
  if (ns.activeMutant !== id) return false;
  if (ns.hitCount !== undefined && ++ns.hitCount > (ns.hitLimit ?? Number.POSITIVE_INFINITY)) {
    throw new Error(`Stryker: Hit count limit reached (${ns.hitCount})`);
  }
  return true;
}

realm['stryNS_9fa48'] = namespace;
realm['stryCov_9fa48'] = cover;
realm['stryMutAct_9fa48'] = isActive;

/**
 * Gives every property the same seed, so that a mutant that one run kills is killed by the next run too. Properties end at the first
 * failure, because shrinking takes a minute or more.
 */
fc.configureGlobal({ seed: Number(process.env['FURCATE_SEED']), endOnFailure: true });
