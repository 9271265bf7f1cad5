/**
 * Decides which traces are made: a share of those that begin with outside work, a request or a sighted deposit. A
 * process's own work, such as polling chains several times a second, begins no trace. Work that continues in another
 * process of ours is traced when its beginning was.
 *
 * SECURITY: a caller's traceparent only becomes the parent of its request's span. Its sampling flag is ignored.
 * Otherwise anyone could have all our work exported, at our cost.
 */
import { Effect, Layer, Option, Tracer } from "effect"

type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

const beginnings: ReadonlySet<Tracer.SpanKind> = new Set(["server", "consumer"])

const beginsHere = ({ parent, root }: SpanOptions): boolean => root || Option.isNone(parent)

/** `ratio` from 0 to 1. */
export const sampled = (ratio: number) => (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) =>
      inner.span(
        beginsHere(options)
          ? { ...options, sampled: options.sampled && beginnings.has(options.kind) && Math.random() < ratio }
          : options
      ),
    context: inner.context
  })

const isOfStranger = ({ kind, parent }: SpanOptions): boolean =>
  kind === "server" && Option.isSome(parent) && parent.value._tag === "ExternalSpan"

/**
 * For an HTTP server: a request begins a trace here, whatever parent it names. Requests to the workflow engine come
 * from our own processes, and continue their trace.
 */
export const servingStrangers = (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    // Spans inherit their parent's flag, so it is restored here.
    span: (options) => inner.span(isOfStranger(options) ? { ...options, root: true, sampled: true } : options),
    context: inner.context
  })

export const layerServingStrangers = Layer.effect(Tracer.Tracer, Effect.map(Effect.tracer, servingStrangers))
