/**
 * Counts the SQL statements of a host that runs in the test's own process, by what caused them.
 *
 * A statement belongs to the fillings when it is executed inside of a filling's span, or by the workflow engine for
 * one. All others are counted apart: the API, and loops, which go on by themselves. Among these is what a scan of
 * blocks writes of the deposits that it finds: two statements, however many they are. BEGIN and COMMIT are counted as
 * one transaction and not as statements.
 */
import { Context, Effect, Layer, Option, Tracer } from "effect"
import type { Fiber } from "effect"
import { Statement } from "effect/sql"

export interface StatementKind {
  /** The store's operation, or the engine's call. */
  readonly operation: string
  readonly text: string
  /** The last one as the engine got it, and its parameters. */
  readonly last: { readonly text: string; readonly parameters: ReadonlyArray<unknown> }
  readonly count: number
}

/** One text for one kind of statement: without the lists and the times that the engine writes into its own. */
const normalised = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll("\"", "")
    .replaceAll(/\$\d+/g, "?")
    .replaceAll(/\b\d{10,}\b/g, "?")
    .replaceAll(/\(('[^']*'|\?)(, ?('[^']*'|\?))*\)(, ?\(\?(, ?\?)*\))*/g, "(…)")
    .trim()

const spansAround = (fiber: Fiber.Fiber<unknown, unknown>): ReadonlyArray<Tracer.Span> => {
  const spans: Array<Tracer.Span> = []
  let span: Tracer.AnySpan | undefined = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
  while (span?._tag === "Span") {
    spans.push(span)
    span = Option.getOrUndefined(span.parent)
  }
  return spans
}

const isTransaction = ({ name }: Tracer.Span): boolean => name === "sql.transaction"

/** What the engine reads when it takes up an execution, outside of every span. */
const takenUp = /^SELECT .* FROM cluster_messages WHERE message_id/

export const countStatements = () => {
  const counts = { fillings: new Map<string, StatementKind>(), others: new Map<string, StatementKind>() }
  const transactions = new Set<Tracer.Span>()
  const count: Statement.Transformer = (statement, _, fiber) =>
    Effect.sync(() => {
      const spans = spansAround(fiber)
      const [exactly, parameters] = statement.compile()
      const text = normalised(exactly)
      const isOfFilling = spans.some(({ name }) => /^(Workflow\/)?Filling\b/.test(name)) || takenUp.test(text)
      const operation = spans.find((span) => !isTransaction(span))?.name ?? "the engine"
      const kinds = isOfFilling ? counts.fillings : counts.others
      const key = `${operation} ${text}`
      const last = { text: exactly, parameters }
      kinds.set(key, { operation, text, last, count: (kinds.get(key)?.count ?? 0) + 1 })
      const begun = spans.findLast(isTransaction)
      if (isOfFilling && begun !== undefined) transactions.add(begun)
      return statement
    })
  const rows = (of: keyof typeof counts): ReadonlyArray<StatementKind> =>
    [...counts[of].values()].toSorted((one, other) => other.count - one.count)
  return {
    /** For the host: every statement of its clients is counted. */
    layer: Layer.succeed(Statement.CurrentTransformer, count),
    rows,
    statements: () => rows("fillings").reduce((sum, { count: times }) => sum + times, 0),
    transactions: () => transactions.size,
    reset: () => {
      for (const kinds of Object.values(counts)) kinds.clear()
      transactions.clear()
    }
  }
}
