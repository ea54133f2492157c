/** The public functions of this family: unique, reduce by key, histogram, dictionaries. */
export { type DictionaryEncoded, type DictionaryOptions, dictionaryEncode, type MaybeString } from './dictionary.js';
export {
  type BinOf,
  type HistogramOptions,
  parallelHistogram,
  parallelHistogramSync,
  type RangeHistogramOptions,
} from './histogram.js';
export {
  type ByKeyRest,
  type CombinedArray,
  parallelReduceByKey,
  parallelReduceByKeySync,
  type ReducedByKey,
} from './reduce-by-key.js';
export { parallelUnique, parallelUniqueSync } from './unique.js';
