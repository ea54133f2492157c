/** What the three files of a workload export, and how they are found; runs on the main thread of tests and lanes. */
import { existsSync, readdirSync } from 'node:fs';
import type { ForkJoinPool, TypedArrayConstructor } from 'furcate';
import type { Caller } from './team.js';

/** Makes an array of zeros: an ordinary one for the sequential version, a shared one for the parallel versions. */
export type Make = <T extends TypedArrayConstructor>(Type: T, n: number) => InstanceType<T>;

/** Makes ordinary arrays. */
export const ordinary = ((Type: new (n: number) => unknown, n: number) => new Type(n)) as Make;

/** `config` in `config.ts`: the problem, its data and its right answer. */
export interface Config<Size, Input, Result> {
  /** The problem, and where it or its answer comes from. */
  readonly what: string;
  /** The sizes that are measured, by name. */
  readonly sizes: Readonly<Record<string, Size>>;
  /** A size that tests run, in some milliseconds. */
  readonly small: Size;
  /** Makes the data, the same each time. */
  open(size: Size, make: Make): Input;
  /** Makes the data of the next call, if a call changes them. */
  restore?(input: Input): void;
  /** What is compared with the right answer. */
  answer(input: Input, result: Result): unknown;
  /** The right answer: published, or computed in another way. */
  expected(input: Input): unknown;
}

/** `sequential` in `sequential.ts`. */
export type Sequential<Input, Result> = (input: Input) => Result;

/** `ways` in `parallel.ts`: parallel versions by name; the name is empty if there is one. */
export type Ways<Input, Result> = Readonly<Record<string, (input: Input, pool: ForkJoinPool) => Promise<Result>>>;

/** The way that `bare.ts` has, where there is one: two bare workers. */
export const BARE = 'bare workers';

export interface Workload {
  readonly config: Config<unknown, unknown, unknown>;
  readonly sequential: Sequential<unknown, unknown>;
  readonly ways: Ways<unknown, unknown>;
  /** What the main thread does in the version by hand, where there is one. */
  readonly byHand?: Caller<never, never, never, never, unknown>;
}

const here = new URL('.', import.meta.url);

/** The names of all workloads: each has a folder. */
export const workloadNames = (): string[] =>
  readdirSync(here, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

export async function loadWorkload(name: string): Promise<Workload> {
  const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const fileOf = (part: string): URL => new URL(`${name}/${part}${suffix}`, here);
  const parts = ['config', 'sequential', 'parallel', ...(existsSync(fileOf('bare')) ? ['bare'] : [])];
  const [{ config }, { sequential }, { ways }, bare] = await Promise.all(
    parts.map((part) => import(/* @vite-ignore */ fileOf(part).href)),
  );
  return { config, sequential, ways, ...(bare && { byHand: bare.caller ?? {} }) };
}
