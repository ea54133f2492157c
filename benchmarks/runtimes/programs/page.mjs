// The program of a page: posts the samples, or what has failed.
import { measure } from './lane.mjs';

const effort = await (await fetch('/effort')).json();
const samples = await measure(effort).catch((error) => ({ error: `${error}\n${error.stack}` }));
await fetch('/samples', { method: 'POST', body: JSON.stringify(samples) });
