/**
 * Sleeping and waking: a thread sleeps on its own event word, and a waker claims the sleeper before it wakes it.
 *
 * Order alone closes the two races that matter (README.md has the proof sketches). A sleeper registers, then looks for work
 * once more, then waits; a publisher publishes, then looks for sleepers. A thief that completes a task exchanges its status, and
 * so sees whether the forker waits; the forker reads its event word, then sets the status to waiting, then waits on that value.
 */
import { add, compareExchange, load, notify, or, store, sub, wait } from '../memory/atomics.js';
import type { ControlMemory } from '../memory/control.js';
import {
  C_SEARCHERS,
  C_SLEEPERS,
  REQUEST_ROOT,
  REQUEST_STEAL,
  STATE_IDLE,
  STATE_JOINING,
  STATE_RUNNING,
  STATE_WAITING,
  slotWord,
  W_EVENT,
  W_REQUESTS,
  W_STATE,
} from '../memory/layout.js';
import { host } from '../platform/host.js';
import { probeStep } from '../probe.js';
import { whenChanged } from './when-changed.js';
import { invocationOf, type WorkerSlot } from './worker-slot.js';

/** Time between two looks of a worker at its event word where the runtime cannot wait for it without blocking (milliseconds). */
const POLL_MS = 1;

/** Wakes the thread of a slot, whatever it sleeps for. */
export function wakeSlot(memory: ControlMemory, slot: number): void {
  const event = slotWord(memory.layout, slot) + W_EVENT;
  add(memory.words, event, 1); // S1: before notify; pairs with the value that `sleep` waits on
  notify(memory.words, event);
}

/**
 * Wakes one sleeper that can use a task of `invocation`, unless a searcher will find the task anyway. For `NO_INVOCATION` it is an idle worker.
 *
 * @returns true if that was an idle worker, which wakes the next one if there is more work
 */
export function wakeOne(memory: ControlMemory, invocation: number): boolean {
  const { words } = memory;
  if (load(words, C_SLEEPERS) <= 0) return false; // S2: after the push; pairs with register
  if (load(words, C_SEARCHERS) > 0) return false; // S2: a searcher deregisters before its last look
  if (wakeState(memory, STATE_IDLE, () => true)) return true;
  wakeState(memory, STATE_JOINING, (slot) => invocationOf(memory, slot) === invocation);
  return false;
}

/** Wakes the thread of a slot if it sleeps as an idle worker. */
export const wakeIdle = (memory: ControlMemory, slot: number): boolean =>
  wakeState(memory, STATE_IDLE, (k) => k === slot);

/** Wakes the last worker if it has made room for the caller. */
export function wakeLast(memory: ControlMemory): void {
  const { words, layout, lastWorker } = memory;
  if (load(words, slotWord(layout, lastWorker) + W_STATE) === STATE_WAITING) wakeSlot(memory, lastWorker);
}

/** For a root that should not wait: asks all workers to give way, and wakes one that sleeps, in a join if none is idle. */
export function wakeForRoot(memory: ControlMemory): void {
  const { words, layout, slots } = memory;
  for (let slot = 1; slot < slots; slot++) or(words, slotWord(layout, slot) + W_REQUESTS, REQUEST_ROOT); // S9: after the push
  if (load(words, C_SLEEPERS) <= 0) return; // S2
  if (load(words, C_SEARCHERS) > 0 || wakeState(memory, STATE_IDLE, () => true)) return;
  wakeState(memory, STATE_JOINING, () => true);
}

/**
 * Wakes a helper for the caller, unless a searcher will see that the caller computes. Any worker will do but the last one, which
 * would only rest.
 */
export function wakeHelper(memory: ControlMemory): void {
  const { words, layout } = memory;
  if (layout.parallelism === 1) return; // first: it saves an empty `invokeSync` 50 ns
  if (load(words, C_SLEEPERS) <= 0 || load(words, C_SEARCHERS) > 0) return; // S4: after the caller named its invocation
  wakeState(memory, STATE_IDLE, (slot) => slot !== memory.lastWorker);
}

