/** Checks by a function's text whether it can tell its number of arguments; runs on every thread that forks it, once. */
import { NO_CODE } from '../code/class-check.js';

/** The text of natives, bound functions and proxies does not tell, nor does that of a function that may evaluate `arguments`. */
const MAY_COUNT = /\barguments\b|\beval\b|\[native code\]/;

/** False only if a call with further arguments, all undefined, is the same call. */
export function countsArguments(fn: (...args: never) => unknown): boolean {
  const text = Function.prototype.toString.call(fn);
  const code = text.includes('[native code]') ? text : text.replace(NO_CODE, '$1 ');
  return MAY_COUNT.test(code) || parametersOf(code).includes('...');
}

/** The text of the parameters, with what surrounds them. */
function parametersOf(code: string): string {
  const open = code.indexOf('(');
  const arrow = code.indexOf('=>');
  if (open < 0 || (arrow >= 0 && arrow < open)) return ''; // one parameter without parentheses
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code.charAt(at) === '(') depth++;
    else if (code.charAt(at) === ')' && --depth === 0) return code.slice(open, at);
  }
  return code;
}
