import type { VirtualCalls } from "./virtual-calls.ts";

/** What a code host answers about everything that never changes in the simulation. */
export abstract class UnchangingCodeHost {
  protected readonly calls: VirtualCalls;

  constructor(calls: VirtualCalls) {
    this.calls = calls;
  }

  protected ask<T>(name: string, answer: () => T): Promise<T> {
    return this.calls.read(name, answer);
  }

  protected change<T>(name: string, effect: () => T): Promise<T> {
    return this.calls.change(name, effect);
  }

  async readMergeMessage() {
    return {};
  }

  readPullRequestText() {
    return this.ask("readPullRequestText", () => ({ body: "", commits: [], unlisted: 0 }));
  }

  pusherOf() {
    return this.ask("pusherOf", () => ({ login: "mallory", id: 2, isPerson: true }));
  }

  readFile() {
    return this.ask("readFile", () => null);
  }

  isSameRepositoryFile() {
    return this.ask("isSameRepositoryFile", () => true);
  }

  changedBetween() {
    return this.ask("changedBetween", () => []);
  }

  conflictDetails() {
    return this.ask("conflictDetails", () => ({ paths: [], since: null }));
  }

  changedPaths() {
    return this.ask("changedPaths", () => []);
  }

  async readForkRun() {
    return null;
  }

  permissionOf() {
    return this.ask("permissionOf", () => "admin" as const);
  }

  cancelWorkflowRuns() {
    return this.change("cancelWorkflowRuns", () => ({ cancelled: 0, refused: null }));
  }

  async findIssue() {
    return null;
  }

  openIssue(): Promise<never> {
    return this.calls.deny("the simulation has no issues");
  }

  async editIssue() {
    return null;
  }

  async commentOnIssue() {}

  readFact(): Promise<never> {
    return this.calls.deny("the simulation has no facts for the doctor");
  }
}
