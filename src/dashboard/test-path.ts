import type { RepositoryRef } from "../engine/model/queue.ts";

/** The address of a test's page on this service. */
export function testPath(repo: RepositoryRef, id: string): string {
  return `${testsPath(repo)}/${encodeURIComponent(id)}`;
}

/** The address of the page of a repository's tests. */
export function testsPath({ host, owner, name }: RepositoryRef): string {
  return `/tests/${[host, owner, name].map(encodeURIComponent).join("/")}`;
}
