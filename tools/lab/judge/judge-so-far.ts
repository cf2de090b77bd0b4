import type { RunningDemo } from "../demo/run-demo.ts";
import { fullName } from "../demo/set-up-repository.ts";

/** The judgement of a demo that has not finished. */
export interface SoFar {
  readonly prs: number;
  readonly merged: number;
  readonly baseCommitsChecked: number;
  readonly baseCommitsRed: number;
  readonly violations: readonly string[];
}

/** Kills the service, and judges what it has merged so far by the truth. */
export async function judgeSoFar({ sandbox, service, pullRequests }: RunningDemo): Promise<SoFar> {
  // The death of the service breaks jobs that talk to it, which the sandbox would note.
  const broken = [...sandbox.violations];
  await service.kill();
  const { commits, merged } = await sandbox.historyOf(fullName, "main");
  const verdicts = await Promise.all(
    commits.map(async (sha) => ({ sha, ...(await sandbox.ci.verdictOf(fullName, sha)) })),
  );
  const red = verdicts.filter(({ green }) => !green);
  return {
    prs: pullRequests.length,
    merged: pullRequests.filter(({ number }) => merged.includes(number)).length,
    baseCommitsChecked: commits.length,
    baseCommitsRed: red.length,
    violations: [
      ...red.map(({ sha }) => `the base was red at ${sha}`),
      ...broken.map(
        ({ kind, subject, detail }) => `the service broke GitHub's rules: ${kind} ${subject} ${detail}`,
      ),
    ],
  };
}
