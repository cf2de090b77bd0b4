import MarkdownIt from "markdown-it";

// HTML in comments is shown as text, because anyone may have written it.
const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true });

/** Returns the HTML of a comment. Comments of HTML, which carry marks of programs, are left out, as on GitHub. */
export function renderMarkdown(text: string): string {
  return markdown.render(text.replaceAll(/<!--[\s\S]*?-->/g, ""));
}