function wakeState(memory: ControlMemory, state: number, fits: (slot: number) => boolean): boolean {
  const { words, layout, slots } = memory;
  for (let slot = 0; slot < slots; slot++) {
    const at = slotWord(layout, slot) + W_STATE;
    if (load(words, at) !== state || !fits(slot)) continue;
    if (compareExchange(words, at, state, STATE_RUNNING) !== state) continue; // S3: one waker for each sleeper
    probeStep('wake: sleeper claimed');
    sub(words, C_SLEEPERS, 1);
    probeStep('wake: sleeper to notify');
    wakeSlot(memory, slot);
    return true;
  }
  return false;
}

/**
 * Sleeps until woken, at most `sliceMs`.
 *
 * @param state who may wake it: publishers claim sleepers in all states but `STATE_WAITING`
 * @param event what `eventOf` gave before the reason to sleep was checked
 * @param look the last look, once registered: true to stay awake
 */
export function sleep(own: WorkerSlot, state: number, sliceMs: number, event: number, look: () => boolean): void {
  const { words } = own;
  register(own, state);
  probeStep('sleep: registered');
  if (!look()) {
    own.note('sleeps', 1, state);
    probeStep('sleep: about to wait');
    wait(words, own.eventWord, event, sliceMs);
    own.sink?.beside();
  }
  deregister(own, state);
}

/**
 * Sleeps until woken, while the event loop goes on. The thread lives on until then.
 *
 * @param state as for `sleep`
 * @param event as for `sleep`
 * @param look as for `sleep`
 * @param untilElse calls back when there is another reason to wake up; returns what ends that
 */
export async function sleepInLoop(
  own: WorkerSlot,
  state: number,
  event: number,
  look: () => boolean,
  untilElse: (wake: () => void) => () => void,
): Promise<void> {
  register(own, state);
  if (!look()) {
    own.note('sleeps', 1, state);
    const release = host().keepAlive?.();
    let stop = (): void => {};
    const orElse = new Promise<void>((wake) => {
      stop = untilElse(wake);
    });
    await Promise.race([eventChanged(own, event), orElse]);
    stop();
    release?.();
    own.sink?.beside();
  }
  deregister(own, state);
}

/** The wait that goes on, and the value of the event word that it waits on. While that has not changed, the wait serves the next sleep, too. */
let pending: { readonly event: number; readonly promise: Promise<void> } | undefined;

/** Resolves when the event word is not `event` any more; sometimes earlier, when a waker of before notifies late. */
function eventChanged(own: WorkerSlot, event: number): Promise<void> {
  if (pending?.event === event) return pending.promise;
  const outcome = whenChanged(own.words, own.eventWord, event);
  if (outcome === undefined) return new Promise<void>((resolve) => host().backgroundTimer(POLL_MS, resolve));
  if (!outcome.async) return Promise.resolve(); // it has changed already
  const promise = outcome.value.then(() => {
    if (pending?.promise === promise) pending = undefined;
  });
  pending = { event, promise };
  return promise;
}

/** Publishers claim sleepers in these states. */
const isClaimable = (state: number): boolean => state === STATE_IDLE || state === STATE_JOINING;

function register({ words, stateWord }: WorkerSlot, state: number): void {
  store(words, stateWord, state);
  probeStep('sleep: state set');
  if (isClaimable(state)) add(words, C_SLEEPERS, 1); // S2: registered before the last look
}

function deregister({ words, stateWord }: WorkerSlot, state: number): void {
  probeStep('sleep: woken');
  const isClaimed = compareExchange(words, stateWord, state, STATE_RUNNING) !== state;
  if (isClaimable(state) && !isClaimed) sub(words, C_SLEEPERS, 1); // else the waker did
}

/** The value of the thread's event word, for `sleep`. */
export const eventOf = (own: WorkerSlot): number => load(own.words, own.eventWord);

/** Sets this thread's own steal request if others sleep, because sleepers cannot ask for work. */
export function feedSleepers(own: WorkerSlot): void {
  if (load(own.words, C_SLEEPERS) > 0) or(own.words, own.requestsWord, REQUEST_STEAL);
}
