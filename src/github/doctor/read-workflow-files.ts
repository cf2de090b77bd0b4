import type { WorkflowFiles } from "../../ports/code-host/doctor-facts.ts";
import { readFile } from "../access/repository-content.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

const directory = ".github/workflows";
/** Each file is one more call. */
const maxFiles = 20;

/** The workflows of a branch. */
export async function readWorkflowFiles(api: RepositoryApi, ref: string): Promise<WorkflowFiles> {
  const paths = (await listFiles(api, ref)).filter((path) => /\.ya?ml$/.test(path));
  const files = await Promise.all(
    paths.slice(0, maxFiles).map(async (path) => {
      const text = await readFile(api, ref, path);
      return text === null ? [] : [{ path, text }];
    }),
  );
  return { files: files.flat(), unread: Math.max(0, paths.length - maxFiles) };
}

async function listFiles({ octokit, at }: RepositoryApi, ref: string): Promise<string[]> {
  try {
    const { data } = await octokit.rest.repos.getContent({ ...at, path: directory, ref });
    return Array.isArray(data) ? data.filter(({ type }) => type === "file").map(({ path }) => path) : [];
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}
