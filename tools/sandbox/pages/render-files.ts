import { html } from "ghtml";
import type { FileChange } from "../git/diff.ts";

/** The changed files of a pull request or commit, each with its changed lines. */
export function renderFiles(files: readonly FileChange[]): string {
  if (files.length === 0) return '<p class="quiet">No file differs.</p>';
  return files
    .map(
      ({ path, previousPath, status, additions, deletions, patch }) => html`<details open>
<summary><code>!${previousPath === null ? "" : html`${previousPath} → `}${path}</code> <span class="quiet">${status}</span> <span class="added">+${additions}</span> <span class="removed">−${deletions}</span></summary>
!${patch === null ? "" : `<pre>${patch.split("\n").map(renderLine).join("\n")}</pre>`}
</details>`,
    )
    .join("\n");
}

function renderLine(line: string): string {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "quiet";
  return html`<span class="${kind}">${line}</span>`;
}
