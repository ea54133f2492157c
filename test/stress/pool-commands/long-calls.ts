/** Calls that hold a worker until they are told, or until something ends them. */
import type fc from 'fast-check';
import { task as taskOf } from 'furcate';
import { fixture } from '../../helpers/executors.js';
import { sharedWords, tell, whenSet } from '../../helpers/words.js';
import { type Command, command } from './command.js';
import {
  type Call,
  endingOf,
  endsAtOnce,
  expectAborted,
  expectTold,
  hasRoom,
  type Model,
  type Real,
  workerIsFree,
} from './model.js';

const dying = await fixture('dying.mjs');

/** Submits a long call, and waits until it runs if a worker is free. */
export async function begin(model: Model, { pool }: Real, name: string): Promise<void> {
  const words = sharedWords();
  const controller = new AbortController();
  const work = taskOf(dying[name] as never, words);
  const call: Call = {
    name,
    isDeaf: name === 'waitsUntilTold',
    words,
    controller,
    ending: endingOf(pool.invoke(work, { signal: controller.signal })),
    value: 'told',
    tell: () => tell(words, 1),
  };
  model.running.push(call);
  if (model.running.length <= model.parallelism) await whenSet(words);
}

export const LONG_CALLS: readonly fc.Arbitrary<Command>[] = [
  ...['counts', 'asks', 'waitsUntilTold'].map((name) =>
    command(`begin ${name}`, hasRoom, (model, real) => begin(model, real, name)),
  ),
  ...[0, 1, 2].flatMap((k) => [
    command(
      `tell ${k}`,
      (model) => k < Math.min(model.running.length, model.parallelism) && endsAtOnce(model, k),
      async (model) => {
        const call = model.running[k] as Call;
        call.tell();
        await expectTold(model, call);
        await workerIsFree(model, k);
      },
    ),
    command(
      `abort ${k}`,
      (model) => k < model.running.length && endsAtOnce(model, k),
      async (model) => {
        const call = model.running[k] as Call;
        call.controller.abort(call.name);
        if (call.isDeaf) call.tell();
        await expectAborted(model, call);
        await workerIsFree(model, k);
      },
    ),
  ]),
];
