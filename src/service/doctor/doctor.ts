import type { AppAccess } from "../../ports/code-host/app.ts";
import type { CodeHost } from "../../ports/code-host/code-host.ts";
import type { DoctorFacts, DoctorPlace, FactName } from "../../ports/code-host/doctor-facts.ts";
import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import { isCodeHostFailure, messageOf } from "../workers/retry.ts";
import { appExaminations, webhookExaminations } from "./app.ts";
import { baseRuleExaminations } from "./base-rules.ts";
import {
  type DoctorContext,
  type Examination,
  type Finding,
  isDoubt,
  severities,
  type Unexamined,
} from "./finding.ts";
import { mergeMethodExaminations } from "./merge-method.ts";
import { ownBranchExaminations } from "./own-branch-rules.ts";
import { requiredCheckExaminations } from "./required-checks.ts";
import { surroundingExaminations } from "./surroundings.ts";
import { workflowExaminations } from "./workflows.ts";

export interface Diagnosis {
  /** The most severe first. */
  readonly findings: readonly Finding[];
  readonly unexamined: readonly Unexamined[];
}

export interface Patient extends Omit<DoctorContext, "serverAskedAt">, Pick<DoctorPlace, "repo"> {
  /** Absent = looked up by the repository's name. */
  readonly installationId?: number;
}

export interface DoctorSettings {
  /** The access that the App's manifest asks for. */
  readonly wanted: AppAccess;
  /** The expected webhook address; null when the service has no known public address. */
  readonly webhookUrl: string | null;
}

type FactReader = Pick<CodeHost, "findInstallation" | "readFact">;
type Reading = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/**
 * Reads facts about a repository and judges them. Facts that cannot be read are reported, and do not affect
 * the other examinations.
 */
export class Doctor {
  readonly #reader: FactReader;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(reader: FactReader, clock: Clock, log: Logger) {
    this.#reader = reader;
    this.#clock = clock;
    this.#log = log;
  }

  /** @param patienceMs facts that are not read within this time count as not examined */
  async examine(
    patient: Patient,
    examinations: readonly Examination[],
    patienceMs = 60_000,
  ): Promise<Diagnosis> {
    const { repo, branch, ownBranches } = patient;
    const deadline = deadlineIn(patienceMs);
    try {
      const known = patient.installationId;
      const find = async () => known ?? (await this.#reader.findInstallation(repo));
      const found = await this.#tryTo(find, deadline.passed);
      const installationId = found.ok ? (found.value as number | null) : null;
      const place = { repo, branch, installationId, ownBranches };
      const names = new Set(examinations.flatMap(({ needs, uses }) => [...needs, ...uses]));
      const readings = new Map<FactName, Reading>();
      const from = this.#clock.now();
      let to = from;
      await Promise.all(
        [...names].map(async (name) => {
          const isOfApp = name === "app" || name === "server" || name === "hook" || name === "deliveries";
          const read = () => this.#reader.readFact(name, place);
          readings.set(name, found.ok || isOfApp ? await this.#tryTo(read, deadline.passed) : found);
          if (name === "server") to = this.#clock.now();
        }),
      );
      return judge(examinations, readings, { ...patient, serverAskedAt: { from, to } });
    } finally {
      deadline.cancel();
    }
  }

  async #tryTo(read: () => Promise<unknown>, deadline: Promise<Reading>): Promise<Reading> {
    const reading = read().then(
      (value): Reading => ({ ok: true, value }),
      (error: unknown): Reading => {
        // This is a bug of ours, but it must not prevent anybody from creating a queue.
        if (!isCodeHostFailure(error)) this.#log.error({ err: error }, "doctor could not read a fact");
        return { ok: false, why: messageOf(error) };
      },
    );
    return Promise.race([reading, deadline]);
  }
}

function deadlineIn(ms: number): { passed: Promise<Reading>; cancel: () => void } {
  const { promise, resolve } = Promise.withResolvers<Reading>();
  const timer = setTimeout(() => resolve({ ok: false, why: "GitHub took too long to answer" }), ms);
  return { passed: promise, cancel: () => clearTimeout(timer) };
}

function judge(
  examinations: readonly Examination[],
  readings: ReadonlyMap<FactName, Reading>,
  context: DoctorContext,
): Diagnosis {
  const facts: Partial<DoctorFacts> = Object.fromEntries(
    [...readings].flatMap(([name, reading]) => (reading.ok ? [[name, reading.value]] : [])),
  );
  const findings: Finding[] = [];
  const unexamined: Unexamined[] = [];
  for (const { code, needs, examine } of examinations) {
    const unread = needs.map((name) => readings.get(name)).find((reading) => reading && !reading.ok);
    const judgement = unread && !unread.ok ? { unknown: unread.why } : examine(facts, context);
    if (judgement === null) continue;
    if (isDoubt(judgement)) unexamined.push({ code, why: judgement.unknown });
    else findings.push({ code, ...judgement });
  }
  const rank = ({ severity }: Finding) => severities.indexOf(severity);
  return { findings: findings.toSorted((a, b) => rank(a) - rank(b)), unexamined };
}

/** All examinations of `doctor`. */
export const allExaminations: readonly Examination[] = [
  ...appExaminations,
  ...webhookExaminations,
  ...baseRuleExaminations,
  ...mergeMethodExaminations,
  ...ownBranchExaminations,
  ...requiredCheckExaminations,
  ...workflowExaminations,
  ...surroundingExaminations,
];

const aboutRepository = new Set([
  ...["repository", "protection", "rules", "required", "workflows", "repositoryFile", "pushed", "obstacles"],
]);

/**
 * The examinations when a queue is created or its settings change: of the repository only, with few calls.
 */
export const queueExaminations: readonly Examination[] = allExaminations
  .filter(({ needs }) => needs.length > 0 && needs.every((name) => aboutRepository.has(name)))
  .map((one) => ({ ...one, uses: [] }));
