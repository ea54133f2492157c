/** The control memory of a crew as one thread sees it: its words, the same bytes as doubles, and the layout. */
import { type Layout, slotOfWord } from './layout.js';

export class ControlMemory {
  readonly buffer: SharedArrayBuffer;
  readonly layout: Layout;
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  /** Tag of the crew's blobs on the shared heap, so that all of them can be freed when it is gone. */
  readonly tag: number;

  constructor(buffer: SharedArrayBuffer, layout: Layout, tag: number) {
    this.buffer = buffer;
    this.layout = layout;
    this.tag = tag;
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
  }

  slotOf(record: number): number {
    return slotOfWord(this.layout, record);
  }
}
