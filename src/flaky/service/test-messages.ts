import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Announcement, WebhookMessage } from "../../ports/webhooks/webhook-message.ts";
import type { EventName } from "../../service/webhooks/event-names.ts";
import { renderStatusReason, type StatusChange, type TestStatus } from "../detection/status.ts";
import type {
  QuarantineCandidate,
  QuarantineInputs,
  QuarantinePlan,
  QuarantineRevision,
} from "../store/quarantines/quarantine-store.ts";
import type { NamedTest } from "../store/uploads/upload-records.ts";

/** The repository of the tests, and the page of each test. */
export interface MessageContext {
  readonly repo: RepositoryRef;
  readonly repositoryId: number;
  readonly testUrl: (id: string) => string;
}

export type TestEventName = Extract<EventName, `test_case.${string}`>;

export interface TestEvent {
  /** Unique among all messages in combination with the test. */
  readonly id: string;
  readonly test: NamedTest & { readonly sk: number };
  readonly type: Exclude<TestEventName, "test_case.changes_omitted">;
  readonly at: number;
  readonly status: TestStatus;
  /** A sentence for people. */
  readonly reason: string;
  /** Fields that are specific to this type of message. */
  readonly more: Readonly<Record<string, string | null>>;
}

/** Messages in the order of the events. Each is composed on demand, because most of a long list never are. */
export type TestEvents = readonly (() => TestEvent)[];

/** The maximum number of messages from one evaluation or command, so that endpoints are not flooded. */
const mostMessages = 100;
/**
 * The maximum number of characters of all messages together. Test names may be long, and each endpoint gets
 * its own copy.
 */
const mostCharacters = 128 * 1024;

/** The webhook messages for the repository's organisation. They are built only if there is a subscriber. */
export function announceTests(place: MessageContext, now: number, events: () => TestEvents): Announcement {
  return { organisation: place.repo.owner, messages: () => testMessages(place, now, events()) };
}

/**
 * The messages about a repository's tests, in the order of the events. Beyond the limits, one message gives
 * the number of omitted ones, and subscribers must read the lists.
 */
function testMessages(place: MessageContext, now: number, events: TestEvents): readonly WebhookMessage[] {
  const messages: WebhookMessage[] = [];
  let characters = 0;
  for (const build of events.slice(0, mostMessages)) {
    const message = messageOf(place, now, build());
    characters += message.payload.length;
    if (characters > mostCharacters && messages.length > 0) break;
    messages.push(message);
  }
  const omitted = events.length - messages.length;
  const last = events.at(-1);
  return omitted > 0 && last ? [...messages, omission(place, now, last(), omitted)] : messages;
}

function messageOf(
  place: MessageContext,
  now: number,
  { id, test, type, at, status, reason, more }: TestEvent,
) {
  const { name, parent, file, classname, variant, owners } = test;
  const payload = {
    ...{ type, action: actionOf(type), status },
    ...{ test_case_id: test.id, name, parent, file, classname, variant, codeowners: owners ?? [] },
    ...common(place, at, place.testUrl(test.id)),
    ...more,
    reason_text: reason,
  };
  return {
    id: `msg_test_${test.sk}_${id}`,
    type,
    stream: `test/${test.sk}`,
    at: now,
    payload: text(payload),
  };
}

function omission(
  place: MessageContext,
  now: number,
  { id, at, test }: TestEvent,
  omitted: number,
): WebhookMessage {
  const type = "test_case.changes_omitted";
  const payload = {
    ...{ type, action: actionOf(type), omitted },
    ...common(place, at, place.testUrl("").replace(/\/$/, "")),
    reason_text: `${omitted} more changes at once are not told one by one`,
  };
  const stream = `tests/${place.repositoryId}`;
  return { id: `msg_tests_${test.sk}_${id}`, type, stream, at: now, payload: text(payload) };
}

function common({ repo: { host, owner, name } }: MessageContext, at: number, url: string) {
  return {
    repository: { host, owner, name },
    timestamp: new Date(at).toISOString(),
    http_details_url: url,
  };
}

const text = (payload: object) => JSON.stringify(payload);
const actionOf = (type: TestEventName) => type.slice("test_case.".length);

