/**
 * Tells of a pipeline that was made and dropped without a run: `pipeline(rows).map(save);` does nothing, because a pipeline is a description. On the
 * thread that calls, in development only (`NODE_ENV` is not 'production'), and once.
 *
 * A pipeline that is kept may yet run, so only the collector knows. A program that ends before it collects garbage is not warned.
 */
import { callSite, environmentVariable, isLoading } from '../../core/engine.js';

/** Record that is kept of a pipeline beside itself. */
export interface MadePipeline {
  /** True once it has run, or another was made of it. */
  isUsed: boolean;
  readonly site: { readonly stack?: string };
}

let hasWarned = false;
let watched: FinalizationRegistry<MadePipeline> | undefined;

/** Notes a new pipeline; undefined where nobody would be told. @param above the function of this module's user that makes it */
export function noteMade(pipeline: object, above: (...args: never) => unknown): MadePipeline | undefined {
  // What a worker's import makes is not meant to run there.
  if (hasWarned || isLoading() || environmentVariable('NODE_ENV') === 'production') return undefined;
  watched ??= new FinalizationRegistry(tellUnlessUsed);
  const made: MadePipeline = { isUsed: false, site: callSite(above) };
  watched.register(pipeline, made);
  return made;
}

function tellUnlessUsed({ isUsed, site }: MadePipeline): void {
  if (isUsed || hasWarned) return;
  hasWarned = true;
  const frames = (site.stack ?? '').split('\n').filter((line) => /:\d+:\d+\)?$/.test(line));
  const [own] = frames;
  const place = frames.find((frame) => fileOf(frame) !== fileOf(own));
  console.warn(
    `furcate: a pipeline was dropped that has never run: it is a description. Iterate it, or await .toArray(), .forEach(), .reduce() or .pipeTo().${place === undefined ? '' : ` It was made${place.replace(/^ +/, ' ')}`}`,
  );
}

const fileOf = (frame: string | undefined): string | undefined => frame?.replace(/^.*?[(@ ](?=\S+$)|:\d+:\d+\)?$/g, '');
