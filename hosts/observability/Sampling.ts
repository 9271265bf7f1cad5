/**
 * Which traces are made: a share of those that begin where work comes in from outside, a request or a sighted deposit.
 * What a process does on its own, looking at chains several times a second, begins no trace; what goes on in another
 * process of ours is made when its beginning was.
 *
 * SECURITY: a caller's traceparent is the parent of its request's span and nothing more. Its flag decides nothing: else
 * anybody could have everything that is asked of us exported, and paid for.
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
 * For an HTTP server: a request begins a trace here, whatever parent it names. The workflow engine serves our own, and
 * goes on.
 */
export const servingStrangers = (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    // The flag of a parent is taken over by its spans: it is put back.
    span: (options) => inner.span(isOfStranger(options) ? { ...options, root: true, sampled: true } : options),
    context: inner.context
  })

export const layerServingStrangers = Layer.effect(Tracer.Tracer, Effect.map(Effect.tracer, servingStrangers))
