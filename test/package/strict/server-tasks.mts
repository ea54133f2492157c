import { checkpoint, forkable, registerError } from 'furcate';

export class BadRequest extends Error {}
registerError(import.meta.url, 'BadRequest', BadRequest);

export const countPrimes = forkable(import.meta.url, 'countPrimes', (limit: number): number => {
  if (!Number.isSafeInteger(limit) || limit < 0) throw new BadRequest('limit must be a number');
  let count = 0;
  for (let n = 2; n < limit; n++) {
    if (n % 1_024 === 0) checkpoint(); // stops here when the client has gone
    let isPrime = true;
    for (let k = 2; k * k <= n && isPrime; k++) isPrime = n % k !== 0;
    if (isPrime) count++;
  }
  return count;
});
