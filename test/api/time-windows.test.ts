import { setTimeout as sleep } from "node:timers/promises";
import { expect, jest, test } from "@jest/globals";
import { TimeWindows } from "../../src/api/access/rate-limit.ts";

const count = (windows: TimeWindows) =>
  new Promise<number | undefined>((resolve) =>
    windows.incr("key", (_error, answer) => resolve(answer?.current), 20),
  );

test("a clock that is set back by an hour does not lengthen a window", async () => {
  const windows = new TimeWindows();
  expect(await count(windows)).toBe(1);
  const real = Date.now();
  jest.spyOn(Date, "now").mockReturnValue(real - 3_600_000);
  try {
    await sleep(40);
    expect(await count(windows)).toBe(1);
  } finally {
    jest.restoreAllMocks();
  }
});
