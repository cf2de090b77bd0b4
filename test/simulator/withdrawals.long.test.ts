import { test } from "@jest/globals";
import fc from "../drawn.ts";
import { anyWithdrawal, playWithdrawal } from "./any-withdrawal.ts";

test("no pull request merges after its withdrawal was received, however it is withdrawn, and whatever fails meanwhile", async () => {
  await fc.assert(fc.asyncProperty(anyWithdrawal, playWithdrawal), { numRuns: 60, endOnFailure: true });
});
