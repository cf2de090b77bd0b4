/** The refusal of a field. GitHub responds with 200 and an entry in `errors`. */
export class GraphqlRefusal extends Error {
  readonly type: "NOT_FOUND" | "FORBIDDEN" | "UNPROCESSABLE";

  constructor(type: GraphqlRefusal["type"], message: string) {
    super(message);
    this.type = type;
  }
}
