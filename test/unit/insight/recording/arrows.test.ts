import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChromeTimeline, namesOf, type Track } from '../../../../src/insight/recording/chrome-events.js';
import { ROOT, STOLEN } from '../../../../src/insight/recording/timeline-event.js';
import { timelineOf } from '../../../helpers/timeline.js';

const THREADS = 3;

test('each arrow begins in a slice of the victim, whatever is known of that thread, and ends in one of the thief', () => {
  const tracks: Track[] = Array.from({ length: THREADS }, (_, tid) => ({
    tid,
    name: `worker ${tid}`,
    other: (slot) => tracks[slot],
  }));
  const tasks = fc.array(
    fc.record({
      thread: fc.nat(THREADS - 1),
      kind: fc.constantFrom(ROOT, STOLEN),
      afterUs: fc.nat(5), // on its thread
      us: fc.nat(20),
      about: fc.nat(THREADS - 1),
    }),
  );
  fc.assert(
    fc.property(tasks, (tasks) => {
      const timeline = new ChromeTimeline(0);
      const ends = new Array<number>(THREADS).fill(0);
      const events = tasks.flatMap(({ thread, kind, afterUs, us, about }) => {
        const startUs = (ends[thread] as number) + afterUs;
        ends[thread] = startUs + us;
        const event = { kind, name: 'task', module: '', startUs, us, about };
        return timeline.eventsOf(event, tracks[thread] as Track);
      });
      const traceEvents = [...tracks.flatMap(namesOf), ...events];
      const { problems, events: read } = timelineOf(JSON.stringify({ traceEvents, otherData: { dropped: 0 } }));
      expect(problems).toEqual([]);
      expect(read.filter(({ ph }) => ph === 's')).toHaveLength(tasks.filter(({ kind }) => kind === STOLEN).length);
    }),
  );
});
