import { repositoryFilePath } from "../command/repository-file.ts";
import {
  checkRunPayload,
  issueCommentPayload,
  pullRequestPayload,
  pushPayload,
  statusPayload,
} from "./payload.ts";

/** A job for the thread that parses what is large. */
export interface ReadDeliveryJob {
  readonly kind: "delivery";
  readonly event: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The payload of a webhook; null when it is not a JSON object. */
export function readPayload(body: Uint8Array): object | null {
  try {
    const payload: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
    return typeof payload === "object" && payload !== null && !Array.isArray(payload) ? payload : null;
  } catch {
    return null;
  }
}

const schemas = {
  issue_comment: issueCommentPayload,
  pull_request: pullRequestPayload,
  pull_request_review: pullRequestPayload,
  check_run: checkRunPayload,
  status: statusPayload,
  push: pushPayload,
} as const;

interface Facts {
  readonly action?: unknown;
  readonly repository?: { readonly full_name?: unknown };
}

/**
 * What is needed of a payload, however large it is: at most a few kilobytes. A push of thousands of commits names up to 25 MiB
 * of paths, which would be written, and parsed again when it is handled.
 */
export function trimPayload(event: string, payload: object): object {
  const { action, repository } = payload as Facts;
  const schema = Object.hasOwn(schemas, event) ? schemas[event as keyof typeof schemas] : null;
  const needed: { repository?: object; commits?: Commits | undefined } =
    schema?.safeParse(payload).data ?? {};
  const commits = needed.commits ? { commits: needed.commits.flatMap(touching) } : {};
  return {
    ...(action === undefined ? {} : { action }),
    ...needed,
    ...commits,
    repository: { ...needed.repository, full_name: repository?.full_name },
  };
}

type Paths = readonly string[] | undefined;
type Commits = readonly { readonly added?: Paths; readonly modified?: Paths; readonly removed?: Paths }[];

/** Of a commit's paths only that of the repository's file is asked for. */
function touching({ added = [], modified = [], removed = [] }: Commits[number]): Commits {
  const isTouched = [added, modified, removed].some((paths) => paths.includes(repositoryFilePath));
  return isTouched ? [{ modified: [repositoryFilePath] }] : [];
}
