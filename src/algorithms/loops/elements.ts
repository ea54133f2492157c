/** The public functions of the family `elements`. */
export * from './for-each.js';
export * from './map.js';
export * from './tabulate.js';
