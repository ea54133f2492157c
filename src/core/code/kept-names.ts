/**
 * The helper by which bundlers keep the names of functions: `__name(fn, 'x')` of esbuild and tsx, under whatever name a minifier gives it.
 * A function that is compiled from its text cannot reach the helper, so a stand-in returns the function itself.
 */

const probe = (): unknown => {
  const probed = (): number => 0;
  return probed;
};

const PLAIN = '__name';

/** The helper's name in this file of the bundle, which the probe's own text calls. */
export function keptNamesHelper(): string {
  return /([\w$]+)\(\(\) *=>[^"']*["']probed["']/.exec(String(probe))?.[1] ?? PLAIN;
}

export const KEPT_NAMES_STAND_IN = '(fn) => fn';

/** Possible calls of the helper in minified text: `x(f,"f")`, and `x((a)=>...` as a value. */
const CALLS = /(?<![\w$.])([\w$]+)\([\w$]+,"|[=:(,[]([\w$]+)\((?=\(|async\b|function\b|class\b|[\w$]+=>)/g;
const RESERVED = /^(async|await|catch|for|function|if|new|return|super|switch|typeof|void|while|\d.*)$/;

/**
 * Declarations that stand in for the helper around a text of the library.
 *
 * @param text of a part that may be in another file of the bundle, where a minifier gives the helper another name. A part declares all names
 *   that it uses but the helper and globals. So a stand-in for any other name that looks like the helper does no harm
 */
export function keptNamesShim(text = ''): string {
  const names = new Set([keptNamesHelper()]);
  if (!names.has(PLAIN)) for (const [, first, second] of text.matchAll(CALLS)) names.add((first ?? second) as string);
  const declared = [...names].filter((name) => !(name in globalThis) && !RESERVED.test(name));
  return `const ${declared.map((name) => `${name} = ${KEPT_NAMES_STAND_IN}`)};`;
}
