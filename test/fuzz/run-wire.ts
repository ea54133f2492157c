/** The program of `npm run fuzz:wire`: many hostile messages, in pieces, with the memory after each. */
import { parseArgs } from 'node:util';
import { collectSomeTimes } from '../helpers/garbage.js';
import { fuzzWire } from './wire.js';

const PIECE = 50_000;

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});
const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 30));
const wanted = Number(values.messages);
console.log(`repeat: npm run fuzz:wire -- --messages ${wanted} --seed ${first}`);
for (let done = 0, seed = first; done < wanted; done += PIECE, seed++) {
  const { taken, refused } = await fuzzWire(seed, Math.min(PIECE, wanted - done));
  await collectSomeTimes(); // arrays that were collected are let go of in a turn of the event loop
  const { heapUsed, rss } = process.memoryUsage();
  const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  console.log(
    `${done + taken + refused}: ${taken} taken, ${refused} refused; heap ${mb(heapUsed)}, process ${mb(rss)}`,
  );
}
