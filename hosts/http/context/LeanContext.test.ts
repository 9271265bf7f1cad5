/** What a request's own context holds: what others gave the host, and none of our services. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { listenOn } from "../Listening.ts"
import * as Shutdown from "../Shutdown.ts"

class Ours extends Context.Service<Ours, { readonly name: string }>()("causeway/test/Ours") {}
class Theirs extends Context.Service<Theirs, { readonly name: string }>()("embedding/test/Theirs") {}
const Setting = Context.Reference<string>("embedding/test/Setting", { defaultValue: () => "default" })

it.live("a request begins without our services, and with what an embedding program set", () =>
  Effect.gen(function*() {
    const port = yield* anyFree
    const answer = Effect.gen(function*() {
      const { context } = Fiber.getCurrent() ?? (yield* Effect.die("no fiber runs"))
      const known = Context.getOrUndefined(context, Theirs)
      return HttpServerResponse.jsonUnsafe({
        ours: [...context.mapUnsafe.keys()].filter((key) => key.startsWith("causeway/")),
        theirs: known?.name,
        setting: yield* Setting,
        path: (yield* HttpServerRequest.HttpServerRequest).url
      })
    })
    // A handler's own services come from the layer that made it.
    const served = Layer.unwrap(
      Effect.map(Ours, ({ name }) => HttpServer.serve(Effect.map(answer, HttpServerResponse.setHeader("x-ours", name))))
    )
    yield* Layer.build(
      listenOn({ host: "127.0.0.1", port, endingDelay: 0 })(served).pipe(
        Layer.provide([
          Shutdown.layerShutdown,
          Layer.succeed(Ours, { name: "ours" }),
          Layer.succeed(Theirs, { name: "theirs" }),
          Layer.succeed(Setting, "set")
        ])
      )
    )
    const response = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/asked`))
    assert.strictEqual(response.headers.get("x-ours"), "ours")
    assert.deepStrictEqual(
      yield* Effect.promise(() => response.json()),
      { ours: [], theirs: "theirs", setting: "set", path: "/asked" }
    )
  }))
