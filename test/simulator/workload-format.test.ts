import { describe, expect, test } from "@jest/globals";
import { presets } from "../../tools/simulator/workload/model.ts";
import { parseWorkload, renderWorkload } from "../../tools/simulator/workload/parse-workload.ts";
import { smallWorkload, writtenWorkload } from "./build-workload.ts";

const settings = `{"type":"settings","workers":200,"flakeRate":0.01,"scope":"tree","hours":8,"seed":1,"resubmitMinutes":30}`;
const pr = (n: number, at = 0) =>
  `{"type":"pr","n":${n},"at":${at},"targets":["a","b"],"fails":false,"minutes":27.5,"priority":100,"risk":0.03}`;

describe("a workload as JSON Lines", () => {
  test("is parsed line by line", () => {
    const lines = [settings, pr(17, 0.42), pr(23, 0.4), `{"type":"conflict","a":17,"b":23}`, ""];
    const parsed = parseWorkload([...lines, `{"type":"cancel","n":17,"at":31.0}`].join("\n"));
    expect(parsed).toEqual({
      ok: true,
      warnings: [],
      workload: {
        settings: {
          workers: 200,
          flakeRate: 0.01,
          scope: "tree",
          hours: 8,
          seed: 1,
          resubmitMinutes: 30,
          durationNoise: 0,
        },
        pullRequests: [23, 17].map((n) => ({
          n,
          at: n === 17 ? 0.42 : 0.4,
          targets: ["a", "b"],
          fails: false,
          minutes: 27.5,
          priority: 100,
          risk: 0.03,
        })),
        conflicts: [{ a: 17, b: 23 }],
        cancellations: [{ n: 17, at: 31 }],
      },
    });
  });

  test.each([
    ["a generated one", smallWorkload({ allShare: 0.1 })],
    ["a wild one", smallWorkload({ wild: presets.wild.model.wild })],
    [
      "one with everything in it",
      writtenWorkload({ pullRequests: [{}, { risk: 0.5 }], conflicts: [[1, 2]], cancellations: [[2, 5]] }),
    ],
  ])("is the same after it is written and parsed again: %s", (_name, workload) => {
    const parsed = parseWorkload(renderWorkload(workload));
    expect(parsed).toEqual({ ok: true, workload, warnings: [] });
  });

  test("may leave out the priority and the risk, and gives a warning for unknown fields", () => {
    const parsed = parseWorkload(
      `${settings}\n{"type":"pr","n":1,"at":0,"targets":"ALL","fails":true,"minutes":5,"prioriy":0}`,
    );
    expect(parsed).toMatchObject({
      ok: true,
      workload: { pullRequests: [{ targets: "ALL", priority: 100, risk: null }] },
      warnings: [`line 2: "prioriy" means nothing here`],
    });
  });

  test.each([
    ["no JSON", `${settings}\n{"type":`, /^line 2: is not JSON: /],
    ["no object", `${settings}\n[1]`, /^line 2: is not a JSON object$/],
    [
      "an unknown type",
      `${settings}\n\n{"type":"pull"}`,
      /^line 3: "type" is "pull", but must be "settings" or/,
    ],
    ["no settings", pr(1), /^there is no line of type "settings"$/],
    ["settings twice", `${settings}\n${settings}`, /^line 2: the settings are on line 1 already$/],
    [
      "a missing field",
      `${settings}\n{"type":"conflict","a":1}`,
      /^line 2: "b" is missing, but must be a whole/,
    ],
    [
      "a share above 1",
      settings.replace("0.01", "1.5"),
      /^line 1: "flakeRate" is 1.5, but must be a number from 0/,
    ],
    [
      "a wrong scope",
      settings.replace("tree", "all"),
      /^line 1: "scope" is "all", but must be "tree" or "members"$/,
    ],
    [
      "wrong targets",
      `${settings}\n${pr(1).replace('["a","b"]', "[1]")}`,
      /^line 2: "targets" is \[1\], but must be/,
    ],
    [
      "no time at all",
      `${settings}\n${pr(1).replace("27.5", "0")}`,
      /^line 2: "minutes" is 0, but must be a number/,
    ],
    ["a number twice", `${settings}\n${pr(4)}\n${pr(4)}`, /^line 3: pull request 4 is on line 2 already$/],
    [
      "a conflict with a missing pull request",
      `${settings}\n${pr(1)}\n{"type":"conflict","a":1,"b":9}`,
      /^line 3: there is no pull/,
    ],
    [
      "a conflict with itself",
      `${settings}\n${pr(1)}\n{"type":"conflict","a":1,"b":1}`,
      /^line 3: pull request 1 ca/,
    ],
    [
      "a cancellation of a missing pull request",
      `${settings}\n{"type":"cancel","n":2,"at":1}`,
      /^line 2: there is no pull request 2$/,
    ],
  ])("is refused with the line of the problem: %s", (_name, text, problem) => {
    const parsed = parseWorkload(text);
    expect(parsed.ok ? [] : parsed.problems).toEqual([expect.stringMatching(problem)]);
  });

  test("is refused with all its problems at once", () => {
    const parsed = parseWorkload(
      `${settings}\n{"type":"pr","n":0,"at":-1,"targets":[],"fails":0,"minutes":1}\nx`,
    );
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      `line 2: "n" is 0, but must be a whole number of 1 or more`,
      `line 2: "at" is -1, but must be a number of 0 or more`,
      `line 2: "fails" is 0, but must be true or false`,
      expect.stringMatching(/^line 3: is not JSON/),
    ]);
  });
});
