import { expect, test } from "@jest/globals";
import type { RepositoryPermission } from "../../src/ports/code-host/code-host.ts";
import { RepositoryRoles } from "../../src/service/observation/repository-roles.ts";
import type { Directory } from "../../src/service/runtime/directory.ts";

const repo = { host: "github.com", owner: "acme", name: "widgets" };
const alice = { id: 1, login: "alice" };

function cursors() {
  const values = new Map<string, string>();
  return {
    get: async (name: string) => values.get(name) ?? null,
    put: async (name: string, value: string) => void values.set(name, value),
  };
}

test("a role is read again after five minutes, and much earlier when GitHub said that nothing is there", async () => {
  let now = 0;
  const absent = Object.assign(new Error("Not Found"), { name: "CodeHostError", kind: "not_found" });
  const answers: (RepositoryPermission | Error)[] = [absent, "admin", "read"];
  const permissionOf = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const directory = { ofRepository: async () => [{ repo, installationId: 1 }], codeHost: { permissionOf } };
  const roles = new RepositoryRoles(directory as unknown as Directory, cursors(), { now: () => now });
  const seen = [];
  for (const minutes of [0, 0.4, 1, 5, 7]) {
    now = minutes * 60_000;
    seen.push(await roles.roleOf(alice, repo));
  }
  expect(seen).toEqual(["none", "none", "admin", "admin", "read"]);
});

test("an owner of an organisation stays one for five minutes, and until the next change", async () => {
  let now = 0;
  let [accountId, isOwner] = [7, true];
  const directory = {
    installationsOf: async () => new Set([1]),
    codeHost: { readOwnership: async () => ({ accountId, isOwner }) },
  };

  const roles = new RepositoryRoles(directory as unknown as Directory, cursors(), { now: () => now });
  expect(await roles.isOwner(alice, "acme")).toBe(true);
  isOwner = false;
  now = 299_999;
  expect(await roles.isOwner(alice, "ACME")).toBe(true);
  expect(await roles.isOwner({ id: 2, login: "bob" }, "acme")).toBe(false);
  now = 300_000;
  expect(await roles.isOwner(alice, "acme")).toBe(false);
  isOwner = true;
  expect(await roles.isOwner(alice, "acme", true)).toBe(true);
  isOwner = false;
  expect(await roles.isOwner(alice, "acme", true)).toBe(false);
  expect(await roles.isOwner(alice, "acme")).toBe(false);
  // Another organisation has taken the name.
  [accountId, isOwner] = [8, true];
  expect(await roles.isOwner(alice, "acme", true)).toBe(false);
  accountId = 7;
  expect(await roles.isOwner(alice, "acme", true)).toBe(true);
});

test("an administrator of a repository owns no organisation with the name of its address", async () => {
  const directory = {
    ofRepository: async () => [{ repo, installationId: 1 }],
    installationsOf: async () => new Set(),
    codeHost: { permissionOf: async () => "admin" },
  };
  const roles = new RepositoryRoles(directory as unknown as Directory, cursors(), { now: () => 0 });
  expect(await roles.roleOf(alice, repo)).toBe("admin");
  for (const name of ["github.com/acme/widgets", "github.com/acme", 'github.com/acme","widgets'])
    expect(await roles.isOwner(alice, name)).toBe(false);
});

test("a queue is seen as soon as it is created, also by somebody who looked before", async () => {
  const queues: object[] = [];
  const codeHost = { permissionOf: async () => "read" };
  const directory = { ofRepository: async () => queues, codeHost } as unknown as Directory;
  const roles = new RepositoryRoles(directory, cursors(), { now: () => 0 });
  expect(await roles.roleOf(alice, repo)).toBe("none");
  queues.push({ repo, installationId: 1 });
  expect(await roles.roleOf(alice, repo)).toBe("read");
});

test("questions about repositories without a queue use up no calls of their owner", async () => {
  const directory = {
    ofRepository: async ({ name }: typeof repo) => (name === "widgets" ? [{ repo, installationId: 1 }] : []),
    codeHost: { permissionOf: async () => "write" },
  };
  const roles = new RepositoryRoles(directory as unknown as Directory, cursors(), { now: () => 0 });
  const guess = (id: number) => roles.roleOf({ id: 2, login: "mallory" }, { ...repo, name: `guessed-${id}` });
  const guesses = await Promise.all(Array.from({ length: 1_100 }, (_, id) => guess(id)));
  expect(new Set(guesses)).toEqual(new Set(["none"]));
  expect(await roles.roleOf(alice, repo)).toBe("write");
});

