/** @throws an error that says which numbers the option takes */
export function numberOption(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text !== "" && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a number from ${min} to ${max}, not "${text}".`);
}

/** @throws an error that says which whole numbers the option takes */
export function wholeOption(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text !== "" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}
