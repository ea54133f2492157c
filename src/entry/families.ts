/** The families of algorithms: each gives its public functions, which load it when one of them is first called. */
import type { PartSource } from '../core/code/parts.js';
import * as sources from './parts.js';
import { kernelsFilter, kernelsHistogram, kernelsReduce, kernelsScan, kernelsSort } from './parts.js';
import { runtime } from './runtime.js';

type Source = () => PartSource;

/**
 * Marked as pure where it is called, so that a bundle holds the families that its program names, and no others.
 *
 * @param kernels the parts that hold kernels for it
 */
function family<Functions>(
  name: string,
  source: Source,
  kernels: Readonly<Record<string, Source>>,
): <Name extends keyof Functions & string>(name: Name) => Functions[Name] {
  runtime.provide('algorithms', sources.algorithms);
  for (const [part, kernelSource] of Object.entries(kernels)) runtime.provide(part, kernelSource);
  runtime.provide(name, source, Object.keys(kernels));
  return (algorithm) => runtime.algorithm(name, algorithm) as Functions[typeof algorithm];
}

type Filter = typeof import('../algorithms/filter/index.js');
type Group = typeof import('../algorithms/group/index.js');
type Loops = typeof import('../algorithms/loops/index.js');
type Reduce = typeof import('../algorithms/reduce/index.js');
type Scan = typeof import('../algorithms/scan/index.js');
type Search = typeof import('../algorithms/search/index.js');
type Sort = typeof import('../algorithms/sort/index.js');

export const filter = /* @__PURE__ */ family<Filter>('filter', sources.filter, { kernelsFilter });
export const group = /* @__PURE__ */ family<Group>('group', sources.group, { kernelsHistogram });
export const loops = /* @__PURE__ */ family<Loops>('loops', sources.loops, { kernelsFilter });
export const reduce = /* @__PURE__ */ family<Reduce>('reduce', sources.reduce, { kernelsReduce, kernelsFilter });
export const scan = /* @__PURE__ */ family<Scan>('scan', sources.scan, { kernelsScan, kernelsReduce });
export const search = /* @__PURE__ */ family<Search>('search', sources.search, { kernelsFilter });
export const sort = /* @__PURE__ */ family<Sort>('sort', sources.sort, { kernelsSort });
