/** What a deposit still needs on the hub, as far as it is told by the store alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DepositState } from "../../../ports/store/orders/Deposits.ts"
import type { PaymentPurpose, PaymentState } from "../../../ports/store/orders/Payments.ts"
import { alpha } from "../../domain/quote/testing/Chains.ts"
import { look } from "./Gathering.ts"
import { claimed, hub, ports, word } from "./testing/Stubs.ts"

const moved = word(9)

/** A look at the claimed deposit, whose order was paid like this. */
const looked = (
  state: DepositState,
  paid: ReadonlyArray<{ readonly leg: PaymentPurpose; readonly onchainId: typeof moved; readonly state: PaymentState }>
) =>
  look(hub, 1, claimed).pipe(Effect.provide(ports({
    transfers: { findByOrder: () => Effect.succeed({ orderSignature: "0x12", order: { inputs: [] } } as never) },
    deposits: {
      find: () => Effect.succeed({ deposit: { onchainId: claimed.deposit, chainId: alpha.id }, sighting: 1 } as never),
      stateOf: () => Effect.succeed(state as never)
    },
    history: {
      paymentsOf: (_, legs) => Effect.succeed(paid.filter(({ leg }) => legs.includes(leg as never)) as never)
    }
  })))

describe("a deposit to be settled", () => {
  it.effect("is excluded when a reorg moved it: its order was filled for it at its new place", () =>
    Effect.gen(function*() {
      for (const leg of ["fill", "fallback"] as const) {
        assert.deepStrictEqual(yield* looked("filled", [{ leg, onchainId: moved, state: "included" }]), {
          _tag: "Excluded"
        })
      }
    }))

  it.effect("waits while its payment is in no block, or a reorg has reopened it", () =>
    Effect.gen(function*() {
      const waits = (reason: string) => ({ _tag: "Waiting", reason }) as const
      assert.deepStrictEqual(yield* looked("filled", []), waits("payment-open"))
      assert.deepStrictEqual(
        yield* looked("filled", [{ leg: "fill", onchainId: moved, state: "sent" }]),
        waits("payment-open")
      )
      assert.deepStrictEqual(
        yield* looked("refunded", [{ leg: "fill", onchainId: claimed.deposit, state: "included" }]),
        waits("payment-open")
      )
      assert.deepStrictEqual(
        yield* looked("open", [{ leg: "fill", onchainId: claimed.deposit, state: "included" }]),
        waits("deposit-open")
      )
    }))

  it.effect("is excluded when its payment is no refund of its order", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* looked("refunded", [{
          leg: `refund:${claimed.deposit}`,
          onchainId: claimed.deposit,
          state: "included"
        }]),
        { _tag: "Excluded" }
      )
    }))
})
