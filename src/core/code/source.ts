/** Functions and contexts that travel as source: what algorithms use of it; runs on every thread. */
export { compileSource } from './compile.js';
export { checkContext, openContext, type ShippedContext, shipContext } from './context.js';
export { kernelOf } from './context-kernel.js';
export { explainThrown } from './explain-thrown.js';
export { compiled, kernel } from './kernel.js';
export { isForkable, type ShippedFunction, shipFunction } from './shipped-function.js';
