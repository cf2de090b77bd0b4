import type { Command } from "commander";
import type { AnswerOf, RequestOf, TrainyardClient } from "../../client/client.ts";
import { printable } from "../print-json.ts";
import { renderTable } from "../render-table.ts";
import { onService, type Remote, withRemoteOptions } from "./service.ts";

const pageSize = 100;

/** Adds the subcommands of `trainyard tests`: the flaky tests of a repository. */
export function defineTests(tests: Command): void {
  const add = (name: string, endpoint: keyof TrainyardClient, what: string) =>
    withRemoteOptions(tests.command(name).description(what), endpoint);

  add(
    "list",
    "listUnhealthyTests",
    "list the tests that are flaky or broken, the most recently discovered first",
  )
    .option("--quarantined", "only those whose failures are forgiven: the answer of listQuarantinedTests")
    .action((options) =>
      onService(options, async (remote) => {
        const { client, print } = remote;
        const page = { ...testsOf(remote), page_query: { page_size: pageSize } };
        if (options.quarantined) {
          const listed = await client.listQuarantinedTests(page);
          print(listed, () =>
            renderRows(
              listed.quarantined_tests.map((test) => [test.test_case_id, test.status.toLowerCase(), test]),
              listed.page.total_rows,
            ),
          );
        } else {
          const listed = await client.listUnhealthyTests(page);
          print(listed, () =>
            renderRows(
              listed.tests.map((test) => [test.test_case_id, test.status.value, test]),
              listed.page.total_rows,
            ),
          );
        }
        return "done";
      }),
    );

  add("show", "getTestDetails", "show how often it failed, with which messages, and what it cost")
    .argument("<id>", "its id, as in tests list")
    .action((test_id: string, options) =>
      onService(options, async (remote) => {
        const found = await remote.client.getTestDetails({ ...testsOf(remote), test_id });
        const { test } = found;
        remote.print(found, () => [
          `${printable(test.name)}: ${test.status.value}, ${printable(test.status.reason)}`,
          ...test.most_common_failures.map(
            ({ summary, occurrence_count }) => `  ${occurrence_count} times: ${printable(summary)}`,
          ),
          ...renderCost(test.cost_last_7d),
          ...(test.quarantined ? ["  Its failures are forgiven."] : []),
        ]);
        return test.quarantined ? "quarantined" : "done";
      }),
    );

  for (const [name, what, setting] of [
    ["quarantine", "forgive its failures until a day", "ALWAYS_QUARANTINE"],
    ["release", "let its failures count again, unless it is flaky", "AUTO_QUARANTINE"],
  ] as const) {
    const command = add(name, "setQuarantine", what)
      .argument("<id>", "its id, as in tests list")
      .requiredOption("--reason <text>", "the reason, for people");
    if (name === "quarantine")
      command.option("--until <time>", "when it ends, such as 2027-01-31T18:00:00Z; default: in 30 days");
    command.action((test_case_id: string, options) =>
      onService(options, async ({ client, place, print }) => {
        const request: RequestOf<"setQuarantine"> = {
          repo: place.repo,
          test_case_id,
          quarantine_setting: setting,
          reason: options.reason,
          ...(options.until === undefined ? {} : { expires_at: options.until }),
        };
        const set = await client.setQuarantine(request);
        print(set, () => [
          setting === "ALWAYS_QUARANTINE"
            ? "Its failures are forgiven."
            : "Its failures count again, unless it is flaky.",
        ]);
        return "done";
      }),
    );
  }
}

function renderCost({
  held_up_minutes: heldUp,
  queue_ci_minutes: queue,
  outside_test_minutes: outside,
}: AnswerOf<"getTestDetails">["test"]["cost_last_7d"]): string[] {
  const parts = [
    ...(heldUp > 0 ? [`pull requests held up for ${heldUp} min`] : []),
    ...(queue === null ? [] : [`${queue} min of CI in the queue`]),
    ...(outside === null ? [] : [`${outside} min of tests outside the queue that ran again`]),
  ];
  return parts.length === 0 ? [] : [`  Cost of 7 days: ${parts.join(", ")}`];
}

const testsOf = ({ place: { repo } }: Remote) => ({ repo, org_url_slug: repo.owner });

type Row = readonly [
  id: string,
  status: string,
  test: { readonly name: string; readonly parent: string | null },
];

function renderRows(rows: readonly Row[], total: number): readonly string[] {
  const lines = renderTable(
    rows.map(([id, status, { name, parent }]) => [id, status, printable(parent ?? ""), printable(name)]),
  );
  return total > rows.length ? [...lines, `and ${total - rows.length} more`] : lines;
}
