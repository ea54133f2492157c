/**
 * The helper by which bundlers keep the names of functions: `__name(fn, 'x')` of esbuild and tsx, under whatever name a minifier gives it.
 * A function that is compiled from its text cannot reach the helper, so a stand-in returns the function itself.
 */
const probe = (): unknown => {
  const probed = (): number => 0;
  return probed;
};

/** The helper's name in this bundle, which the probe's own text calls. */
export function keptNamesHelper(): string {
  return /([\w$]+)\(\(\) *=>[^"']*["']probed["']/.exec(String(probe))?.[1] ?? '__name';
}

export const KEPT_NAMES_STAND_IN = '(fn) => fn';

/** A declaration that stands in for the helper. */
export const keptNamesShim = (): string => `const ${keptNamesHelper()} = ${KEPT_NAMES_STAND_IN};`;
