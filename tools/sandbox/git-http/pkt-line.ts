/**
 * Git's framing: four hexadecimal digits for the length, then the content.
 * https://git-scm.com/docs/protocol-common#_pkt_line_format
 */

export const FLUSH = Buffer.from("0000");

/** Maximum number of content bytes in one side-band line. */
const MAX_BAND_CONTENT = 65_515;

export function pktLine(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
}

/** Wraps content in side-band lines. Git reads band 1, and shows band 2 to people as `remote: …`. */
export function sideBand(band: 1 | 2, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MAX_BAND_CONTENT) {
    lines.push(pktLine(Buffer.concat([Buffer.from([band]), bytes.subarray(at, at + MAX_BAND_CONTENT)])));
  }
  return Buffer.concat(lines);
}

/** Reads lines up to the first flush. `rest` contains the bytes after it. */
export function readPktLines(bytes: Buffer): { lines: string[]; rest: Buffer } {
  const lines: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = Number.parseInt(bytes.toString("latin1", at, at + 4), 16);
    if (length === 0) return { lines, rest: bytes.subarray(at + 4) };
    if (Number.isNaN(length) || length < 4) break;
    lines.push(bytes.toString("utf8", at + 4, at + length));
    at += length;
  }
  return { lines, rest: Buffer.alloc(0) };
}
