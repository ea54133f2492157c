/**
 * Globals of a page that its workers lack. A function that travels as text may run on the page's own thread, and means the same there: it does not
 * see them.
 */

const NAMES =
  'window|document|parent|top|opener|frames|frameElement|localStorage|sessionStorage|history|screen|alert|confirm|prompt|print|' +
  'getComputedStyle|matchMedia|getSelection|devicePixelRatio|visualViewport|customElements|speechSynthesis|cookieStore|' +
  '(?:inner|outer)(?:Width|Height)|scroll(?:X|Y|To|By)|page[XY]Offset|' +
  'Image|Audio|Option|Node|NodeList|Element|Document|Range|Selection|DOMParser|XMLSerializer|XPathEvaluator|' +
  '(?:Mutation|Resize|Intersection)Observer|RTCPeerConnection|AudioContext|(?:HTML|SVG|MathML)\\w*Element';

const OF_PAGES = new RegExp(`(?<![\\w$.])(?:${NAMES})(?![\\w$])`, 'g');
const IS_OF_PAGES = new RegExp(`^(?:${NAMES})$`);

export const isOfPages = (name: string): boolean => IS_OF_PAGES.test(name);

/**
 * The body of a function that returns the value of an expression, in strict mode, for a page. Where the expression reads a name that workers lack, it
 * throws a `ReferenceError`, since the declaration of the name is never reached; where it asks for the type of such a name, the name is undefined.
 */
export function withoutPage(expression: string): string {
  const names = [...new Set(expression.match(OF_PAGES))];
  if (names.length === 0) return `"use strict"; return (${expression}\n)`;
  const asked = names.filter((name) => new RegExp(`\\btypeof\\s*\\(?\\s*${name}(?![\\w$])`).test(expression));
  const missing = names.filter((name) => !asked.includes(name));
  const declared = missing.length === 0 ? '' : `let ${missing.join(', ')};`;
  const undefinedOnes = asked.length === 0 ? '' : `const ${asked.map((name) => `${name} = undefined`).join(', ')};`;
  return `"use strict"; { ${undefinedOnes} return (${expression}\n); ${declared} }`;
}
