/** The families of algorithms: each gives its public functions, which load it when one of them is first called. */
import * as sources from './parts.js';
import { runtime } from './runtime.js';

function provideAll(parts: Readonly<Record<string, sources.Source>>): void {
  for (const [part, source] of Object.entries(parts)) runtime.provide(part, source);
}

/** Marked as pure where it is called, so that a bundle holds the families that its program names, and no others. */
function family<Functions>(
  name: string,
  { source, needs, forValues }: sources.FamilySource,
): <Name extends keyof Functions & string>(name: Name) => Functions[Name] {
  provideAll(needs);
  runtime.provide(name, source, Object.keys(needs));
  if (forValues !== undefined) {
    runtime.defer('values', () => {
      const parts = forValues();
      return parts instanceof Promise ? parts.then(provideAll) : provideAll(parts);
    });
  }
  return (algorithm) => runtime.algorithm(name, algorithm) as Functions[typeof algorithm];
}

type Elements = typeof import('../algorithms/loops/elements.js');
type Fill = typeof import('../algorithms/loops/fill.js');
type Filter = typeof import('../algorithms/filter/filter.js');
type Group = typeof import('../algorithms/group/index.js');
type Invoke = typeof import('../algorithms/loops/invoke.js');
type Loops = typeof import('../algorithms/loops/for.js');
type MinMax = typeof import('../algorithms/reduce/min-max.js');
type Reduce = typeof import('../algorithms/reduce/reduce.js');
type Scan = typeof import('../algorithms/scan/scan.js');
type Search = typeof import('../algorithms/search/index.js');
type Sort = typeof import('../algorithms/sort/index.js');

export const elements = /* @__PURE__ */ family<Elements>('elements', sources.elements);
export const fill = /* @__PURE__ */ family<Fill>('fill', sources.fill);
export const filter = /* @__PURE__ */ family<Filter>('filter', sources.filter);
export const group = /* @__PURE__ */ family<Group>('group', sources.group);
export const invoke = /* @__PURE__ */ family<Invoke>('invoke', sources.invoke);
export const loops = /* @__PURE__ */ family<Loops>('loops', sources.loops);
export const minMax = /* @__PURE__ */ family<MinMax>('minMax', sources.minMax);
export const reduce = /* @__PURE__ */ family<Reduce>('reduce', sources.reduce);
export const scan = /* @__PURE__ */ family<Scan>('scan', sources.scan);
export const search = /* @__PURE__ */ family<Search>('search', sources.search);
export const sort = /* @__PURE__ */ family<Sort>('sort', sources.sort);
