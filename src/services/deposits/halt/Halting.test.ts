import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FinalBlocks } from "../../../../ports/store/operations/FinalBlocks.ts"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import { PermitSubmissions } from "../../../../ports/store/orders/PermitSubmissions.ts"
import { Sweeps } from "../../../../ports/store/orders/Sweeps.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import { makeFinalityGuard } from "./Halting.ts"
import { dying, ports, word } from "../../hub/testing/Stubs.ts"

describe("a halted chain", () => {
  it.effect("has submissions that it lost followed again, and does not book them as losses", () =>
    Effect.gen(function*() {
      const reopened: Array<string> = []
      const lost = {
        orderId: word(7),
        leg: "settlement",
        deposit: word(7),
        block: { height: 5n, hash: "0x05", time: 1 },
        transactionId: word(8),
        variants: []
      }
      const others = Layer.mergeAll(
        Layer.succeed(
          FinalBlocks,
          dying<FinalBlocks["Service"]>({
            find: () => Effect.succeed({ height: 9n, hash: "0x09" }),
            forget: () => Effect.void
          })
        ),
        Layer.succeed(PermitSubmissions, dying<PermitSubmissions["Service"]>({})),
        Layer.succeed(Losses, dying<Losses["Service"]>({})),
        Layer.succeed(Sweeps, dying<Sweeps["Service"]>({}))
      )
      const told = ports({
        deposits: { ended: () => Effect.succeed([]) },
        payments: { included: () => Effect.succeed([lost] as never) },
        treasury: { outcome: () => Effect.succeed({ _tag: "Unseen" }) },
        pauses: {
          all: Effect.succeed(
            [{
              id: "halt:1",
              scope: { _tag: "Halt", chainId: alpha.id, height: 9n, expected: "0x09", found: "0x10" },
              reason: "",
              createdAt: 1
            }] as never
          )
        },
        settlements: {
          reopen: (id) =>
            Effect.sync(() => {
              reopened.push(id)
              return true
            })
        }
      })
      assert.strictEqual(yield* Effect.provide(makeFinalityGuard(alpha)(), Layer.merge(told, others)), "booked")
      assert.deepStrictEqual(reopened, [word(7)])
    }))
})
