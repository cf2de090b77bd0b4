import * as z from "zod";
import type { CheckAnnotation, CheckRunContent } from "../../ports/code-host/checks.ts";
import { kindOf } from "../client/code-host-error.ts";
import type { ContentPlace } from "../client/content-writer.ts";
import { globalIdOf } from "../client/node-ids.ts";

/** The maximum length of a summary on GitHub. */
const maxSummary = 65_535;

const writtenShape = z.object({ checkRun: z.object({ id: z.string() }) });

export class CheckRunPublisher {
  readonly #place: ContentPlace;

  constructor(place: ContentPlace) {
    this.#place = place;
  }

  /** See `CodeHost.putCheckRun`. */
  async put(id: string | null, content: CheckRunContent, mayExist: boolean): Promise<string> {
    // GitHub shows the latest of several check runs.
    const found = mayExist ? await this.#find(content) : null;
    const known = found ?? (id === null ? null : await this.#nodeId(id));
    if (known === null) return this.#write("createCheckRun", content, { headSha: content.headSha });
    try {
      return await this.#write("updateCheckRun", content, { checkRunId: known });
    } catch (error) {
      if (kindOf(error) !== "not_found") throw error;
      // A check run can vanish with its commit, and is then created again. If it can still be found, it has not vanished.
      if ((await this.#find(content)) === known) throw error;
    }
    return this.#write("createCheckRun", content, { headSha: content.headSha });
  }

  async #write(
    name: "createCheckRun" | "updateCheckRun",
    content: CheckRunContent,
    subject: { headSha: string } | { checkRunId: string },
  ): Promise<string> {
    const repositoryId = await this.#place.ids.repository(this.#place);
    try {
      const { checkRun } = await this.#place.writer.write({
        name,
        input: { repositoryId, ...subject, ...inputOf(content) },
        selection: "checkRun { id }",
        shape: writtenShape,
        creates: null,
      });
      return checkRun.id;
    } catch (error) {
      if (kindOf(error) === "not_found") this.#place.ids.forget(this.#place.at);
      throw error;
    }
  }

  async #find({ headSha: ref, name: check_name, externalId }: CheckRunContent): Promise<string | null> {
    const { data } = await this.#place.octokit.rest.checks.listForRef({ ...this.#place.at, ref, check_name });
    const own = data.check_runs.filter((run) => run.external_id === externalId);
    return own.toSorted((a, b) => a.id - b.id).at(-1)?.node_id ?? null;
  }

  #nodeId(id: string): Promise<string | null> {
    return globalIdOf(id, (check_run_id) =>
      this.#place.octokit.rest.checks.get({ ...this.#place.at, check_run_id }),
    );
  }
}

/** https://docs.github.com/en/graphql/reference/input-objects#createcheckruninput */
function inputOf(content: CheckRunContent): Record<string, unknown> {
  const { name, externalId, detailsUrl, status, conclusion, title, summary, annotations } = content;
  return {
    name,
    externalId,
    ...(detailsUrl === null ? {} : { detailsUrl }),
    ...(conclusion === null
      ? { status: status.toUpperCase() }
      : { status: "COMPLETED", conclusion: conclusion.toUpperCase() }),
    output: {
      title,
      summary: summary.slice(0, maxSummary),
      ...(annotations === undefined ? {} : { annotations: annotations.map(renderAnnotation) }),
    },
  };
}

function renderAnnotation({ path, line, message }: CheckAnnotation) {
  const location = { startLine: line, endLine: line };
  return { path, location, annotationLevel: "FAILURE", message };
}