test("visitors use only a part of the calls that GitHub permits, so that the queue has most of them, and changes are not counted", async () => {
  let calls = 0;
  let now = 0;
  const permissionOf = async () => {
    calls++;
    return "admin";
  };
  const directory = { ofRepository: async () => [{ repo, installationId: 1 }], codeHost: { permissionOf } };
  const roles = new RepositoryRoles(directory as unknown as Directory, cursors(), { now: () => now });
  const visit = (id: number) => roles.roleOf({ id, login: `stranger-${id}` }, repo);
  const visits = await Promise.allSettled(Array.from({ length: 1_100 }, (_, id) => visit(id)));
  expect(visits.filter(({ status }) => status === "rejected")).toHaveLength(100);
  expect(calls).toBe(1_000);
  expect(await roles.roleOf(alice, repo, true)).toBe("admin");
  now = 3_600_000;
  expect(await visit(2_000)).toBe("admin");
});

test("when the calls of an owner are used up, nobody is told which of its repositories have a queue", async () => {
  const directory = {
    ofRepository: async ({ name }: typeof repo) => (name === "absent" ? [] : [{ repo, installationId: 1 }]),
    codeHost: {
      permissionOf: async (_: object, login: string) => (login === "alice" ? "none" : "read"),
    },
  };
  const roles = new RepositoryRoles(directory as unknown as Directory, cursors(), { now: () => 0 });
  for (const name of ["seen", "absent"]) expect(await roles.roleOf(alice, { ...repo, name })).toBe("none");
  for (let id = 2; id < 1_001; id++) await roles.roleOf({ id, login: `stranger-${id}` }, repo);
  for (const name of ["widgets", "seen", "absent"])
    await expect(roles.roleOf(alice, { ...repo, name })).rejects.toMatchObject({ kind: "rate_limited" });
  expect(await roles.roleOf(alice, { ...repo, owner: "other", name: "absent" })).toBe("none");
});

test("somebody who asks about first queues learns neither by a limit nor by the calls to GitHub where there is a queue", async () => {
  let calls = 0;
  const asked = async <T>(answer: T) => {
    calls++;
    return answer;
  };
  const directory = {
    checkHost: () => null,
    ofRepository: async ({ name }: typeof repo) => (name === "widgets" ? [{ repo, installationId: 1 }] : []),
    findInstalled: async ({ name }: typeof repo) =>
      name === "widgets" ? { ...repo, installationId: 1 } : asked(null),
    codeHost: { permissionOf: () => asked("none") },
  };
  const roles = new RepositoryRoles(directory as unknown as Directory, cursors(), { now: () => 0 });
  const mallory = { id: 2, login: "mallory" };
  const ask = (name: string) => roles.roleForFirstQueue(mallory, { ...repo, name });
  for (let id = 0; id < 30; id++)
    for (const name of [`guessed-${id}`, "widgets"]) expect(await ask(name)).toBe("none");
  expect(calls).toBe(60);
  for (const name of ["guessed-30", "widgets"])
    await expect(ask(name)).rejects.toMatchObject({ kind: "rate_limited" });
});

test("somebody who asks for the first queue of many repositories stops nobody else, and asks GitHub only of its own host", async () => {
  const asked: string[] = [];
  const directory = {
    ofRepository: async () => [],
    checkHost: ({ host }: typeof repo) => (host === "github.com" ? null : { ok: false }),
    findInstalled: async ({ name }: typeof repo) => {
      asked.push(name);
      return name === "widgets" ? { ...repo, installationId: 1 } : null;
    },
    codeHost: { permissionOf: async () => "admin" },
  };
  const roles = new RepositoryRoles(directory as unknown as Directory, cursors(), { now: () => 0 });
  const guess = (id: number) =>
    roles.roleForFirstQueue({ id: 2, login: "mallory" }, { ...repo, name: `guessed-${id}` });
  const guesses = await Promise.allSettled(Array.from({ length: 100 }, (_, id) => guess(id)));
  expect(guesses.filter(({ status }) => status === "rejected")).toHaveLength(40);
  expect(asked).toHaveLength(60);
  expect(await roles.roleForFirstQueue(alice, { ...repo, host: "elsewhere.example" })).toBe("none");
  expect(asked).toHaveLength(60);
  expect(await roles.roleForFirstQueue(alice, repo)).toBe("admin");
});
