// The program of Node, Bun and Deno: prints the samples as JSON.
import { measure } from './lane.mjs';

console.log(JSON.stringify(await measure(JSON.parse(process.argv[2]))));
