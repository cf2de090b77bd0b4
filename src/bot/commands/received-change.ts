/** How the service learned of a change of a label or of auto-merge. */
export interface ReceivedChange {
  /** The id of the delivery, which is the same when it is delivered or handled again. */
  readonly id: string;
  /** When the change was made, in milliseconds since the epoch, if polling found it; null = its webhook arrived. */
  readonly foundAt: number | null;
}

const foundPrefix = "found/";

/**
 * Names a change. Its time would not do: within the same second, a label can be put on, taken off and put on again.
 */
export function changeId({ id, foundAt }: ReceivedChange): string {
  return foundAt === null ? id : `${foundPrefix}${id}`;
}

/** Whether polling found the change with this name. */
export function isFoundChange(id: string): boolean {
  return id.startsWith(foundPrefix);
}
