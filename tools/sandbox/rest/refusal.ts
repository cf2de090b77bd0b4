/**
 * One entry of a validation error. For `code` see
 * https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#validation-failed
 */
export interface ErrorDetail {
  resource: string;
  field?: string;
  code: string;
  message?: string;
}

/** A response other than success, thrown where its cause is found. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: ErrorDetail[] | undefined;
  /** The address of a redirect. */
  readonly location: string | undefined;

  constructor(status: number, message: string, errors?: ErrorDetail[], location?: string) {
    super(message);
    this.status = status;
    this.errors = errors;
    this.location = location;
  }
}

export const suspended = (): Refusal => new Refusal(403, "This installation has been suspended");
export const readOnly = (): Refusal => new Refusal(403, "Repository was archived so is read-only.");

/** https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects */
export const moved = (method: string, location: string): Refusal =>
  method === "GET" || method === "HEAD"
    ? new Refusal(301, "Moved Permanently", undefined, location)
    : new Refusal(307, "Temporary Redirect", undefined, location);

export const notFound = (message = "Not Found"): Refusal => new Refusal(404, message);
export const validationFailed = (detail: ErrorDetail): Refusal =>
  new Refusal(422, "Validation Failed", [detail]);
