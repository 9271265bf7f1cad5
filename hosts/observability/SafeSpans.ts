/**
 * A tracer that exports no secrets. It passes spans to `inner` with listed attributes only, and with only the kind of a
 * failure.
 *
 * SECURITY: any attribute that is not listed may hold a key: URLs with their queries, headers, clients' addresses,
 * messages and stacks of libraries' errors. Names of spans are ours or the framework's, and SQL statements hold no
 * values.
 */
import { Cause, Exit, Tracer } from "effect"

const kept: ReadonlySet<string> = new Set([
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "db.system.name",
  "db.query.text",
  "executionId",
  "chain",
  "deposit",
  "requestId"
])

/** The kind of a failure, as OTLP shows an exception: without foreign text and without a stack. */
class SpanFailure extends Error {
  constructor(kind: string) {
    super(kind)
    this.name = kind
    this.stack = kind
  }
}

const kindOf = (failure: unknown): string => {
  if (typeof failure === "object" && failure !== null && "_tag" in failure && typeof failure._tag === "string") {
    return failure._tag
  }
  return failure instanceof Error ? failure.constructor.name : "defect"
}

const safeExit = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
    ? exit
    : Exit.die(new SpanFailure(kindOf(Cause.squash(exit.cause))))

const guard = (span: Tracer.Span): Tracer.Span => {
  const attribute = span.attribute.bind(span)
  const event = span.event.bind(span)
  const end = span.end.bind(span)
  return Object.assign(span, {
    attribute: (key: string, value: unknown) => {
      if (kept.has(key)) attribute(key, value)
    },
    event: (name: string, at: bigint) => event(name, at),
    end: (at: bigint, exit: Exit.Exit<unknown, unknown>) => end(at, safeExit(exit))
  })
}

/** A span that is not sampled is not exported, and needs no guard. */
export const safeSpans = (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => options.sampled ? guard(inner.span(options)) : inner.span(options),
    context: inner.context
  })
