export async function copy(_argv: readonly string[]): Promise<number> {
  return 2;
}
