/** The pull request that a new sandbox has, so that there is something to merge. */
const first = {
  branch: "better-notes",
  title: "Improve the notes",
  path: "notes.txt",
  content: "Changed by the first pull request.\n",
};

/**
 * Opens a pull request as a user, by the REST API.
 * @param api the address of the repository in the API
 * @returns the address of its page
 * @throws Error when the API refuses a call
 */
export async function openFirstPull(api: string, token: string): Promise<string> {
  async function call<T>(path: string, body?: object): Promise<T> {
    const answer = await fetch(`${api}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }
  const { branch, title, path, content } = first;
  const { commit } = await call<{ commit: { sha: string } }>("/branches/main");
  const tree = [{ path, content, mode: "100644", type: "blob" }];
  const { sha: treeSha } = await call<{ sha: string }>("/git/trees", { base_tree: commit.sha, tree });
  const change = { message: title, tree: treeSha, parents: [commit.sha] };
  const { sha } = await call<{ sha: string }>("/git/commits", change);
  await call("/git/refs", { ref: `refs/heads/${branch}`, sha });
  const pull = await call<{ html_url: string }>("/pulls", { title, head: branch, base: "main" });
  return pull.html_url;
}
