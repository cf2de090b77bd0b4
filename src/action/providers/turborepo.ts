import { jsonPrintedBy } from "../child-process.ts";
import { StepError } from "../step-error.ts";
import { localProgram } from "./local-program.ts";
import { batched, type Change, type Impact } from "./provider.ts";

/** The packages that Turborepo says are affected. */
export async function targetsByTurborepo({ git, baseSha, headSha }: Change): Promise<Impact> {
  const env = {
    ...git.env,
    TURBO_SCM_BASE: baseSha,
    TURBO_SCM_HEAD: headSha,
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
  };
  const args = ["ls", "--affected", "--output=json"];
  const file = localProgram("turbo", git.cwd);
  const answer = await jsonPrintedBy({ ...git, env, file, label: "turbo ls", args });
  const names = namesIn(answer);
  if (names === null) {
    throw new StepError(
      "Turborepo answered in another way than known",
      "Use a release of turbo from 2.2 on.",
    );
  }
  return { all: false, targets: batched(names) };
}

/** Of `{"packages": {"items": [{"name": …}]}}`. */
function namesIn(answer: unknown): string[] | null {
  const { packages } = Object(answer) as { packages?: { items?: unknown } };
  if (!Array.isArray(packages?.items)) return null;
  const names = packages.items.map((item) => Object(item).name as unknown);
  return names.every((name) => typeof name === "string") ? names : null;
}
