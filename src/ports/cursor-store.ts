/** How far each polled source has been read. */
export interface CursorStore {
  get(name: string): Promise<string | null>;
  put(name: string, value: string): Promise<void>;
}
