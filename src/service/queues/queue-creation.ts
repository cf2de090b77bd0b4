import type { QueueState } from "../../engine/model/queue.ts";
import { defaultSettings, type QueueSettings } from "../../engine/model/settings.ts";
import { renderObstacle } from "../../engine/reasons/render-reason.ts";
import { findObstacle } from "../access/app-gaps.ts";
import type { Diagnosis } from "../doctor/doctor.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { accepted, type Outcome, refused } from "../runtime/outcome.ts";
import { answeringOutages, readInTime } from "./answering-outages.ts";
import type { QueueDoctor } from "./queue-doctor.ts";
import type { NewQueue } from "./queue-requests.ts";
import { commandsTurnedOff, settingsOfNewQueue } from "./queue-settings.ts";

export interface CreatedQueue {
  readonly state: QueueState;
  readonly installationId: number;
  readonly diagnosis: Diagnosis;
}

/** What was found at the code host, and the resulting status of the queue. */
interface ExaminedPlace extends Omit<CreatedQueue, "state"> {
  readonly repositoryId: number | null;
  readonly baseSha: string;
  readonly settings: QueueSettings;
}

/** Creates queues for existing branches that the App can merge into. */
export class QueueCreation {
  readonly #context: ObservationContext;
  readonly #doctor: QueueDoctor;

  constructor(context: ObservationContext, doctor: QueueDoctor) {
    this.#context = context;
    this.#doctor = doctor;
  }

  async create(command: NewQueue): Promise<Outcome<CreatedQueue>> {
    const { directory, runtime, ids, clock } = this.#context;
    const { repo, branch, status, actor } = command;
    const unserved = directory.checkHost(repo);
    if (unserved) return unserved;
    if ((await directory.find(command)).ok) return refused({ code: "QUEUE_EXISTS", branch });
    return answeringOutages(async () => {
      const examined = await readInTime(() => this.#examine(command));
      if (!examined.ok) return examined;
      const { installationId, repositoryId, baseSha, settings, diagnosis } = examined.value;
      if (await this.#hasFollowed(repositoryId, branch)) return refused({ code: "QUEUE_EXISTS", branch });
      const queueId = ids.next();
      const { state, refusal } = await runtime.dispatch(
        queueId,
        {
          type: "create_queue",
          ...{ queueId, repo, branch, settings, baseSha, actor },
          ...(status === undefined ? {} : { status }),
        },
        { creates: { id: queueId, repo, branch, installationId, repositoryId, createdAt: clock.now() } },
      );
      return refusal ? refused(refusal) : accepted({ state, installationId, diagnosis });
    });
  }

  /** Whether the branch has a queue that knows the repository by another name. If so, that queue is updated. */
  async #hasFollowed(repositoryId: number | null, branch: string): Promise<boolean> {
    const { directory, reach } = this.#context;
    const queues = repositoryId === null ? [] : await directory.list();
    const known = queues.find((one) => one.repositoryId === repositoryId && one.branch === branch);
    if (!known) return false;
    await reach.check(known.id, { told: true });
    return true;
  }

  /** Reads what the queue needs from the code host. Refuses a queue that could not work there. */
  async #examine({ repo, branch, settings: given, actor }: NewQueue): Promise<Outcome<ExaminedPlace>> {
    const { codeHost } = this.#context.directory;
    const installationId = await codeHost.findInstallation(repo);
    if (installationId === null) {
      return refused({ code: "APP_NOT_INSTALLED", repository: `${repo.owner}/${repo.name}` });
    }
    const place = { repo, branch, installationId, repositoryId: null };
    const reach = await codeHost.readReach(place);
    const obstacle = findObstacle(reach, place);
    if (obstacle?.code === "BRANCH_MISSING") return refused({ code: "BRANCH_NOT_FOUND", branch });
    if (obstacle)
      return refused({ code: "CODE_HOST_DENIED", message: renderObstacle(obstacle, (text) => text) });
    const baseSha = await codeHost.branchTip({ ...repo, installationId }, branch);
    if (baseSha === null) return refused({ code: "BRANCH_NOT_FOUND", branch });
    const off = commandsTurnedOff(given, defaultSettings, actor);
    const settings = { ...settingsOfNewQueue(given), ...off };
    const diagnosis = await this.#doctor.look({ repo, branch }, settings, installationId);
    const fatal = diagnosis.findings.find(({ isFatal }) => isFatal);
    if (fatal) return refused({ code: "QUEUE_CANNOT_WORK", branch, finding: fatal });
    const repositoryId = reach.kind === "reached" ? reach.repositoryId : null;
    return accepted({ installationId, repositoryId, baseSha, settings, diagnosis });
  }
}
