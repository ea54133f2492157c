/** Shows progress on stderr: a bar on a terminal, otherwise a line for each step. */
import { Presets, SingleBar } from 'cli-progress';

export interface ProgressDisplay {
  /** Starts a step of the job. */
  begin(label: string): void;
  /** Updates the share of the step that is done, from 0 to 1. Undefined without a terminal, so that nothing is counted. */
  readonly update: ((share: number) => void) | undefined;
  /** Ends the step. */
  end(): void;
}

export function progressDisplay(stream: NodeJS.WriteStream): ProgressDisplay {
  return stream.isTTY ? barDisplay(stream) : lineDisplay(stream);
}

function barDisplay(stream: NodeJS.WriteStream): ProgressDisplay {
  const bar = new SingleBar(
    { stream, format: ' {bar} {percentage} % | {label}', clearOnComplete: true, barsize: 30 },
    Presets.shades_classic,
  );
  return {
    begin: (label) => bar.start(100, 0, { label }),
    update: (share) => bar.update(Math.floor(100 * share)),
    end: () => bar.stop(),
  };
}

function lineDisplay(stream: NodeJS.WritableStream): ProgressDisplay {
  return {
    begin: (label) => void stream.write(`${label} ...\n`),
    update: undefined,
    end: () => {},
  };
}
