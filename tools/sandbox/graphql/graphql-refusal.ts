/** A field that is refused: GitHub answers 200 with an entry in `errors`. */
export class GraphqlRefusal extends Error {
  readonly type: "NOT_FOUND" | "FORBIDDEN" | "UNPROCESSABLE";

  constructor(type: GraphqlRefusal["type"], message: string) {
    super(message);
    this.type = type;
  }
}
