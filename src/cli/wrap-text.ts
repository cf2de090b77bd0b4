import { Help } from "commander";

const help = Object.assign(new Help(), { minWidthToWrap: 20 });

/**
 * Wraps lines at spaces. Lines that follow each other without indentation are one paragraph. An indented line continues below its own
 * text: after its first column, which two spaces end, or a label such as "Cause:".
 *
 * @param width the number of columns of the terminal
 */
export function wrapText(text: string, width: number): string {
  const paragraphs = text.replaceAll(/(?<=^\S.*)\n(?=\S)/gm, " ");
  const lines = paragraphs.split("\n").map((line) => {
    const [start] = /^(?: +(?:[A-Z][a-z]+: +|\S+(?: \S+)*? {2,})?)?/.exec(line) ?? [""];
    const rest = help.boxWrap(line.slice(start.length), width - start.length);
    return start + rest.replaceAll("\n", `\n${" ".repeat(start.length)}`);
  });
  return lines.join("\n");
}

/**
 * The number of columns of a terminal.
 *
 * @param otherwise of what is no terminal
 */
export function widthOf(stream: NodeJS.WriteStream, otherwise: number): number {
  // Some terminals do not report their width.
  return (stream.isTTY && stream.columns) || otherwise;
}
