import { afterEach, expect, jest, test } from "@jest/globals";
import { StatusApps } from "../../src/github/checks/statuses.ts";
import { inSandbox } from "../sandbox/scene.ts";

afterEach(() => {
  jest.restoreAllMocks();
});

test("an App that GitHub did not find for a moment is found ten minutes later", () =>
  inSandbox(async ({ asInstallation: app, sandbox }) => {
    sandbox.faults.next({ operation: "apps/get-by-slug", kind: "not_found" });
    const apps = new StatusApps();
    const id = () => apps.idOf(app, { type: "Bot", login: `${sandbox.app.slug}[bot]` });
    const calls = () =>
      sandbox.requests.entries.filter(({ operationId }) => operationId === "apps/get-by-slug").length;
    expect(await id()).toBeNull();
    expect(await id()).toBeNull();
    expect(calls()).toBe(1);
    const later = performance.now() + 11 * 60_000;
    jest.spyOn(performance, "now").mockReturnValue(later);
    expect(await id()).toBe(sandbox.app.id);
    expect(await id()).toBe(sandbox.app.id);
    expect(calls()).toBe(2);
  }));
