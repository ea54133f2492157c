/** What takes the place of `src/core/memory/atomics.ts`, and of plain accesses to shared words, in a model. */
export interface Seam {
  readonly buffer: SharedArrayBuffer;
  load(words: Int32Array, index: number): number;
  store(words: Int32Array, index: number, value: number): number;
  add(words: Int32Array, index: number, value: number): number;
  sub(words: Int32Array, index: number, value: number): number;
  and(words: Int32Array, index: number, value: number): number;
  or(words: Int32Array, index: number, value: number): number;
  exchange(words: Int32Array, index: number, value: number): number;
  compareExchange(words: Int32Array, index: number, expected: number, replacement: number): number;
  wait(words: Int32Array, index: number, expected: number, timeoutMs?: number): string;
  notify(words: Int32Array, index: number, count?: number): number;
  /** A thread that has nothing else to do may as well block. */
  waitAsync(words: Int32Array, index: number, expected: number): { readonly async: false; readonly value: string };
  /** Plain accesses. */
  read(words: Int32Array | Float64Array, index: number): number;
  write(words: Int32Array | Float64Array, index: number, value: number): number;
  /** Lets a pause pass through a handler. */
  pass(error: unknown): void;
  /** Microtasks; `ThreadContext.drain` runs them. */
  queue(callback: () => void): void;
  nowMs(): number;
  random(): number;
}

/** The kinds of access. */
export const LOAD = 0;
export const STORE = 1;
export const ADD = 2;
export const SUB = 3;
export const AND = 4;
export const OR = 5;
export const EXCHANGE = 6;
export const COMPARE_EXCHANGE = 7;
export const WAIT = 8;
export const NOTIFY = 9;
export const READ = 10;
export const WRITE = 11;
export const UNTIL = 12;
export const KILL = 13;

export const KIND_NAMES = [
  'load',
  'store',
  'add',
  'sub',
  'and',
  'or',
  'exchange',
  'compareExchange',
  'wait',
  'notify',
  'read',
  'write',
  'until',
  'kill',
] as const;

/** Does an access of this kind only look? */
export const onlyReads = (kind: number): boolean => kind === LOAD || kind === READ || kind === UNTIL;

/** What a word holds after an access. */
export function modified(kind: number, before: number, a: number, b: number): number {
  switch (kind) {
    case STORE:
    case WRITE:
    case EXCHANGE:
      return a;
    case ADD:
      return (before + a) | 0;
    case SUB:
      return (before - a) | 0;
    case AND:
      return before & a;
    case OR:
      return before | a;
    case COMPARE_EXCHANGE:
      return before === a ? b : before;
    default:
      return before;
  }
}
