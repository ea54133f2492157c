/** Arrays of objects and strings, and functions that wait. */
import { parallelFilter, parallelMap, parallelReduce } from 'furcate';

const documents = Array.from({ length: 1000 }, (_, i) => `{ "price": ${i % 7}, "name": "n${i}" }`);
const parsed = await parallelMap(documents, (text) => JSON.parse(text));
console.log(JSON.stringify(parsed[999])); // => {"price":5,"name":"n999"}
console.log((await parallelFilter(parsed, ({ price }) => price === 6)).length); // => 142
console.log(await parallelReduce(parsed, (a, b) => a + b, 0, { map: ({ price }) => price })); // => 2997
console.log((await parallelMap([3, 5], async (n) => n * n, { concurrency: 2 })).join()); // => 9,25
