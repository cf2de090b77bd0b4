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
  test("are empty when it has the wanted permissions and events, or more", () => {
    const more = { ...permissions, statuses: "write", actions: "admin" };
    const none = { essential: [], further: [], events: [] };
    expect(findAppGaps(wanted, { permissions, events: ["push", "status"] })).toEqual(none);
    expect(findAppGaps(wanted, { permissions: more, events: ["push", "status", "fork"] })).toEqual(none);
  });

  test("are essential when merging needs a missing permission", () => {
    const has = { ...permissions, contents: "read", pull_requests: "read" };
    expect(findAppGaps(wanted, { permissions: has, events: [] })).toEqual({
      essential: ["contents: write", "pull_requests: write"],
      further: [],
      events: ["push", "status"],
    });
  });

  test("are not essential when read access suffices for merging", () => {
    const has = { ...permissions, checks: "read" };
    expect(findAppGaps(wanted, { permissions: has, events: wanted.events })).toMatchObject({
      essential: [],
      further: ["checks: write"],
    });
  });

  test("are listed only as essential when a whole permission is missing that merging needs to read", () => {
    const { checks: _, ...has } = permissions;
    expect(findAppGaps(wanted, { permissions: has, events: wanted.events })).toMatchObject({
      essential: ["checks: write"],
      further: [],
    });
  });
});
