/** The queries by hand: half of the vectors for each worker, then the better of both lists. */
import type { Bare, Caller } from '../team.js';
import type { Collection } from './config.js';
import { type Best, bestOf, queryOf } from './sequential.js';

export const caller: Caller<Collection, Collection, undefined, Best[], number[]> = {
  close: ({ parts: [lower, upper] }) =>
    lower.map((best, q) => (upper[q].scores[0] > best.scores[0] ? upper[q] : best).vectors[0]),
};

export const bare: Bare<Collection, undefined, Best[]> = (collection, team) => {
  const [lo, hi] = team.share(collection.vectors);
  return Array.from({ length: collection.queries }, (_, q) => bestOf(lo, hi, queryOf(q, collection), collection));
};
