// Times, in a fresh process, how long two bare workers take until both have answered a message. With the argument `module`, each
// worker first imports a module of two files.
import { BareTeam } from './bare-team.mjs';

const works = {
  nothing: () => (n) => n + 1,
  module: ({ url }) => {
    const loaded = import(url);
    return async (n) => (await loaded).next(n);
  },
};

const url = new URL('./bare-next.mjs', import.meta.url).href;
const startMs = performance.now();
const team = new BareTeam(works[process.argv[2]], { url });
const [answer] = await team.run(1);
const ms = performance.now() - startMs;
team.unref();
console.log(JSON.stringify({ ms, answer }));
