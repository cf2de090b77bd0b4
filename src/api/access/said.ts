import * as z from "zod";
import { type OnBehalf, onBehalf } from "../schema/on-behalf.ts";
import { pullRequestNumber } from "../schema/pull-request.ts";
import { branchName } from "../schema/queue-address.ts";
import { repository } from "../schema/repository.ts";

const subject = z.object({
  // A body with an unknown field in `repo` is refused. The audit log still names the repository.
  repo: repository.strip().nullable().catch(null),
  targetBranch: branchName.nullable().catch(null),
  pr: z.object({ number: pullRequestNumber.nullable().catch(null) }).catch({ number: null }),
});
const behalf = z.object(onBehalf);

/** The subject of a request, and the person it is for, as far as its body names them. */
export interface Said {
  readonly repo: z.output<typeof subject>["repo"];
  readonly branch: string | null;
  readonly pr: number | null;
  readonly behalf: OnBehalf;
}

/** Reads any body, valid or not. Never throws. */
export function readSaid(body: unknown): Said {
  const about = subject.safeParse(body).data;
  return {
    repo: about?.repo ?? null,
    branch: about?.targetBranch ?? null,
    pr: about?.pr.number ?? null,
    behalf: behalf.safeParse(body).data ?? {},
  };
}

/** For a body that was never read. */
export const nothingSaid: Said = readSaid(undefined);