/** A test whose status changed in one evaluation. */
export interface StatusChanges {
  readonly test: TestEvent["test"];
  readonly before: TestStatus;
  readonly changes: readonly StatusChange[];
}

/** @param evaluation a unique number: each evaluation is stored once. */
export function statusEvents(changed: readonly StatusChanges[], evaluation: number): TestEvents {
  return changed.flatMap(({ test, before, changes }) =>
    changes.map(({ status, at, reason }, index) => () => ({
      ...{ id: `status_${evaluation}_${index}`, test, at, status },
      type: "test_case.status_changed" as const,
      reason: renderStatusReason(reason),
      more: { previous_status: changes[index - 1]?.status ?? before, status_reason: reason.code },
    })),
  );
}

/**
 * The webhook messages for a plan: changed settings, and tests whose failures become forgiven or stop being
 * forgiven.
 *
 * @param plan a unique name of the plan.
 */
export function quarantineEvents(
  { candidates, settings }: QuarantineInputs,
  { revisions }: QuarantinePlan,
  at: number,
  plan: string,
): TestEvents {
  const before = new Map(candidates.map((test) => [test.sk, test]));
  const events: TestEvents[number][] = [];
  for (const revision of revisions) {
    const test = before.get(revision.sk);
    if (!test) continue;
    if (test.mode !== revision.mode) events.push(() => settingChanged(test, revision, at, plan));
    // While quarantining is disabled nothing is forgiven, also for tests that are marked as quarantined.
    if (settings.enabled && test.isQuarantined !== revision.isQuarantined) {
      const announce = revision.isQuarantined ? quarantined : released;
      events.push(() => announce(test, revision, at, plan));
    }
  }
  return events;
}

function settingChanged(
  test: QuarantineCandidate,
  { mode, quarantine }: QuarantineRevision,
  at: number,
  plan: string,
) {
  return {
    ...{ id: `setting_${plan}`, test, at, status: test.status.status },
    type: "test_case.quarantining_setting_changed" as const,
    reason: quarantine?.reason ?? "",
    more: { quarantine_setting: wordOf(mode), previous_quarantine_setting: wordOf(test.mode) },
  };
}

function quarantined(
  test: QuarantineCandidate,
  { mode, quarantine }: QuarantineRevision,
  at: number,
  plan: string,
) {
  return {
    ...{ id: `quarantined_${plan}`, test, at, status: test.status.status },
    type: "test_case.quarantined" as const,
    reason: quarantine?.reason ?? "",
    more: {
      quarantine_setting: wordOf(mode),
      quarantine_reason: mode === "ALWAYS" ? "ALWAYS_SET" : "FLAKY",
      quarantine_owner: quarantine?.owner ?? null,
      quarantine_expires_at: quarantine && new Date(quarantine.expiresAt).toISOString(),
    },
  };
}

const sentences = {
  NEVER_SET: "Somebody has set that its failures count",
  EXPIRED: "Its quarantine has ended",
  HEALTHY: "It is not flaky any more",
  BROKEN: "It fails each time, which is never forgiven automatically",
  BUDGET_SPENT: "Too many tests are quarantined already",
} as const;

function released(test: QuarantineCandidate, { mode }: QuarantineRevision, at: number, plan: string) {
  const code = releaseReason(test, mode, at);
  return {
    ...{ id: `unquarantined_${plan}`, test, at, status: test.status.status },
    type: "test_case.unquarantined" as const,
    reason: sentences[code],
    more: {
      ...{ quarantine_setting: wordOf(mode), quarantine_reason: code },
      ...{ quarantine_owner: null, quarantine_expires_at: null },
    },
  };
}

function releaseReason(
  { quarantine, status }: QuarantineCandidate,
  mode: QuarantineRevision["mode"],
  at: number,
): keyof typeof sentences {
  if (mode === "NEVER") return "NEVER_SET";
  if (mode === "ALWAYS" || (quarantine && at >= quarantine.expiresAt)) return "EXPIRED";
  return status.status === "FLAKY" ? "BUDGET_SPENT" : status.status;
}

function wordOf(mode: QuarantineRevision["mode"]): string {
  return `${mode}_QUARANTINE`;
}
