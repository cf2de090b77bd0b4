import type { Priority } from "../../../src/engine/model/priority.ts";
import type { Service } from "../../../src/service/create-service.ts";
import type { PlannedCommand } from "./planned-commands.ts";
import { type AuthorParts, alice } from "./virtual-author.ts";
import { branch } from "./virtual-repository.ts";

/** Carries out a command at its time. A restart or another priority may be refused, because its pull request has ended. */
export async function command(planned: PlannedCommand, parts: AuthorParts): Promise<void> {
  const { time, repository, insist } = parts;
  await time.pause(planned.at);
  switch (planned.kind) {
    case "restart":
      return insist(async ({ queues }) => {
        await queues.restart({ ...queue(), pr: planned.pr, actor: alice });
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

  /** The queue as people know it at the moment. */
  function queue() {
    return { repo: repository.ref, branch };
  }

  function configure(changes: Parameters<Service["queues"]["configureQueue"]>[0]["changes"]) {
    return ({ queues }: Service) => queues.configureQueue({ ...queue(), changes, actor: alice });
  }

  function prioritise(pr: number, priority: Priority) {
    return async ({ queues }: Service) => {
      await queues.submit({
        ...{ ...queue(), pr, expectedHead: null, seenHead: null, noBatch: null },
        ...{ priority, actor: alice, via: "api" },
      });
      return { ok: true };
    };
  }
}
