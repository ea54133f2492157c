/** Parts of the library as functions in a bundle: the text of a part is what its function says of itself. */
import { keptNamesShim } from '../core/code/kept-names.js';
import type { PartSource, PartSupplier } from '../core/library/parts.js';

/** @param make what the part's module exports */
export function partInBundle(name: string, make: PartSource['make']): PartSupplier {
  const source = (): PartSource => ({
    path: `furcate/${name}.js`,
    make,
    get text() {
      const text = String(make);
      return `(() => { ${keptNamesShim(text)} return ${text}; })()`;
    },
  });
  return Object.assign(source, { isAtHand: true as const });
}
