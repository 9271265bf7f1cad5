/**
 * Which traces are made: a share of those that begin where work comes in from outside, a request or a sighted deposit.
 *
 * Whoever sends a traceparent has decided already. What a process does on its own, looking at chains several times a second,
 * begins no trace.
 */
import { Option, Tracer } from "effect"

const beginnings: ReadonlySet<Tracer.SpanKind> = new Set(["server", "consumer"])

/** `ratio` from 0 to 1. */
export const sampled = (ratio: number) => (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const isRoot = Option.isNone(options.parent)
      return inner.span(isRoot ? { ...options, sampled: options.sampled && beginnings.has(options.kind) && Math.random() < ratio } : options)
    },
    context: inner.context
  })
