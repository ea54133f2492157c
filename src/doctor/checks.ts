/** The checks: each is a question to the platform, or to a pool that was tried, and what follows from the answer. */
import type { Platform, SharedMemory } from './platform.js';
import type { Trial } from './pool-trial.js';
import type { DoctorCheck, DoctorCheckName } from './report.js';

/** A function that reads a shared word atomically: (i32) -> i32 by i32.atomic.load, in a module with a shared memory. */
// biome-ignore format: bytes of a module, section by section
const WASM_THREADS = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 5, 4, 1, 3, 1, 1, 10, 10, 1, 8, 0, 32, 0, 254, 16, 2, 0, 11,
];

/** A function of two vector instructions. */
// biome-ignore format: bytes of a module, section by section
const WASM_SIMD = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
];

/** Result of a question: an answer, or what it failed of. */
export type Finding<T> = { readonly value: T; readonly failure?: undefined } | { readonly failure: string };

/** An error, and the errors that it was caused by. */
function chainOf(error: unknown): readonly unknown[] {
  const { cause } = Object(error) as { cause?: unknown };
  return cause === undefined || cause === error ? [error] : [error, ...chainOf(cause).slice(0, 8)];
}

/** A message on one line, without the library's name, which all of this is about. */
const messageOf = (error: unknown): string =>
  String((error as { message?: unknown } | undefined)?.message ?? error)
    .replaceAll('furcate: ', '')
    .replace(/\s+/g, ' ')
    .trim();

export function asked<T>(question: () => T): Finding<T> {
  try {
    return { value: question() };
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

export const answerTo = <T>(answer: Finding<T>): T | undefined => ('value' in answer ? answer.value : undefined);

type Verdict = Pick<DoctorCheck, 'verdict' | 'finding' | 'advice'>;

const yes = (finding: string): Verdict => ({ verdict: 'yes', finding });
const no = (finding: string, advice?: string): Verdict => ({ verdict: 'no', finding, advice });
const untested = (finding: string): Verdict => ({ verdict: 'untested', finding });

/** Verdict on why no worker runs. A permission that is missing is the reason, whatever failed of it. */
function refusal(error: unknown): Verdict {
  const isDenied = (one: unknown): boolean =>
    /ERR_ACCESS_DENIED|NotCapable/.test(`${Object(one).code} ${Object(one).name}`);
  const denied = chainOf(error).find(isDenied);
  const finding = messageOf(denied ?? error);
  if (denied === undefined || finding.includes('--allow-worker')) return no(finding);
  return no(
    finding,
    Object(denied).name === 'NotCapable'
      ? 'Deno needs permissions: --allow-read --allow-env --allow-sys.'
      : 'Node runs with --permission: add --allow-worker, and --allow-fs-read for the folder of the package.',
  );
}

const HEADERS =
  'Send two headers with the page and its workers: Cross-Origin-Opener-Policy: same-origin, and Cross-Origin-Embedder-Policy: ' +
  'require-corp. Until then all calls run on the caller.';

function sharedMemory(limit: Finding<unknown>, isolation: boolean | undefined): Verdict {
  if (isolation === false) return no('A page shares memory only if it is isolated.');
  if (limit.failure === undefined) return yes('Threads can share typed arrays.');
  return no(
    `There is none: ${limit.failure}`,
    isolation === undefined
      ? 'Is there a limit on address space (ulimit -v)? Until then all calls run on the caller.'
      : HEADERS,
  );
}

function isolation(platform: Platform, isIsolated: boolean | undefined): Verdict {
  if (isIsolated === undefined) return yes('Not needed outside of browsers.');
  if (isIsolated) return yes('The page is cross-origin isolated.');
  const isSecure = answerTo(asked(() => platform.isSecure())) !== false;
  return no(
    'The page is not cross-origin isolated.',
    isSecure ? HEADERS : `Load the page by https:, or from localhost. ${HEADERS}`,
  );
}

function threads(trial: Trial | undefined): Verdict {
  if (trial === undefined) return untested('Without shared memory no worker is started.');
  if (trial.workers !== undefined)
    return yes(`${trial.workers === 1 ? 'A worker' : `${trial.workers} workers`} started.`);
  return refusal(trial.refused);
}

function roundTrip(trial: Trial | undefined): Verdict {
  if (trial?.roundTripUs !== undefined) return yes('Tasks reach a worker, and their results come back.');
  if (trial?.workers === undefined) return untested('No worker was started.');
  return no(messageOf(trial.unmeasured));
}

function blocking(platform: Platform): Verdict {
  const { failure } = asked(() => platform.block());
  if (failure === undefined) return yes('This thread may block: Sync forms work.');
  return no(
    'This thread must not block: is it that of a page?',
    'Await invoke and the algorithms; Sync forms work in workers.',
  );
}

const SCALAR = 'Kernels in TypeScript are used in its place: same results, slower.';

function wasm(platform: Platform, module: readonly number[]): Verdict {
  const bytes = new Uint8Array(module);
  const answer = asked(() => platform.validates(bytes));
  if (answerTo(answer) !== true) return no(answer.failure ?? 'The engine lacks it.', SCALAR);
  const { failure } = asked(() => platform.compileWasm(bytes));
  if (failure === undefined) return yes('The engine has it.');
  return no('A Content Security Policy forbids to compile WebAssembly.', `Allow 'wasm-unsafe-eval'. ${SCALAR}`);
}

function wasmThreads(platform: Platform, isForKernels: boolean | undefined): Verdict {
  if (isForKernels !== false) return wasm(platform, WASM_THREADS);
  return no(
    'The platform grants no shared memory of WebAssembly.',
    `Is there a limit on address space (ulimit -v)? ${SCALAR}`,
  );
}

function waiting(platform: Platform): Verdict {
  if (answerTo(asked(() => platform.hasWaitAsync())) === true) return yes('Callers await shared memory itself.');
  return no('The engine lacks Atomics.waitAsync.', 'Messages are used in its place: results arrive a little later.');
}

function inlineFunctions(platform: Platform): Verdict {
  const { failure } = asked(() => platform.compileText());
  if (failure === undefined) return yes('They travel as text, and are compiled.');
  return no(
    'A Content Security Policy forbids to compile text.',
    "Pass forkables and named operations to the algorithms, or allow 'unsafe-eval'. Worker files import furcate/worker/complete.",
  );
}

/** Without these, no call runs on several threads. */
const NEEDED: readonly DoctorCheckName[] = ['sharedMemory', 'isolation', 'threads', 'roundTrip'];

/** @param trial undefined where there is no shared memory for a pool */
export function checksOf(platform: Platform, memory: Finding<SharedMemory>, trial: Trial | undefined): DoctorCheck[] {
  const isIsolated = answerTo(asked(() => platform.isIsolated()));
  const verdicts: Readonly<Record<DoctorCheckName, Verdict>> = {
    sharedMemory: sharedMemory(memory, isIsolated),
    isolation: isolation(platform, isIsolated),
    threads: threads(trial),
    roundTrip: roundTrip(trial),
    blocking: blocking(platform),
    waitAsync: waiting(platform),
    wasmThreads: wasmThreads(platform, answerTo(memory)?.isForKernels),
    wasmSimd: wasm(platform, WASM_SIMD),
    inlineFunctions: inlineFunctions(platform),
  };
  return (Object.keys(verdicts) as DoctorCheckName[]).map((name) => ({
    name,
    isNeeded: NEEDED.includes(name),
    ...verdicts[name],
  }));
}
