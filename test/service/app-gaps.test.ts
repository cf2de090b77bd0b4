import { describe, expect, test } from "@jest/globals";
import { findAppGaps } from "../../src/service/access/app-gaps.ts";

const permissions = {
  metadata: "read",
  contents: "write",
  pull_requests: "write",
  checks: "write",
  statuses: "read",
  issues: "write",
};
const wanted = { permissions, events: ["push", "status"] };

describe("the gaps of an App", () => {
  test("are none where it has as much, or more", () => {
    const more = { ...permissions, statuses: "write", actions: "admin" };
    const none = { essential: [], further: [], events: [] };
    expect(findAppGaps(wanted, { permissions, events: ["push", "status"] })).toEqual(none);
    expect(findAppGaps(wanted, { permissions: more, events: ["push", "status", "fork"] })).toEqual(none);
  });

  test("are essential where merging needs more than the App has", () => {
    const has = { ...permissions, contents: "read", pull_requests: "read" };
    expect(findAppGaps(wanted, { permissions: has, events: [] })).toEqual({
      essential: ["contents: write", "pull_requests: write"],
      further: [],
      events: ["push", "status"],
    });
  });

  test("are not essential where reading suffices for merging", () => {
    const has = { ...permissions, checks: "read" };
    expect(findAppGaps(wanted, { permissions: has, events: wanted.events })).toMatchObject({
      essential: [],
      further: ["checks: write"],
    });
  });

  test("are said at once where merging needs one and something else more of it", () => {
    const { checks: _, ...has } = permissions;
    expect(findAppGaps(wanted, { permissions: has, events: wanted.events })).toMatchObject({
      essential: ["checks: write"],
      further: [],
    });
  });
});
