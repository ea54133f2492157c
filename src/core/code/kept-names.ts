/**
 * The helper by which bundlers keep the names of functions: `__name(fn, 'x')` of esbuild and tsx, or what minifying makes of
 * `__name`. It stands outside of a function whose text is compiled anew; there the function itself is all that matters.
 */

const probe = (): unknown => {
  const probed = (): number => 0;
  return probed;
};

/** The helper's name in this bundle: what is called in the probe's own text. */
export function keptNamesHelper(): string {
  return /([\w$]+)\(\(\) *=>[^"']*["']probed["']/.exec(String(probe))?.[1] ?? '__name';
}

/** A declaration that stands in for the helper. */
export const keptNamesShim = (): string => `const ${keptNamesHelper()} = (fn) => fn;`;
