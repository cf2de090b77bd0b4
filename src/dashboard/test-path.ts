import type { RepositoryRef } from "../engine/model/queue.ts";

/** Returns the path of a test's page on this service. */
export function testPath(repo: RepositoryRef, id: string): string {
  return `${testsPath(repo)}/${encodeURIComponent(id)}`;
}

/** Returns the path of the page with a repository's tests. */
export function testsPath({ host, owner, name }: RepositoryRef): string {
  return `/tests/${[host, owner, name].map(encodeURIComponent).join("/")}`;
}
