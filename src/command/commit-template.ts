/** The placeholders of a template for a commit's title or message. */
export const placeholders = ["title", "number", "body", "author", "url", "commits"] as const;

export type Placeholder = (typeof placeholders)[number];

const pattern = /\{(\w+)\}/g;

export function placeholdersIn(template: string): string[] {
  return [...template.matchAll(pattern)].map(([, name = ""]) => name);
}

export function isPlaceholder(name: string): name is Placeholder {
  return (placeholders as readonly string[]).includes(name);
}

/** Fills a template. Placeholders inside the inserted values are not replaced. */
export function fillTemplate(template: string, values: Readonly<Record<Placeholder, string>>): string {
  const filled = template.replaceAll(pattern, (whole, name: string) =>
    isPlaceholder(name) ? values[name] : whole,
  );
  return filled
    .replaceAll("\r\n", "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}
