/** Lets one task at a time through, in the order of asking. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  exclusive<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task, task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
