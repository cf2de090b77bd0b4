/**
 * One entry of a validation error. `code` as in
 * https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#validation-failed
 */
export interface ErrorDetail {
  resource: string;
  field?: string;
  code: string;
  message?: string;
}

/** An answer other than success, thrown by whoever finds the reason. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: ErrorDetail[] | undefined;

  constructor(status: number, message: string, errors?: ErrorDetail[]) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

export const notFound = (message = "Not Found"): Refusal => new Refusal(404, message);
export const validationFailed = (detail: ErrorDetail): Refusal =>
  new Refusal(422, "Validation Failed", [detail]);
