/** What happens to spans before export: which are sampled, and which of their data remain. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Tracer } from "effect"
import { safeSpans } from "./SafeSpans.ts"
import { sampled, servingStrangers } from "./Sampling.ts"

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

describe("a tracer that reveals no secrets", () => {
  it.effect("keeps listed attributes only, and only the kind of a failure", () =>
    Effect.gen(function*() {
      const { spans, tracer } = made()
      const failing = Effect.die(
        new ForeignError(`https://user:${SECRET}@node/${SECRET}`, { cause: new Error(SECRET) })
      ).pipe(
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
      const exits = spans.map(({ status }) =>
        status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : ""
      )
      assert.deepStrictEqual(exits, ["", "ForeignError: ForeignError"])
      assert.deepStrictEqual(spans[0]?.events.map(([name, , attributes]) => [name, attributes]), [["happened", {}]])
    }))
})

describe("the sampling of traces", () => {
  const share = (
    ratio: number,
    options: Tracer.SpanOptions,
    outermost: (tracer: Tracer.Tracer) => Tracer.Tracer = (tracer) => tracer,
    count = 2_000
  ) =>
    Effect.gen(function*() {
      const { spans, tracer } = made()
      const one = Effect.void.pipe(Effect.withSpan("inner"), Effect.withSpan("root", options))
      yield* Effect.provideService(
        Effect.replicateEffect(one, count, { discard: true }),
        Tracer.Tracer,
        outermost(sampled(ratio)(tracer))
      )
      for (const inner of spans.filter(({ name }) => name === "inner")) {
        const root = Option.getOrUndefined(inner.parent)
        assert.strictEqual(inner.sampled, root?.sampled)
      }
      const roots = spans.filter(({ name }) => name === "root")
      assert.lengthOf(roots, count)
      for (const { parent } of roots) assert.strictEqual(Option.getOrUndefined(parent), options.parent)
      return roots.filter(({ sampled }) => sampled).length / count
    })
  const caller = (sampled: boolean) => Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "2".repeat(16), sampled })

  it.effect("selects a share of requests and of sighted deposits, whole traces only", () =>
    Effect.gen(function*() {
      for (const kind of ["server", "consumer"] as const) {
        assert.strictEqual(yield* share(0, { kind }), 0)
        assert.strictEqual(yield* share(1, { kind }), 1)
        const third = yield* share(0.3, { kind })
        assert.isTrue(third > 0.2 && third < 0.4, `${third}`)
      }
    }))

  it.effect("selects nothing that a process does on its own", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* share(1, {}), 0)
      assert.strictEqual(yield* share(1, { kind: "client" }), 0)
    }))

  it.effect("is never the caller's decision: its traceparent is only the request's parent", () =>
    Effect.gen(function*() {
      for (const flag of [true, false]) {
        const request = { kind: "server", parent: caller(flag) } as const
        assert.strictEqual(yield* share(0, request, servingStrangers), 0)
        assert.strictEqual(yield* share(1, request, servingStrangers), 1)
        const third = yield* share(0.3, request, servingStrangers)
        assert.isTrue(third > 0.2 && third < 0.4, `${third}`)
      }
    }))

  it.effect("is decided where a trace begins, also for what continues in another process of ours", () =>
    Effect.gen(function*() {
      // As the workflow engine runs a step for a message, and as other work runs within a request.
      for (
        const [kind, outermost] of [["server", undefined], ["internal", undefined], ["internal", servingStrangers], [
          "client",
          servingStrangers
        ]] as const
      ) {
        assert.strictEqual(yield* share(0, { kind, parent: caller(true) }, outermost), 1)
        assert.strictEqual(yield* share(1, { kind, parent: caller(false) }, outermost), 0)
      }
    }))
})
