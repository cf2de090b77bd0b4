import type { Priority } from "../../../src/engine/model/entry.ts";
import type { PlannedCommand } from "./planned-commands.ts";
import { keepSaying, say } from "./say.ts";
import type { AuthorParts } from "./virtual-author.ts";
import { alice } from "./virtual-comments.ts";
import { branch } from "./virtual-repository.ts";
import type { VirtualServer } from "./virtual-server.ts";

/** Carries out a command at its time. Those about a pull request may be refused, because of its state. */
export async function command(planned: PlannedCommand, parts: AuthorParts): Promise<void> {
  const { time, repository, branchOf, insist } = parts;
  await time.pause(planned.at);
  if (parts.by !== "api" && planned.kind !== "reconfigure") return comment(planned, parts);
  switch (planned.kind) {
    case "restart":
      return insist(async ({ queues }) => {
        await queues.restart({ ...queueOf(planned.pr), pr: planned.pr, actor: alice });
        return { ok: true };
      });
    case "status":
      return;
    case "try":
      return insist(async ({ queues }) => {
        const asked = { ...queueOf(planned.pr), pr: planned.pr, expectedHead: null, seenHead: null };
        await queues.askForTry({ ...asked, actor: alice, via: "api" });
        return { ok: true };
      });
    case "prioritise":
      return insist(prioritise(planned.pr, planned.priority));
    case "pause":
      await insist(configure({ status: "paused" }));
      await time.pause(planned.ms);
      return insist(configure({ status: "running" }));
    case "reconfigure":
      return insist(configure(planned.settings));
  }

  /** The queue of a pull request as people know it at the moment. */
  function queueOf(pr: number) {
    return { repo: repository.ref, branch: branchOf(pr) };
  }

  function configure(changes: Parameters<VirtualServer["queues"]["configureQueue"]>[0]["changes"]) {
    return ({ queues }: VirtualServer) =>
      queues.configureQueue({
        ...{ repo: repository.ref, branch: repository.nameOf(branch) },
        ...{ changes, actor: alice },
      });
  }

  function prioritise(pr: number, priority: Priority) {
    return async ({ queues }: VirtualServer) => {
      await queues.submit({
        ...{ ...queueOf(pr), pr, expectedHead: null, seenHead: null, noBatch: null },
        ...{ priority, actor: alice, via: "api" },
      });
      return { ok: true };
    };
  }
}

/** The same in comments. The queue is paused and resumed on its first pull request. */
async function comment(
  planned: Exclude<PlannedCommand, { kind: "reconfigure" }>,
  parts: AuthorParts,
): Promise<void> {
  const { time, model } = parts;
  switch (planned.kind) {
    case "restart":
    case "status":
    case "try":
      return void (await say(planned.pr, `/trainyard ${planned.kind}`, parts));
    case "prioritise": {
      const isOpen = () => model.pullRequest(planned.pr).state === "open";
      const body = `/trainyard merge --priority=${planned.priority.value} --confirm`;
      return keepSaying(planned.pr, body, isOpen, parts);
    }
    case "pause": {
      const paused = say(1, "/trainyard pause", parts);
      await time.pause(planned.ms);
      await Promise.all([paused, keepSaying(1, "/trainyard resume", () => true, parts)]);
    }
  }
}
