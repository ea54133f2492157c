/** A loader of modules in an imitated worker: a test says what modules do, and moves the clock. */
import { afterEach, beforeEach, vi } from 'vitest';
import { CodeLoader } from '../../src/core/code/loader.js';
import { enterWorker } from '../../src/core/code/main-module.js';
import { CodeRegistry } from '../../src/core/code/registry.js';
import { CodeResolver, isFailed, MISSING } from '../../src/core/code/resolver.js';
import { CodeTable } from '../../src/core/code/table.js';
import { PlainStorage } from '../../src/core/code/table-storage.js';
import { type PlatformHost, registerHost } from '../../src/core/platform/host.js';

export const URL_A = 'file:///app/tasks.mjs';

/** Two invocations. */
export const [A, B] = [1, 2];

/** What a loader asks of the runtime. */
const runtime: Pick<PlatformHost, 'importModule' | 'warn' | 'mainUrl'> = {
  importModule: () => Promise.resolve(),
  warn: () => {},
};
registerHost(() => runtime as PlatformHost);

const fresh = () => ({
  storage: new PlainStorage(),
  codes: new CodeRegistry(),
  warnings: [] as string[],
  imports: [] as string[],
  /** What the module at a URL does when it is evaluated; as in an engine, once, and its outcome stays. */
  modules: {} as Record<string, () => unknown>,
  evaluated: new Map<string, Promise<unknown>>(),
});

/** What a test has set up, and what came of it; new for each test. */
export const lab = { ...fresh(), runtime, here: undefined as unknown as CodeResolver };

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(lab, fresh());
});
afterEach(() => {
  enterWorker(undefined);
  vi.useRealTimers();
});

function importModule(url: string): Promise<unknown> {
  const { imports, modules, evaluated } = lab;
  imports.push(url);
  const body = modules[url];
  let done = evaluated.get(url);
  if (done === undefined) {
    done = body === undefined ? Promise.reject(new Error(`Cannot find module ${url}`)) : Promise.resolve().then(body);
    evaluated.set(url, done);
  }
  return done;
}

interface Events {
  onSlow?(url: string, isOver: boolean): void;
  onFailure?(): void;
}

export function makeLoader(rules: { byName?: boolean } = {}, events: Events = {}): CodeLoader {
  lab.here = new CodeResolver(new CodeTable(lab.storage), lab.codes, rules);
  Object.assign(runtime, { importModule, warn: (message: string) => lab.warnings.push(message) });
  return new CodeLoader(lab.here, { onSlow() {}, onFailure() {}, ...events });
}

export const define = (name: string, url = URL_A): unknown => lab.codes.register('function', url, name, () => name);

export const idOf = (name: string, url = URL_A): number => new CodeTable(lab.storage).idOf('function', url, name);

export function outcomeOf(id: number, of = lab.here): string {
  const code = of.tryResolve(id);
  if (code === MISSING) return 'missing';
  return isFailed(code) ? code.failure : 'loaded';
}

/** As a worker does, which asks again while the import goes on. */
export async function loadFor(invocation: number, loader: CodeLoader, name: string, url = URL_A): Promise<string> {
  const id = idOf(name, url);
  for (let slices = 0; lab.here.lacks(id, invocation) && slices < 1000; slices++) {
    let isOver = false;
    const loading = loader.load(id, invocation).then(() => {
      isOver = true;
    });
    while (!isOver) await vi.advanceTimersByTimeAsync(50);
    await loading;
  }
  return outcomeOf(id);
}

export const load = (loader: CodeLoader, name: string, url = URL_A): Promise<string> => loadFor(A, loader, name, url);
