/** The ids of a WebAssembly module's sections, in order. */
export function sectionsOf(binary: Uint8Array): number[] {
  const ids: number[] = [];
  let at = 8; // behind magic number and version
  while (at < binary.length) {
    ids.push(binary[at++]);
    let size = 0;
    let shift = 0;
    let byte: number;
    do {
      byte = binary[at++];
      size |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80);
    at += size;
  }
  return ids;
}
