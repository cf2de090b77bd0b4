/** Runs tasks with the same key one at a time, in order of arrival. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const over = result.then(
      () => {},
      () => {},
    );
    this.#last.set(key, over);
    void over.then(() => {
      if (this.#last.get(key) === over) this.#last.delete(key);
    });
    return result;
  }
}
