import { ProgramFailed } from "../../../../src/action/child-process.ts";
import { parseInputs } from "../../../../src/action/inputs.ts";
import { findImpact } from "../../../../src/action/providers/find-impact.ts";
import { StepError } from "../../../../src/action/step.ts";
import type { DrawnRepository, DrawnSides } from "./repository.ts";

/**
 * Returns the targets that a provider finds, or "ALL" where the Action would upload ALL, also because of an
 * error.
 */
export async function askProvider(
  repository: DrawnRepository,
  sides: DrawnSides,
  inputs: Readonly<Record<string, string>>,
): Promise<Set<string> | "ALL"> {
  const parsed = parseInputs(
    (name) =>
      ({ command: "impacted-targets", "api-url": "https://trainyard.example.org", ...inputs })[name] ?? "",
  );
  if ("issues" in parsed || parsed.command !== "impacted-targets") throw new Error(JSON.stringify(parsed));
  const subject = {
    queue: { repo: { host: "github.com", owner: "acme", name: "widgets" }, targetBranch: "main" },
    pr: 12,
    headSha: sides.head.sha,
    isFromFork: false,
    url: "",
  };
  const workflow = { workspace: repository.workspace, temporary: repository.directory };
  try {
    const impact = await findImpact(
      parsed,
      {
        subject,
        workflow: workflow as never,
        env: {
          ...repository.env,
          TOOL_CHANGE: "",
          TOOL_SIDES: JSON.stringify(sides),
          TOOL_SHA_base: sides.base.sha,
          TOOL_SHA_head: sides.head.sha,
          TOOL_SHA_target: sides.target.sha,
        },
      },
      sides.head.sha,
      AbortSignal.timeout(120_000),
    );
    if (impact.all) return "ALL";
    const targets = new Set<string>();
    for await (const batch of impact.targets) for (const target of batch) targets.add(target);
    return targets;
  } catch (error) {
    const isExpected = error instanceof StepError || error instanceof ProgramFailed;
    // A missing recording must not count as a provider's failure, because the test would then check nothing.
    if (!isExpected || error.message.includes("there is no recording")) throw error;
    return "ALL";
  }
}
