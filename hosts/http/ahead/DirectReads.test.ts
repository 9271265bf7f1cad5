/** What is answered ahead of the application, and what is left to it. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { makeDirect } from "./DirectReads.ts"
import { listenOn } from "../Listening.ts"
import * as Shutdown from "../Shutdown.ts"
import { askRaw } from "../testing/Spellings.ts"

const serve = Effect.gen(function*() {
  const port = yield* anyFree
  let begun = 0
  let left = 0
  const direct = yield* makeDirect(({ url }) => {
    if (url === "/never") {
      return Effect.onInterrupt(
        Effect.suspend(() => {
          begun += 1
          return Effect.never
        }),
        () =>
          Effect.sync(() => {
            left += 1
          })
      )
    }
    return url === "/known" ? Effect.succeed(HttpServerResponse.text("direct")) : undefined
  })
  const routed = HttpServer.serve(Effect.succeed(HttpServerResponse.text("routed")))
  yield* Layer.build(
    listenOn({ host: "127.0.0.1", port, endingDelay: 0, direct })(routed).pipe(Layer.provide(Shutdown.layerShutdown))
  )
  return { url: `http://127.0.0.1:${port}`, begun: Effect.sync(() => begun), left: Effect.sync(() => left) }
})

it.live("a GET of a known target is answered directly; other targets, methods and bodies go to the application", () =>
  Effect.gen(function*() {
    const { url } = yield* serve
    const ask = (target: string, method = "GET", headers: Readonly<Record<string, string>> = {}) =>
      Effect.map(askRaw({ url, method, target, headers }), ({ status, text }) => [status, text])
    assert.deepStrictEqual(yield* ask("/known"), [200, "direct"])
    assert.deepStrictEqual(yield* ask("/other"), [200, "routed"])
    assert.deepStrictEqual(yield* ask("/known", "POST"), [200, "routed"])
    assert.deepStrictEqual(yield* ask("/known", "HEAD"), [200, ""])
    assert.deepStrictEqual(yield* ask("/known", "GET", { "content-length": "0" }), [200, "routed"])
  }))

it.live("an answer whose client has left is interrupted", () =>
  Effect.gen(function*() {
    const { begun, left, url } = yield* serve
    const isOne = (count: Effect.Effect<number>) =>
      Effect.repeat(Effect.andThen(Effect.sleep("5 millis"), count), { until: (seen) => seen === 1 })
    const leaving = new AbortController()
    const asked = fetch(`${url}/never`, { signal: leaving.signal }).catch(() => undefined)
    yield* isOne(begun)
    leaving.abort()
    yield* Effect.promise(() => asked)
    yield* isOne(left)
  }))
