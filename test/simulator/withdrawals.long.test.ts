import { test } from "@jest/globals";
import fc from "../drawn.ts";
import { anyWithdrawal, playWithdrawal } from "./any-withdrawal.ts";

test("nothing merges after it was received that it is taken back, whatever takes it back, and whatever fails meanwhile", async () => {
  await fc.assert(fc.asyncProperty(anyWithdrawal, playWithdrawal), { numRuns: 120, endOnFailure: true });
});
