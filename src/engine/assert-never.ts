/** Makes a switch over a closed union exhaustive at compile time. @throws at run time, for a value outside the union */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
