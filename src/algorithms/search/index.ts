/** The public functions of this family: find, some, every, index of, count. */
export { parallelCount, parallelCountSync } from './count.js';
export { parallelEvery, parallelEverySync } from './every.js';
export { parallelFind, parallelFindSync } from './find.js';
export { parallelFindIndex, parallelFindIndexSync } from './find-index.js';
export { parallelIndexOf, parallelIndexOfSync } from './index-of.js';
export { parallelSome, parallelSomeSync } from './some.js';
