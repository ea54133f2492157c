/** One work of one system; runs on the main thread of a process of its own, which the build made plain JavaScript for. */
import { serveLane } from '../harness/serve-lane.js';
import { type Candidate, open } from './systems.js';

export interface Place {
  readonly work: string;
  readonly system: string;
  readonly share: number;
}

serveLane(async ({ work, system, share }: Place) => {
  const candidate = (await open(work, system, share)) as Candidate;
  // The sums and checks of a result are work, too: of all systems alike, in native programs as well.
  return {
    prepare() {
      candidate.prepare();
      return 0;
    },
    async call() {
      const answer = await candidate.call();
      return () => (candidate.isRight() ? answer : Number.NaN);
    },
  };
});
