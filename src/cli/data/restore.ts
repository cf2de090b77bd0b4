export async function restore(_argv: readonly string[]): Promise<number> {
  return 2;
}
