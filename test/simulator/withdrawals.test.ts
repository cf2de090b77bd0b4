import { test } from "@jest/globals";
import fc from "../drawn.ts";
import { heldWithdrawal, playWithdrawal } from "./any-withdrawal.ts";

test("nothing merges after a cancel or a pause was received, while permissions cannot be read or come slowly", async () => {
  await fc.assert(fc.asyncProperty(heldWithdrawal, playWithdrawal), { numRuns: 12, endOnFailure: true });
});
