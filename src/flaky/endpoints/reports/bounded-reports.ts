import { ReportUndecodable, type SentReport } from "../../service/uploads/read-reports.ts";

/** Returns the reports with a common limit: reading them throws once all of them together exceed `bytes` after decoding. */
export function boundedReports(reports: readonly SentReport[], bytes: number): readonly SentReport[] {
  let left = bytes;
  async function* bounded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      left -= piece.length;
      if (left < 0)
        throw new ReportUndecodable({
          code: "REPORT_TOO_LARGE",
          message: `all reports together hold more than ${bytes / 2 ** 20} MiB: send an API token with so many`,
        });
      yield piece;
    }
  }
  return reports.map(({ path, pieces }) => ({ path, pieces: bounded(pieces) }));
}
