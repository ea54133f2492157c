/** Limits: what users import. */
export { type Limit, limit } from './limit.js';
