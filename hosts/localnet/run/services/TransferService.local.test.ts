import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { anyFree, isFree } from "../../nodes/Port.ts"
import { layer } from "./TransferEnvironment.ts"
import * as TransferService from "./TransferService.ts"
import { standIns } from "../../testing/StandIn.ts"

const given = (environment: Readonly<Record<string, string>>) =>
  standIns.transfer.pipe(Layer.provide(layer(environment, { TRANSFER_PORT: "1" })))

describe("TransferService", () => {
  it.live("is running once it is ready, on the network's port and not the caller's, until the scope closes", () =>
    Effect.gen(function*() {
      const port = yield* anyFree
      yield* Effect.scoped(Effect.gen(function*() {
        yield* TransferService.start(given({ TRANSFER_PORT: `${port}` }), `http://127.0.0.1:${port}`)
        assert.isFalse(yield* isFree(port))
      }))
      assert.isTrue(yield* isFree(port))
    }))

  it.live("reports why it cannot start", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        Effect.scoped(TransferService.start(given({ TRANSFER_PORT: "none" }), "http://127.0.0.1:1"))
      )
      assert.include(error.message, "TRANSFER_PORT")
    }))
})
