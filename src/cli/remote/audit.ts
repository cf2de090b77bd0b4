import type { Command } from "commander";
import type { RequestOf } from "../../client/client.ts";
import { printable } from "../print-json.ts";
import { renderTable } from "../render-table.ts";
import { onOrganisation, readRepository, readWhole, withListOptions } from "./service.ts";

/** Adds the subcommand of `trainyard audit`: who did what in the token's organisation. */
export function defineAudit(command: Command): void {
  withListOptions(command.command("list"), "listAuditLog")
    .description(
      "list who did what, and what was refused, newest first; without an API token, --repo is needed",
    )
    .option("--action <name>", "only this action, such as updateQueue")
    .option("--actor <id>", "only actions of this token or login")
    .option("--since <time>", "only at or after this time, such as 2027-01-31T18:00:00Z")
    .option("--take <number>", "how many, at most 100", readWhole, 20)
    .action((options) =>
      onOrganisation(options, async ({ client, print }) => {
        const { repo, action, actor, since, take } = options;
        const request: RequestOf<"listAuditLog"> = {
          take,
          ...(repo === undefined ? {} : { repo: readRepository(repo) }),
          ...(action === undefined ? {} : { action }),
          ...(actor === undefined ? {} : { actor }),
          ...(since === undefined ? {} : { since }),
        };
        const listed = await client.listAuditLog(request);
        print(listed, () =>
          renderTable(
            listed.entries.map((entry) => [
              entry.at,
              printable(entry.actor.name),
              entry.action,
              entry.code ?? entry.outcome,
              entry.repo === null
                ? ""
                : `${entry.repo.owner}/${entry.repo.name}${entry.prNumber === null ? "" : `#${entry.prNumber}`}`,
              printable(describeChanges(entry.changes ?? [], entry.reason)),
            ]),
          ),
        );
        return "done";
      }),
    );
}

function describeChanges(
  changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[],
  reason: string | null,
): string {
  const changed = changes.map(({ field, from, to }) => `${field}: ${from ?? "none"} → ${to ?? "none"}`);
  return [...changed, ...(reason === null ? [] : [`because ${reason}`])].join(", ");
}
