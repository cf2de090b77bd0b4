import { expect, test } from "@jest/globals";
import { nextTry } from "../../src/bot/deliveries/next-try.ts";
import { ApiError } from "../../src/client/client.ts";
import { CodeHostError } from "../../src/github/client/code-host-error.ts";
import { StorageError } from "../../src/store/sqlite/storage-error.ts";

const tried = (error: Error, attempts: number) => nextTry({ error, ageMs: 1_000, attempts, faults: 0 });

test("a delivery waits for a rate limit as long as GitHub asks, regardless of earlier attempts", () => {
  const limit = new CodeHostError("rate_limited", "wait", 3_000);
  for (const attempts of [0, 6, 20])
    expect(tried(limit, attempts)).toEqual({ kind: "again", inMs: 3_000, isFault: false });
});

test("the pauses grow to a minute while GitHub is unreachable", () => {
  const outage = new CodeHostError("unavailable", "reset");
  expect([0, 3, 20].map((attempts) => tried(outage, attempts))).toEqual([
    { kind: "again", inMs: 1_000, isFault: false },
    { kind: "again", inMs: 8_000, isFault: false },
    { kind: "again", inMs: 60_000, isFault: false },
  ]);
});

test("a delivery is given up when GitHub has not responded for a day", () => {
  const error = new CodeHostError("rate_limited", "wait", 3_000);
  expect(nextTry({ error, ageMs: 86_400_000, attempts: 3, faults: 0 })).toEqual({
    kind: "give_up",
    code: "CODE_HOST_ABSENT",
  });
});

test("a delivery that is denied because the App is suspended is retried for a day", () => {
  const error = new CodeHostError("denied", "This installation has been suspended");
  const denied = { error, attempts: 30, faults: 9, meetsObstacle: true };
  expect(nextTry({ ...denied, ageMs: 600_000 })).toEqual({ kind: "again", inMs: 60_000, isFault: false });
  expect(nextTry({ ...denied, ageMs: 86_400_000 })).toEqual({ kind: "give_up", code: "CODE_HOST_DENIED" });
});

test("a denial without an obstacle is believed after an hour, and an absence after four minutes", () => {
  const give_up = { kind: "give_up", code: "CODE_HOST_DENIED" };
  const [denied, absent] = (["denied", "not_found"] as const).map((kind) => new CodeHostError(kind, "no"));
  const failed = { ageMs: 600_000, attempts: 30, faults: 9 };
  expect(nextTry({ ...failed, error: denied })).toEqual({ kind: "again", inMs: 60_000, isFault: false });
  expect(nextTry({ ...failed, error: denied, ageMs: 3_600_000 })).toEqual(give_up);
  expect(nextTry({ ...failed, error: absent })).toEqual(give_up);
});

test("a delivery that merges wait for is tried more often, but given up no sooner", () => {
  const error = new CodeHostError("not_found", "no");
  const hastened = { error, attempts: 30, faults: 20 };
  expect(nextTry({ ...hastened, ageMs: 90_000 })).toEqual({ kind: "again", inMs: 60_000, isFault: true });
  expect(nextTry({ ...hastened, ageMs: 240_000 })).toMatchObject({ kind: "give_up" });
});

test("a failing database never makes the bot give up a delivery before its day is over", () => {
  const error = new StorageError("DATABASE_FULL", new Error("database or disk is full"));
  expect(nextTry({ error, ageMs: 600_000, attempts: 30, faults: 30 })).toEqual({
    kind: "again",
    inMs: 60_000,
    isFault: false,
  });
});

test("a cancel waits for up to a day until it is known whether a call has merged its pull request", () => {
  const error = new ApiError({
    ...{ status: 409, code: "MERGE_ALREADY_ORDERED", detail: "It is too late" },
    ...{ errors: [], retryAfterMs: null, requestId: null },
  });
  const waits = { kind: "again", inMs: 60_000, isFault: false };
  expect(nextTry({ error, ageMs: 600_000, attempts: 30, faults: 9 })).toEqual(waits);
});
