/** The families of algorithms: each gives its public functions, which load it when one of them is first called. */
import * as sources from './parts.js';
import { runtime } from './runtime.js';

/** Marked as pure where it is called, so that a bundle holds the families that its program names, and no others. */
function family<Functions>(
  name: string,
  { source, needs }: sources.FamilySource,
): <Name extends keyof Functions & string>(name: Name) => Functions[Name] {
  runtime.provide('algorithms', sources.algorithms);
  for (const [part, neededSource] of Object.entries(needs)) runtime.provide(part, neededSource);
  runtime.provide(name, source, Object.keys(needs));
  return (algorithm) => runtime.algorithm(name, algorithm) as Functions[typeof algorithm];
}

type Filter = typeof import('../algorithms/filter/index.js');
type Group = typeof import('../algorithms/group/index.js');
type Loops = typeof import('../algorithms/loops/index.js');
type Reduce = typeof import('../algorithms/reduce/index.js');
type Scan = typeof import('../algorithms/scan/index.js');
type Search = typeof import('../algorithms/search/index.js');
type Sort = typeof import('../algorithms/sort/index.js');

export const filter = /* @__PURE__ */ family<Filter>('filter', sources.filter);
export const group = /* @__PURE__ */ family<Group>('group', sources.group);
export const loops = /* @__PURE__ */ family<Loops>('loops', sources.loops);
export const reduce = /* @__PURE__ */ family<Reduce>('reduce', sources.reduce);
export const scan = /* @__PURE__ */ family<Scan>('scan', sources.scan);
export const search = /* @__PURE__ */ family<Search>('search', sources.search);
export const sort = /* @__PURE__ */ family<Sort>('sort', sources.sort);
