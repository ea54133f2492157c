/** Writes a timeline that was read in another format; in the command. */
import { isCount } from '../recording/binary-format.js';
import type { Track } from '../recording/chrome-events.js';
import type { TimelineFormat } from '../recording/json-format.js';
import type { TimelineTable } from './timeline-table.js';

/** So much is taken at once, at least (bytes). */
const PIECE_BYTES = 2 ** 20;

/** Writes all of a timeline, piece by piece. @param format which begins at 0 */
export function rewrite(table: TimelineTable, format: TimelineFormat, write: (piece: Uint8Array) => void): void {
  const tracks: Track[] = table.threads.map((thread) => ({ ...thread, other: (place) => tracks[place] }));
  write(format.begin);
  for (const [process, known] of table.processes.entries()) {
    format.process(process, known);
    for (const track of tracks) if (track.process === process) format.name(track);
  }
  for (let row = 0; row < table.length; row++) {
    const kind = table.kind[row];
    const { name, module } = table.names[table.name[row]];
    const track = tracks[table.thread[row]];
    const event = {
      kind,
      name,
      module,
      startUs: table.start[row],
      us: table.amount[row],
      about: table.about[row],
    };
    format.add(event, isCount(kind) ? { ...track, name: module } : track);
    if (format.size > PIECE_BYTES) write(format.take());
  }
  write(format.take());
  write(format.end(table.dropped));
}
