import { expect, test } from 'vitest';
import { timelinePicture } from '../../../examples/insight/timeline-picture.js';

const slice = (tid: number, cat: string, ts: number, dur: number) => ({ ph: 'X', name: `<${cat}>`, cat, ts, dur, tid });
const named = (tid: number, name: string) => ({ ph: 'M', name: 'thread_name', ts: 0, dur: 0, tid, args: { name } });

test('a picture of a timeline has a lane for each thread that did something, its slices, and arrows', () => {
  const picture = timelinePicture(
    [
      named(0, 'caller'),
      named(1, 'one'),
      named(2, 'two & more'),
      slice(1, 'root', 0, 100),
      slice(1, 'wait', 50, 40),
      slice(2, 'stolen', 25, 60),
      { ph: 's', name: 'steal', cat: 'steal', ts: 25, dur: 0, tid: 1, id: 1 },
      { ph: 'f', name: 'steal', cat: 'steal', ts: 25, dur: 0, tid: 2, id: 1 },
    ],
    'a title',
  );
  expect(picture).toMatch(/^<svg /);
  expect(picture).not.toContain('>caller<');
  for (const text of ['>one<', '>two &amp; more<', '>a title<', '&lt;root>']) expect(picture).toContain(text);
  const widths = [
    ...picture.matchAll(/<rect class="(root|wait|stolen)" x="[\d.]+" y="\d+" width="([\d.]+)" height="16"/g),
  ];
  const widthOf = new Map(widths.map(([, kind, width]) => [kind, Number(width)]));
  expect(widthOf.get('wait')).toBeCloseTo(0.4 * (widthOf.get('root') as number), 0);
  expect(widthOf.get('stolen')).toBeCloseTo(0.6 * (widthOf.get('root') as number), 0);
  expect(picture.match(/class="steal"/g)).toHaveLength(1);
});
