/**
 * Algorithms that do one thing with each element, or with each block of elements, in any order: such an algorithm is described by its
 * arrays, its body and its result, and the rest is here. Described at import; run on every thread that computes.
 */
import { compiled, openContext } from '../../core/engine.js';
import { type Cost, costOf } from '../schedule/cost.js';
import { Grain, type ShareOptions } from '../schedule/grain.js';
import { type Dealing, type StagedKind, stagedKind } from '../schedule/stages.js';
import type { Start } from './algorithm.js';
import type { CallArrays } from './call-arrays.js';
import { beginStaged, type StagedCall } from './staged-call.js';
import type { FunctionSpec } from './user-function.js';

/** Specification of a call, which all its threads know. */
interface ElementSpec<Work> extends Partial<FunctionSpec>, ShareOptions {
  /** Data on which the body works. */
  readonly work: Work;
  readonly elements: number;
  /** Units in a block of the partition that the user has chosen. */
  readonly blockUnits: number | undefined;
}

/** Part of an algorithm on the threads that compute that differs from others. */
export interface ElementBody<Work> {
  /**
   * Makes a function that does elements [lo, hi), or one block, from the user's function and the context that it is called with, if
   * there are any. With `isSuperseded`, the function returns how many elements it has dealt with.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most have nothing to return
  body(work: Work, fn: unknown, context: unknown): (lo: number, hi: number) => number | void;
  /** The cost of an element; that of the user's function if this is left out. */
  cost?(work: Work): Cost;
  /** Elements in a block, which one thread does and which begins at a multiple of that; 1 if this is left out. */
  readonly block?: number;
  /** For units that are no elements: into how many the work is cut. The function does units then, not elements. */
  cut?(work: Work): number;
  /** Dealing of the units, if the user may choose a partition. */
  readonly dealt?: (blockUnits: number) => Dealing;
  /** For a call that may stop early: whether nothing from element i on matters any more, errors included. */
  isSuperseded?(work: Work, i: number): boolean;
}

/** Describes an algorithm, at import; `name` is unique in the library. */
export function elementKind<Work>(
  name: string,
  { body, cost, block = 1, cut, dealt, isSuperseded }: ElementBody<Work>,
): ElementKind<Work> {
  return stagedKind(name, (spec) => {
    const { work, elements, blockUnits, fn, context, called, threshold, parallelism } = spec;
    const userFunction = fn && compiled(fn);
    const run = body(work, userFunction, context && openContext(context));
    const units = cut?.(work) ?? Math.ceil(elements / block);
    const unitElements = cut === undefined ? block : elements / units;
    const costOfElement = cost?.(work) ?? costOf(userFunction as object);
    return [
      {
        units,
        calls: called,
        context,
        grain: new Grain({ cost: costOfElement, unitElements, units, threshold, parallelism }),
        dealing: blockUnits === undefined ? undefined : dealt?.(blockUnits),
        isSuperseded: isSuperseded && ((i) => isSuperseded(work, i)),
        run(lo, hi) {
          if (block === 1) return run(lo, hi) ?? hi - lo;
          for (let b = lo; b < hi; b++) run(b * block, Math.min(elements, (b + 1) * block));
          return Math.min(elements, hi * block) - lo * block;
        },
      },
    ];
  });
}

export type ElementKind<Work> = StagedKind<ElementSpec<Work>>;

/** A call whose arguments were checked. */
export interface ElementCall<Work, R>
  extends Pick<StagedCall<ElementSpec<Work>, R>, 'callee' | 'options' | 'elements' | 'copies' | 'kind'> {
  /** The user's function, if there is one. */
  readonly user?: FunctionSpec | undefined;
  /** The cost of an element, as the kind has it. */
  readonly cost?: Cost;
  /** Units in a block of the partition that the user has chosen. */
  readonly blockUnits?: number | undefined;
  /** Asks for the arrays that the body works on; called again if a pool takes over. */
  work(arrays: CallArrays): Work;
  result(arrays: CallArrays, work: Work): R;
  /** Number of elements that were dealt with, if that may be fewer than all. */
  ran?(work: Work): number;
}

/** Begins a call that was checked, as `beginStaged` does. */
export function beginElements<Work, R>(call: ElementCall<Work, R>): Start<R> {
  const { callee, options, kind, elements, user, copies, ran } = call;
  return beginStaged<ElementSpec<Work>, R>({
    callee,
    options,
    kind,
    elements,
    cost: call.cost ?? costOf(compiled((user as FunctionSpec).fn)),
    copies,
    spec: (arrays) => ({
      work: call.work(arrays),
      elements,
      blockUnits: call.blockUnits,
      fn: user?.fn,
      context: user?.context,
      called: user?.called,
      threshold: options.threshold,
      parallelism: options.parallelism,
    }),
    result: (arrays, { work }) => call.result(arrays, work),
    ran: ran && (({ work }) => ran(work)),
  });
}
