import { readOptions } from "../../command-options.ts";
import { known, parseReplicasOptions, usage } from "./replicas-options.ts";
import { runReplicas } from "./run-replicas.ts";

/** `trainyard replicas`: runs the demo on several services. Returns the exit code. */
export async function replicas(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, { name: "replicas", usage, known, parse: parseReplicasOptions });
  if (typeof options === "number") return options;
  const { result, kills, crashes, violations } = await runReplicas({
    ...options,
    progress: (text) => console.error(`  ${text}`),
  });
  const { prs, merged, failed, cancelled, treeProofs, baseCommitsRed, seconds, restCallsPerMerged } = result;
  for (const violation of violations) console.error(`WRONG: ${violation}`);
  console.error(
    `${prs} pull requests on ${options.replicas} replicas: ${merged} merged, ${treeProofs} of them proved, ${failed} failed, ` +
      `${cancelled} cancelled; ${baseCommitsRed} red commits; ${kills} kills, ${crashes} crashes of the database; ` +
      `${restCallsPerMerged} REST calls for each merge; ${seconds} s; ${violations.length} violations.`,
  );
  if (options.json) console.log(JSON.stringify({ ...result, kills, crashes, violations }));
  return violations.length === 0 ? 0 : 1;
}
