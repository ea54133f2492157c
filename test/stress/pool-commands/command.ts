/** Commands: what may be done with a pool, and when. */
import fc from 'fast-check';
import { settledInTime } from '../../helpers/hangs.js';
import { expectUndisturbed } from '../../helpers/process-watch.js';
import type { Model, Real } from './model.js';

export type Command = fc.AsyncCommand<Model, Real>;

/** A command without choices of its own. */
export const command = (
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): fc.Arbitrary<Command> => fc.constant(commandOf(name, check, run));

/** A command with choices, which fast-check makes and shrinks. */
export const choosing = <Choice>(
  name: string,
  choices: fc.Arbitrary<Choice>,
  check: (model: Model, choice: Choice) => boolean,
  run: (model: Model, real: Real, choice: Choice) => Promise<void>,
): fc.Arbitrary<Command> =>
  choices.map((choice) =>
    commandOf(
      `${name} ${fc.stringify(choice)}`,
      (model) => check(model, choice),
      (model, real) => run(model, real, choice),
    ),
  );

/** A command that hangs, and one that disturbs the process, is named in the error. */
function commandOf(
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Command {
  return {
    check,
    async run(model, real) {
      try {
        await settledInTime('it', run(model, real));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(`command '${name}': ${message}`, { cause: error });
      }
      await expectUndisturbed(`command '${name}'`);
    },
    toString: () => name,
  };
}
