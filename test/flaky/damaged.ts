/** Adds one to three faults of a disk, a network or a writer: bytes changed, lost, added, written twice or cut off. */
export function damaged(report: Buffer, random: () => number): Buffer {
  let bytes = report;
  for (let faults = 1 + Math.floor(random() * 3); faults > 0; faults -= 1) {
    const at = Math.floor(random() * bytes.length);
    const length = Math.ceil(random() ** 3 * 400);
    const byte = Buffer.from([32 + Math.floor(random() * 95)]);
    const kind = Math.floor(random() * 9);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    if (kind < 3) bytes = Buffer.concat([before, byte, after.subarray(1)]);
    else if (kind < 5) bytes = Buffer.concat([before, after.subarray(length)]);
    else if (kind < 6) bytes = Buffer.concat([before, byte, after]);
    else if (kind < 8) bytes = Buffer.concat([before, after.subarray(0, length), after]);
    else bytes = bytes.subarray(0, bytes.length - length);
  }
  return bytes;
}
