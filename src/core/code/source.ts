/** Functions and contexts that travel as source: what algorithms use of it; runs on every thread. */
export { explainReferenceError } from './captured-variable.js';
export { compileSource } from './compile.js';
export { openContext, type SharingRules, type ShippedContext, shipContext } from './context.js';
export { compiled, isForkable, type ShippedFunction, shipFunction } from './shipped-function.js';
