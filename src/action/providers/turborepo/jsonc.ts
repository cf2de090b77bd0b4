/** Parses JSON that may have comments and trailing commas. @throws SyntaxError */
export function parseJsonc(text: string): unknown {
  const withoutComments = text.replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, "$1");
  return JSON.parse(withoutComments.replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, "$1"));
}
