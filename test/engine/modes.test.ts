import { describe, expect, test } from "@jest/globals";
import { explain } from "../../src/engine/explain/explain.ts";
import type { Entry } from "../../src/engine/model/entry.ts";
import { everyPolicy, queueUnder, runCi, threeInLine } from "./every-policy.ts";

describe.each(everyPolicy)("with the policy $name, a queue", (policy) => {
  const other = policy.settings.mode === "parallel" ? "single" : "parallel";

  test("that is paused shows the reason that is given to it later, and keeps it if none is given", () => {
    const queue = threeInLine(policy);
    queue.configure({ status: "paused" });
    const because = { kind: "user", name: "admin", reason: "CI is down" } as const;
    queue.take({ type: "configure", changes: { status: "paused" }, actor: because });
    const reason = { code: "CONFIGURED", by: "@admin", note: "CI is down" };
    expect(queue.state).toMatchObject({ status: "paused", statusReason: reason });
    queue.configure({ status: "paused" });
    expect(queue.state.statusReason).toEqual(reason);
  });

  test("that is paused finishes its tests, and starts and merges nothing until it runs again", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.submit(2);
    queue.built(1);
    queue.configure({ status: "paused" });
    queue.passes(1);
    expect(queue.stateOf(1)).toBe("tests_passed");
    expect([queue.state.merge, queue.testing]).toEqual([null, []]);
    queue.configure({ status: "running" });
    expect(queue.state.merge?.steps).toHaveLength(1);
    expect(queue.testing).toEqual([2]);
  });

  test("that is draining finishes its tests and merges, and starts no test", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.submit(2);
    queue.built(1);
    queue.configure({ status: "draining" });
    queue.passes(1);
    queue.merges();
    expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["merged", "pending"]);
    expect(queue.testing).toEqual([]);
  });

  test("that switches modes drains, refuses configuration, and then tests the waiting entries in the new mode", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.submit(2);
    queue.built(1);
    queue.configure({ mode: other });
    expect(queue.state.status).toBe("switching_modes");
    expect(queue.configure({ concurrency: 2 })).toEqual({ code: "SWITCHING_MODES" });
    queue.passes(1);
    queue.merges();
    expect(queue.state).toMatchObject({ status: "running", settings: { mode: other } });
    expect(queue.testing).toEqual([2]);
  });

  test("that switches modes can be paused, merges nothing then, and can be resumed", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.built(1);
    queue.configure({ mode: other });
    expect(queue.configure({ status: "paused" })).toBeNull();
    expect(queue.state).toMatchObject({ status: "switching_modes", next: { status: "paused" } });
    queue.fails(1);
    expect(queue.state.merge).toBeNull();
    expect(queue.state).toMatchObject({ status: "paused", settings: { mode: other } });
    queue.configure({ status: "running" });
    runCi(queue);
    expect(queue.state).toMatchObject({ status: "running", settings: { mode: other } });
  });

  test("that switches modes can be paused and resumed before the switch ends", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.built(1);
    queue.configure({ mode: other });
    queue.configure({ status: "paused" });
    queue.configure({ status: "running" });
    queue.passes(1);
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
    expect(queue.state).toMatchObject({ status: "running", settings: { mode: other } });
  });

  test("with no entry under test changes its mode at once", () => {
    const queue = queueUnder(policy);
    queue.submit(1, { draft: true });
    queue.configure({ mode: other, status: "draining" });
    expect(queue.state).toMatchObject({ status: "draining", settings: { mode: other } });
  });

  test("that is paused keeps what has passed, merges it once it is resumed, and switches modes then", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.submit(2);
    queue.built(1);
    queue.configure({ status: "paused" });
    queue.configure({ mode: other });
    queue.passes(1);
    queue.passesTime(1);
    expect(queue.state).toMatchObject({
      ...{ status: "switching_modes", next: { mode: other, status: "paused" }, merge: null },
    });
    expect(queue.stateOf(1)).toBe("tests_passed");
    expect(explain(queue.state, queue.state.entries.get(1) as Entry, queue.now)[0]).toMatchObject({
      code: "QUEUE_NOT_RUNNING",
      text: expect.stringContaining("paused, and switches modes once it is resumed"),
    });
    queue.configure({ status: "running" });
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
    expect(queue.state).toMatchObject({ status: "running", settings: { mode: other } });
    expect(queue.testing).toEqual([2]);
  });

  test("that is paused and has nothing to merge changes its mode, and stays paused", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.built(1);
    queue.configure({ status: "paused" });
    queue.configure({ mode: other });
    queue.cancel(1);
    expect(queue.state).toMatchObject({ status: "paused", settings: { mode: other } });
  });

  test("takes a status that was set together with a mode once the mode has changed", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    queue.built(1);
    queue.configure({ mode: other, status: "draining" });
    queue.passes(1);
    queue.merges();
    expect(queue.state).toMatchObject({ status: "draining", settings: { mode: other } });
  });

  test("can be deleted only when it is empty", () => {
    const queue = queueUnder(policy);
    queue.submit(1);
    const actor = { kind: "token", name: "admin" } as const;
    expect(queue.take({ type: "delete_queue", actor })).toEqual({ code: "QUEUE_NOT_EMPTY", prs: [1] });
    queue.cancel(1);
    expect(queue.take({ type: "delete_queue", actor })).toBeNull();
    expect(queue.submit(2)).toMatchObject({ code: "QUEUE_NOT_FOUND" });
  });
});
