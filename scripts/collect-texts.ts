import { parse } from "@babel/parser";

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Two words with a space between them. Names, codes and paths have none. */
const prose = /\p{L}{2,}[\p{P}\p{S}]* [\p{P}\p{S}]*\p{L}/u;
/** Their literals are not written to people. */
const skippedTypes = new Set([
  "ImportDeclaration",
  "ExportAllDeclaration",
  "TSLiteralType",
  "TSTypeAliasDeclaration",
  "TSInterfaceDeclaration",
]);

/**
 * Returns the texts in a TypeScript source: its string and template literals that contain at least two words, in order and without
 * repetitions. Inserted values are shown as `{name}`. Log messages are left out.
 */
export function collectTexts(source: string): string[] {
  const { program } = parse(source, { sourceType: "module", plugins: ["typescript"] });
  const texts = new Set<string>();
  visit(program as unknown as Node, (text) => {
    const line = text.replace(/\s+/g, " ").trim();
    if (prose.test(line)) texts.add(line);
  });
  return [...texts];
}

function visit(node: Node, found: (text: string) => void): void {
  if (skippedTypes.has(node.type) || isLogCall(node)) return;
  if (node.type === "StringLiteral") found(String(node.value));
  if (node.type === "TaggedTemplateExpression" && isNode(node.quasi)) {
    for (const text of textOf(node.quasi).split(/<[^>]*>/)) found(text);
    return visitAll(node.quasi.expressions, found);
  }
  if (node.type === "TemplateLiteral") found(textOf(node));
  for (const child of Object.values(node)) visitAll(Array.isArray(child) ? child : [child], found);
}

function visitAll(nodes: unknown, found: (text: string) => void): void {
  for (const node of Array.isArray(nodes) ? nodes : []) if (isNode(node)) visit(node, found);
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}

function textOf({ quasis, expressions }: Node): string {
  const values = (expressions as Node[]).map((value) => `{${nameOf(value)}}`);
  return (quasis as { value: { cooked?: string } }[])
    .map(({ value }, index) => `${value.cooked ?? ""}${values[index] ?? ""}`)
    .join("");
}

/** The last name in an expression: `branch` of `renderCode(context.branch)`. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return "…";
  switch (node.type) {
    case "Identifier":
      return String(node.name);
    case "MemberExpression":
    case "OptionalMemberExpression":
      return ["length", "name"].includes(nameOf(node.property)) && isNode(node.object)
        ? nameOf(node.object)
        : nameOf(node.property);
    case "CallExpression": {
      const { callee } = node;
      const isMethod = isNode(callee) && callee.type === "MemberExpression";
      return nameOf(isMethod ? callee.object : (node.arguments as unknown[])[0]);
    }
    default:
      return "…";
  }
}

function isLogCall({ type, callee }: Node): boolean {
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return false;
  return ["log", "logger"].includes(nameOf(callee.object));
}
