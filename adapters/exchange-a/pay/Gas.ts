/**
 * Costs on exchange A: the fee for a recipient's new account, which the sender bears (EXCHANGEA-22), and of a sweep what
 * its address keeps (EXCHANGEA-31).
 */
import { Effect, Layer } from "effect"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import { isPlain } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { RESIDUE } from "../../../src/domain/families/exchange-a/addresses/Residue.ts"
import { unlessDue } from "../../endpoints/AskedFor.ts"
import { lowestCost } from "../../endpoints/LowestCost.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import { readFee } from "./NewAccountFee.ts"
import { SolverAccount } from "./SolverAccount.ts"

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rpc = yield* ExchangeARpc
    const { account: source } = yield* SolverAccount

    return Gas.of({
      ofPayment: Effect.fnUntraced(function*(payment) {
        if (payment._tag === "Sweep") return RESIDUE
        if (!isPlain(payment)) return yield* new PaymentRefused({ reason: "reverts" })
        const { chain, recipient } = payment
        const asked = yield* unlessDue<ExchangeAClient, bigint | undefined>((client, deadline) =>
          readFee(client, { recipient, source }, deadline)
        )
        return yield* lowestCost(
          rpc,
          chain,
          "cost of a payment",
          async ({ read }) => (await read(asked)) ?? new PaymentRefused({ reason: "reverts" }),
          (fee) => fee
        )
      }),
      // The exchange keeps the fee. Nothing of it stays with the recipient.
      opening: () => Effect.succeed(nothingToOpen),
      unitsOf: () => Effect.succeed(0n),
      mostOfCalls: () => Effect.fail(new PaymentRefused({ reason: "reverts" })),
      ofPermit: () => Effect.die(new Error("no permits are submitted on exchange A")),
      ofSweep: () => Effect.succeed(RESIDUE)
    })
  })
)
