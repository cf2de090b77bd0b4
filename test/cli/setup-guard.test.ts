import { expect, test } from "@jest/globals";
import { SetupGuard, setupMs } from "../../src/cli/setup/setup-guard.ts";

test("the setup cannot be started an hour after the service's start", () => {
  const guard = new SetupGuard(0);
  expect(guard.begin(guard.token, setupMs)).toEqual({ code: "SETUP_EXPIRED" });
});

test("the setup cannot be continued an hour after the service's start", () => {
  const guard = new SetupGuard(0);
  const begun = guard.begin(guard.token, setupMs - 1);
  const session = "session" in begun ? begun.session : "";
  expect(guard.refusalOf(session, setupMs - 1)).toBeNull();
  expect(guard.refusalOf(session, setupMs)).toEqual({ code: "SETUP_EXPIRED" });
});
