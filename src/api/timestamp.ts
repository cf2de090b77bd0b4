/** A time as every answer has it: `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
