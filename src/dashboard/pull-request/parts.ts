import { html } from "ghtml";
import type { Entry } from "../../engine/model/entry.ts";
import type { TestRun } from "../../engine/model/test-run.ts";
import type { EntryStory } from "../../service/queues/entry-stories.ts";

/** Parts of the sections of a pull request's page. All return HTML. */

/** Links a text only if its address is http or https, because the code host and CI supply addresses. */
export function linkTo(url: string | null, content: string): string {
  if (url === null || !/^https?:\/\//i.test(url)) return content;
  return html`<a href="${url}" rel="noreferrer">!${content}</a>`;
}

/** A commit, linked at the code host. */
export function linkToCommit(entry: Pick<Entry, "url">, sha: string): string {
  return linkInRepository(entry, `commit/${sha}`, sha);
}

/** A tree, linked to the files at a commit that has it: the code host shows no tree by its own id. */
export function linkToTree(entry: Pick<Entry, "url">, commit: string, tree: string): string {
  return linkInRepository(entry, `tree/${commit}`, tree);
}

function linkInRepository(entry: Pick<Entry, "url">, path: string, sha: string): string {
  return linkTo(addressInRepository(entry, path), html`<code>${sha.slice(0, 7)}</code>`);
}

/** An address at the code host; null = the repository's is not known. */
export function addressInRepository({ url }: Pick<Entry, "url">, path: string): string | null {
  const repository = /^(https?:\/\/.+)\/pull\/\d+$/i.exec(url)?.[1];
  return repository === undefined ? null : `${repository}/${path}`;
}

/** Limits the length of lists: hundreds may be tested on top of each other. */
const mostLinked = 12;

/**
 * Pull requests, each linked to its page, as a list for a sentence. The links are relative to this page: there may be hundreds, and each
 * update of an open page sends them again.
 */
export function linksTo(prs: readonly number[]): string {
  const links = prs.slice(0, mostLinked).map((pr) => html`<a href="${pr}">#${pr}</a>`);
  const last = prs.length > mostLinked ? `${prs.length - mostLinked} more` : (links.pop() ?? "");
  return links.length === 0 ? last : `${links.join(", ")} and ${last}`;
}

/** Text in which these numbers of pull requests are linked to their pages. */
export function withLinks(text: string, prs: readonly number[]): string {
  const parts = text.split(/(#\d+)\b/).map((part) => {
    const pr = part.startsWith("#") ? Number(part.slice(1)) : Number.NaN;
    return prs.includes(pr) ? linksTo([pr]) : html`${part}`;
  });
  return parts.join("");
}

/** What the test commit of a run contains in addition to the pull request itself. */
export function builtOn(story: EntryStory, { ahead, members }: Pick<TestRun, "ahead" | "members">): string {
  const place = members.indexOf(story.view.entry.pr);
  const below = [...ahead, ...members.slice(0, Math.max(0, place))];
  const base =
    below.length === 0 ? html`on <span class="branch">${story.branch}</span>` : `on top of ${linksTo(below)}`;
  const behind = members.slice(place + 1);
  return behind.length === 0 ? base : `${base}, in a batch with ${linksTo(behind)} behind it`;
}

/** A time, with its day if that differs from the day of another time. */
export function clockTime(at: number, other: number): string {
  const [day = "", time = ""] = new Date(at).toISOString().split("T");
  const isSameDay = new Date(other).toISOString().startsWith(day);
  return html`<time datetime="${day}T${time}">${isSameDay ? "" : `${day} `}${time.slice(0, 8)}</time>`;
}

/** A duration with its two largest units: `3 h 5 min`, `2 min 10 s`, `0 s`. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const units = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  if (first < 0) return "0 s";
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}
