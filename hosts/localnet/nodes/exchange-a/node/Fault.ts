/**
 * Faults of a simulated exchange's interface, for tests. A fault applies to some questions or to all, until the next
 * one is set.
 */
export type ExchangeFault =
  & { readonly questions?: ReadonlyArray<string> }
  & (
    | { readonly kind: "delay"; readonly milliseconds: number }
    /** Answers with that HTTP status, and that body. */
    | { readonly kind: "status"; readonly status: number; readonly body?: unknown }
    /** Accepts the request and never answers. */
    | { readonly kind: "hang" }
    /** Ends the connection in place of the answer. What was asked for has happened. */
    | { readonly kind: "down" }
    /** Ends the connection before anything happens. Its questions are paths, such as "exchange". */
    | { readonly kind: "away" }
    | { readonly kind: "lie"; readonly tell: (answer: unknown) => unknown }
  )

export const concernsQuestion = (fault: ExchangeFault, question: string): boolean =>
  fault.questions === undefined || fault.questions.includes(question)
