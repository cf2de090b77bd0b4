import { createClient } from "../../src/client/client.ts";
import type { Stage } from "../scenarios/stage.ts";
import type { NewToken } from "../scenarios/stage-service.ts";
import { Browser } from "./signed-in-browser.ts";

/** Everybody who may open a page of acme/widgets, by what makes them different. */
export const roles = [
  "nobody",
  "a stranger",
  "a reader",
  "a writer",
  "the author",
  "an administrator",
  "an administrator until a minute ago",
  "an owner of the organisation",
  "an owner of the organisation until a minute ago",
  "an owner of another organisation",
  "a token that may read",
  "a token that may submit",
  "a token that may administrate queues",
  "a token that may do everything",
  "a token of another organisation",
  // The last one, because the App stays suspended.
  "an owner while the App is suspended",
] as const;
export type Role = (typeof roles)[number];

/** Had the role of an administrator when the service read it last. */
export const withdrawn: Role = "an administrator until a minute ago";
/** Owned the organisation when the service read it last. */
export const formerOwner: Role = "an owner of the organisation until a minute ago";
/** Signs in while GitHub refuses the App everything. */
export const suspended: Role = "an owner while the App is suspended";

const logins: Readonly<Partial<Record<Role, string>>> = {
  "a stranger": "mallory",
  "a reader": "carol",
  "a writer": "bob",
  "the author": "alice",
  // Also a member of the organisation.
  "an administrator": "admin",
  "an owner of the organisation": "olga",
  "an owner of another organisation": "greta",
  [suspended]: "late",
};
const tokens: Readonly<Partial<Record<Role, NewToken>>> = {
  "a token that may read": { organisation: "acme", scopes: ["read"] },
  "a token that may submit": { organisation: "acme", scopes: ["read", "submit"] },
  "a token that may administrate queues": { organisation: "acme", scopes: ["read", "queue:admin"] },
  "a token that may do everything": { organisation: "acme", scopes: ["admin"] },
  "a token of another organisation": { organisation: "globex", scopes: ["admin"] },
};

export const owner = { role: "admin", state: "active" } as const;
let left = 0;

/** Adds those whom a stage does not have, and a queue of another organisation. */
export async function addPeople(stage: Stage): Promise<void> {
  const { sandbox, queue, url: baseUrl } = stage;
  sandbox.createUser({ login: "mallory" });
  for (const login of ["olga", "greta", "late"]) sandbox.createUser({ login });
  sandbox.setMembership("acme", "admin", { ...owner, role: "member" });
  for (const login of ["olga", "late"]) sandbox.setMembership("acme", login, owner);
  sandbox.setMembership("globex", "greta", owner);
  await sandbox.createRepository({ owner: "globex", name: "gadgets", ci: null });
  const token = await stage.issueToken({ organisation: "globex", scopes: ["queue:admin"] });
  const repo = { ...queue.repo, owner: "globex", name: "gadgets" };
  await createClient({ baseUrl, token }).createQueue({ ...queue, repo, requiredStatuses: ["build"] });
}

/** Signs somebody in, whose role the service has read when this returns. */
export async function signInAs(stage: Stage, role: Role): Promise<Browser> {
  const browser = new Browser(stage);
  const token = tokens[role];
  if (token) await browser.signInWithToken(await stage.issueToken(token));
  else if (role === withdrawn) {
    const login = `left-${++left}`;
    stage.sandbox.createUser({ login, permission: "admin" });
    await browser.signIn(stage.pageUrl, login);
    stage.sandbox.setPermission(login, "none");
  } else if (role === formerOwner) {
    const login = `left-${++left}`;
    stage.sandbox.createUser({ login });
    stage.sandbox.setMembership("acme", login, owner);
    await browser.signIn(stage.pageUrl, login);
    await browser.open(`${stage.url}/webhooks/acme`);
    stage.sandbox.setMembership("acme", login, { ...owner, role: "member" });
  } else if (role !== "nobody") await browser.signIn(stage.pageUrl, logins[role] ?? "");
  return browser;
}
