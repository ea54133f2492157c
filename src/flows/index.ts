/**
 * `furcate/flows`: work that flows: pipelines, task graphs, limits, and the best value so far.
 *
 * It stands on the core behind its door, as the algorithms do, and is an entry of its own: programs that do not import it pay nothing.
 *
 * @module
 */
// The build replaces this module in the package's entries: there each name loads its part when it is first used (scripts/parts.ts).
export * from './best/index.js';
export * from './graph/index.js';
export * from './limit/index.js';
export * from './pipeline/index.js';
