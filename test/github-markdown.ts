import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

const options = { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true };

/** Renders text as GitHub does, except for mentions and references. */
export const renderGitHubMarkdown = (text: string): string => micromark(text, options);

/** Tags that no block of a text may be missing. */
const blocks = new Set(["p", "ul", "ol", "li", "table", "tr", "blockquote", "pre", "h1", "h2", "h3", "hr"]);

/** The blocks of a text, such as `p ul(li li)` or `blockquote(p table(tr tr))`. */
export function blocksOf(text: string): string {
  const tags = [...renderGitHubMarkdown(text).matchAll(/<(\/?)([a-z][a-z\d]*)[^>]*>/g)];
  const shown = tags.flatMap(([, end, tag = ""]) => (blocks.has(tag) ? [end === "" ? `${tag}(` : ")"] : []));
  return shown.join(" ").replaceAll("( ", "(").replaceAll(" )", ")").replaceAll("()", "");
}

/** What is left of Markdown's syntax in the text that readers see, outside code. */
export function leftoverSyntax(text: string): string[] {
  const seen = renderGitHubMarkdown(text)
    .replaceAll(/<code>.*?<\/code>/gs, "")
    .replaceAll(/<[^>]*>/g, "");
  return seen.match(/\||\*\*|`|\]\(|^(?:[-+>#]|&gt;) .*/gm) ?? [];
}
