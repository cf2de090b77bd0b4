import { expect, test } from "@jest/globals";
import { KeyedMutex } from "../../src/service/workers/keyed-mutex.ts";

test("work with the same key takes turns, also after a failure, and other work does not wait", async () => {
  const turns = new KeyedMutex();
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const work =
    (name: string, until: Promise<void> = Promise.resolve()) =>
    async () => {
      await until;
      done.push(name);
      if (name === "first") throw new Error("it failed");
      return name;
    };
  const first = turns.take("a", work("first", gate.promise));
  const second = turns.take("a", work("second"));
  expect(await turns.take("b", work("other"))).toBe("other");
  expect(done).toEqual(["other"]);
  gate.resolve();
  await expect(first).rejects.toThrow("it failed");
  expect(await second).toBe("second");
  expect(done).toEqual(["other", "first", "second"]);
});
