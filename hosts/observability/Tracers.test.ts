/** What becomes of spans before they are exported: which are sampled, and what is left of those that are. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Tracer } from "effect"
import { safeSpans } from "./SafeSpans.ts"
import { sampled } from "./Sampling.ts"

const made = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

const SECRET = "s3cret"

class ForeignError extends Error {}

describe("a tracer that tells no secrets", () => {
  it.effect("keeps the attributes of the list, no others, and of a failure its kind alone", () =>
    Effect.gen(function*() {
      const { spans, tracer } = made()
      const failing = Effect.die(new ForeignError(`https://user:${SECRET}@node/${SECRET}`, { cause: new Error(SECRET) })).pipe(
        Effect.withSpan("failing", { attributes: { "url.full": SECRET, "http.route": "/quote", [`x.${SECRET}`]: 1 } })
      )
      const told = Effect.gen(function*() {
        yield* Effect.annotateCurrentSpan({ "url.query": SECRET, requestId: "0x12" })
        const span = yield* Effect.currentSpan
        span.event("happened", 0n, { text: SECRET })
        yield* Effect.exit(failing)
      }).pipe(Effect.withSpan("outer"))
      yield* Effect.provideService(told, Tracer.Tracer, safeSpans(tracer))
      assert.deepStrictEqual(spans.map(({ attributes, name }) => [name, Object.fromEntries(attributes)]), [
        ["outer", { requestId: "0x12" }],
        ["failing", { "http.route": "/quote" }]
      ])
      const exits = spans.map(({ status }) => status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : "")
      assert.deepStrictEqual(exits, ["", "ForeignError: ForeignError"])
      assert.deepStrictEqual(spans[0]?.events.map(([name, , attributes]) => [name, attributes]), [["happened", {}]])
    }))
})

describe("which traces are made", () => {
  const share = (ratio: number, options: Tracer.SpanOptions, count = 2_000) =>
    Effect.gen(function*() {
      const { spans, tracer } = made()
      const one = Effect.void.pipe(Effect.withSpan("inner"), Effect.withSpan("root", options))
      yield* Effect.provideService(Effect.replicateEffect(one, count, { discard: true }), Tracer.Tracer, sampled(ratio)(tracer))
      for (const inner of spans.filter(({ name }) => name === "inner")) {
        const root = Option.getOrUndefined(inner.parent)
        assert.strictEqual(inner.sampled, root?.sampled)
      }
      const roots = spans.filter(({ name }) => name === "root")
      assert.lengthOf(roots, count)
      return roots.filter(({ sampled }) => sampled).length / count
    })
  const caller = (sampled: boolean) => Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "2".repeat(16), sampled })

  it.effect("is a share of requests and of sighted deposits, whole traces only", () =>
    Effect.gen(function*() {
      for (const kind of ["server", "consumer"] as const) {
        assert.strictEqual(yield* share(0, { kind }), 0)
        assert.strictEqual(yield* share(1, { kind }), 1)
        const third = yield* share(0.3, { kind })
        assert.isTrue(third > 0.2 && third < 0.4, `${third}`)
      }
    }))

  it.effect("is none of what a process does on its own", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* share(1, {}), 0)
      assert.strictEqual(yield* share(1, { kind: "client" }), 0)
    }))

  it.effect("is the caller's to say, when it sends a traceparent", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* share(0, { kind: "server", parent: caller(true) }), 1)
      assert.strictEqual(yield* share(1, { kind: "server", parent: caller(false) }), 0)
    }))
})
