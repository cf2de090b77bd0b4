/** The maximum number of dependencies that are read of one pull request. */
const maxDependencies = 20;

const line = /^[ \t]*(?:[-*][ \t]+)?depends-on:[ \t]*(\S+)[ \t]*$/gim;
const notText = /<!--[\s\S]*?(?:-->|$(?![\s\S]))|^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm;

/**
 * The numbers in the lines `Depends-On: #N` of a description, ascending. A line may also hold the full address of a pull request of
 * the same repository. Comments and code blocks are ignored.
 *
 * @param url the address of the pull request itself
 */
export function parseDependsOn(description: string, url: string): number[] {
  const repository = url.replace(/\d+$/, "").toLowerCase();
  const found = [...description.replace(notText, "").matchAll(line)].flatMap(([, named = ""]) => {
    const number = named.toLowerCase().startsWith(repository) ? named.slice(repository.length) : named;
    const digits = number === named ? /^#(\d{1,9})$/.exec(named)?.[1] : /^\d{1,9}$/.exec(number)?.[0];
    return digits === undefined || Number(digits) === 0 ? [] : [Number(digits)];
  });
  return [...new Set(found)].sort((a, b) => a - b).slice(0, maxDependencies);
}
