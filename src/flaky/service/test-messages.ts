import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Announcement, WebhookMessage } from "../../ports/webhooks/webhook-message.ts";
import type { EventName } from "../../service/webhooks/event-names.ts";
import { renderStatusReason, type StatusChange, type TestStatus } from "../detection/status.ts";
import type { NamedTest } from "../store/uploads/test-result-rows.ts";

/** The page of a test. */
export type TestUrl = (repo: RepositoryRef, id: string) => string;

/** The repository of the tests, and the page of each test. */
export interface TestPlace {
  readonly repo: RepositoryRef;
  readonly repositoryId: number;
  readonly testUrl: (id: string) => string;
}

export type TestEventName = Extract<EventName, `test_case.${string}`>;

/** An event of a test. */
export interface TestTelling {
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
export type Tellings = readonly (() => TestTelling)[];

/** The maximum number of messages from one evaluation or command, so that endpoints are not flooded. */
const mostMessages = 100;
/**
 * The maximum number of characters of all messages together. Test names may be long, and each endpoint gets
 * its own copy.
 */
const mostCharacters = 128 * 1024;

/** The webhook messages for the repository's organisation. They are built only if there is a subscriber. */
export function announceTests(place: TestPlace, now: number, told: () => Tellings): Announcement {
  return { organisation: place.repo.owner, messages: () => testMessages(place, now, told()) };
}

/**
 * The messages about a repository's tests, in the order of the events. Beyond the limits, one message gives
 * the number of omitted ones, and subscribers must read the lists.
 */
function testMessages(place: TestPlace, now: number, told: Tellings): readonly WebhookMessage[] {
  const messages: WebhookMessage[] = [];
  let characters = 0;
  for (const telling of told.slice(0, mostMessages)) {
    const message = messageOf(place, now, telling());
    characters += message.payload.length;
    if (characters > mostCharacters && messages.length > 0) break;
    messages.push(message);
  }
  const omitted = told.length - messages.length;
  const last = told.at(-1);
  return omitted > 0 && last ? [...messages, omission(place, now, last(), omitted)] : messages;
}

function messageOf(place: TestPlace, now: number, { id, test, type, at, status, reason, more }: TestTelling) {
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
  place: TestPlace,
  now: number,
  { id, at, test }: TestTelling,
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

function common({ repo: { host, owner, name } }: TestPlace, at: number, url: string) {
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
  readonly test: TestTelling["test"];
  readonly before: TestStatus;
  readonly changes: readonly StatusChange[];
}

/** @param evaluation a unique number: each evaluation is stored once. */
export function tellStatusChanges(changed: readonly StatusChanges[], evaluation: number): Tellings {
  return changed.flatMap(({ test, before, changes }) =>
    changes.map(({ status, at, reason }, index) => () => ({
      ...{ id: `status_${evaluation}_${index}`, test, at, status },
      type: "test_case.status_changed" as const,
      reason: renderStatusReason(reason),
      more: { previous_status: changes[index - 1]?.status ?? before, status_reason: reason.code },
    })),
  );
}
