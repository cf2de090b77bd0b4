/** Renders a time as in every answer: `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
