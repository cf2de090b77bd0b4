export async function backup(_argv: readonly string[]): Promise<number> {
  return 2;
}
