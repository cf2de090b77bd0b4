import { appClient } from "../sandbox/scene.ts";
import { eventually } from "./eventually.ts";
import type { Stage } from "./stage.ts";

const at = { owner: "acme", repo: "widgets" };

interface ReportedCheck {
  readonly name: string;
  readonly conclusion: "cancelled" | "failure" | "success";
  /** Commits that have been reported on. */
  readonly except?: readonly string[];
}

/** Reports a check on the next commit under test, as the App of a deployment service would. Returns the commit. */
export async function reportCheck(
  { sandbox }: Stage,
  { name, conclusion, except = [] }: ReportedCheck,
): Promise<string> {
  const { data: installation } = await appClient(sandbox).rest.apps.getRepoInstallation(at);
  const octokit = appClient(sandbox, { installationId: installation.id });
  const sha = await eventually(async () => {
    const { data } = await octokit.rest.git.listMatchingRefs({ ...at, ref: "heads/trainyard-merge/" });
    return data.map(({ object }) => object.sha).find((found) => !except.includes(found)) ?? null;
  }, "a commit under test");
  await octokit.rest.checks.create({ ...at, name, head_sha: sha, status: "completed", conclusion });
  return sha;
}
