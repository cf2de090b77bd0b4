/** The server's time minus `performance.now()`, in milliseconds, is at least `earliest` and at most `latest`. */
export interface Bounds {
  readonly earliest: number;
  readonly latest: number;
  /** When the last answer came, by `performance.now()`. */
  readonly at: number;
}

/** How far two clocks may move apart in a millisecond while both are being adjusted: twice the 500 ppm of Linux. */
const drift = 0.001;

/** Returns the bounds that one answer gives. It may have been delayed on the way to the server or on the way back. */
export function boundsOf(answer: { askedAt: number; serverTime: number; answeredAt: number }): Bounds {
  const { askedAt, serverTime, answeredAt } = answer;
  return { earliest: serverTime - answeredAt, latest: serverTime - askedAt, at: answeredAt };
}

/** Returns the bounds after another answer. A slow answer gives wide bounds, which do not widen the known ones. */
export function refine(known: Bounds, measured: Bounds): Bounds {
  const moved = (measured.at - known.at) * drift;
  const earliest = Math.max(known.earliest - moved, measured.earliest);
  const latest = Math.min(known.latest + moved, measured.latest);
  // Both cannot be true: a clock was set.
  return earliest > latest ? measured : { earliest, latest, at: measured.at };
}

export function widthOf({ earliest, latest }: Bounds): number {
  return latest - earliest;
}
