import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createClient } from "../src/client/client.ts";
import type { NextAction } from "../src/engine/reasons/reason.ts";
import { createMcpServer } from "../src/mcp/mcp-server.ts";

const steps: Readonly<Record<NextAction, string>> = {
  none: "It has merged, or it left the queue and there is nothing to do.",
  wait: "Wait: `trainyard pr wait N`. Do not submit it again.",
  make_ready: "Remove what `why` names: a draft, a review, a conflict, a check of its own.",
  push_fix: "Fix what `left` names, push, and submit the new head.",
  update_branch: "Merge or rebase the target branch, push, and submit the new head.",
  submit_new_head: "Submit the head that the pull request has now.",
  requeue: "Submit the same head again, once. `safeToRequeue` is true only here.",
  ask_person: "Stop, and tell a person what the verdict says.",
};

/** The command of each tool. */
const commands: Readonly<Record<string, string | null>> = {
  explain_pull_request: "trainyard pr why N --json",
  get_pull_request: "trainyard pr status N --json",
  list_pull_requests: "trainyard queue history --json",
  get_queue: "trainyard queue show --json",
  get_test_run: null,
  list_flaky_tests: "trainyard tests list --json",
  get_test: "trainyard tests show ID --json",
  submit_pull_request: "trainyard pr submit N --sha SHA --json",
  cancel_pull_request: "trainyard pr cancel N --json",
  restart_tests: "trainyard pr restart N --json",
  try_pull_request: "trainyard pr try N --json",
  set_queue_state: "trainyard queue pause --reason TEXT",
};

const made = "<!-- Made of the tools in src/mcp/mcp-server.ts by npm run build. -->";

/** Renders the skill and the lines for AGENTS.md in `docs/agents`, from what the service tells agents by MCP. */
export async function renderAgents(): Promise<ReadonlyMap<string, string>> {
  const { instructions, tools } = await describeServer();
  const rows = tools.map(({ name, description, annotations }) => {
    const command = commands[name];
    if (command === undefined) throw new Error(`scripts/render-agents.ts names no command for ${name}`);
    const kind = annotations?.readOnlyHint ? "reads" : "changes";
    return `| \`${name}\` | ${command === null ? "" : `\`${command}\``} | ${kind} | ${description} |`;
  });
  const skill = [
    "---",
    "name: trainyard",
    "description: Merge pull requests through the merge queue Trainyard, find out why one waits or left the queue, and decide whether to submit it again. Use it when a repository merges by Trainyard (/trainyard merge), or a pull request failed in the queue.",
    "---",
    ...["", "# Merge with Trainyard", "", made, "", instructions, "", "## What to do", ""],
    "1. Submit the head that you have seen, by its whole SHA.",
    "2. Wait: `trainyard pr wait N` ends with 0 when it has merged, 2 when it has left the queue, and 4 when `--timeout` is over.",
    "3. When it has left, read the verdict, and do its `nextAction`:",
    ...["", "| `nextAction` | do |", "|---|---|"],
    ...Object.entries(steps).map(([action, text]) => `| \`${action}\` | ${text} |`),
    ...["", "## Tools and commands", ""],
    "The tools are those of `trainyard mcp`, or of `/mcp` of the service. Tools that change something need `trainyard mcp --allow-writes` and a person or a token that may. The commands need `TRAINYARD_URL`, and `trainyard login` by the person for whom you work, or `TRAINYARD_TOKEN`.",
    ...["", "| tool | command | | what |", "|---|---|---|---|", ...rows],
  ];
  const snippet = [
    ...["# Lines for AGENTS.md", "", made, "", "```markdown", "## Merging", "", instructions, ""],
    "- Submit: tool submit_pull_request, or `trainyard pr submit N --sha SHA`, with the whole SHA of the head.",
    "- Wait: `trainyard pr wait N`. Exit code 0: merged; 2: it left the queue.",
    "- After it left: tool explain_pull_request, or `trainyard pr why N --json`. Do the verdict's nextAction.",
    "```",
  ];
  return new Map([
    ["docs/agents/trainyard/SKILL.md", `${skill.join("\n")}\n`],
    ["docs/agents/snippet.md", `${snippet.join("\n")}\n`],
  ]);
}

async function describeServer() {
  const server = createMcpServer({
    client: createClient({ baseUrl: "http://localhost", token: "" }),
    ...{ place: null, host: "github.com", allowWrites: true, version: "0" },
  });
  const client = new Client({ name: "build", version: "0" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  const { tools } = await client.listTools();
  const instructions = client.getInstructions() ?? "";
  await client.close();
  return { instructions, tools };
}
