/**
 * Costs on a Tron chain (TRON-4): of the transaction as the treasury would make it, to its own recipient. So the memo of
 * a transfer, an account that it creates and the storage of a token's first holder are part of them. A sweep costs the
 * TRX that its address is sent, and their transfer (TRON-21).
 */
import { Effect, Layer } from "effect"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import { callsRecipient, isPlain } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { firstSweepCost, trySweep } from "../addresses/TrySweep.ts"
import { TronPrices } from "../cost/TronPrices.ts"
import { readAccount } from "../quote/TryCall.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { tryPayment } from "./TryPayment.ts"

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rpc = yield* TronRpc
    const prices = yield* TronPrices
    const { account } = yield* SolverAccount

    const tryPlain = Effect.fnUntraced(function*(payment: Payment) {
      if (!isPlain(payment)) return yield* new PaymentRefused({ reason: "reverts" })
      const known = yield* prices.of(payment.chain)
      const tried = yield* rpc.call(
        payment.chain,
        "cost of a payment",
        (client) => {
          // A contract may take more now than a moment ago. Quotes for accounts ask with one unit.
          const isFresh = payment.currency.isNative && payment.amount > 1n
          return (isFresh ? client.read : client.readRecent)((node, deadline) =>
            tryPayment(node, account, payment, known, "price", deadline)
          )
        }
      )
      return tried._tag === "PaymentRefused" ? yield* tried : tried
    })

    return Gas.of({
      ofPayment: Effect.fnUntraced(function*(payment) {
        if (payment._tag === "Sweep") {
          const known = yield* prices.of(payment.chain)
          const tried = yield* rpc.call(
            payment.chain,
            "cost of a sweep",
            (client) => client.read((node, deadline) => trySweep(node, account, payment, known, deadline))
          )
          return tried._tag === "PaymentRefused" ? yield* tried : tried.price
        }
        return (yield* tryPlain(payment)).fee
      }),
      unitsOf: (payment) => Effect.map(tryPlain(payment), ({ energy }) => energy),
      // A new account's fee is burnt. Nothing of it stays with the recipient.
      opening: (payment) =>
        callsRecipient(payment)
          ? Effect.map(
            rpc.call(
              payment.chain,
              "code of a recipient",
              (client) => client.readRecent((node, deadline) => readAccount(node, payment.recipient, deadline))
            ),
            // A transfer to an account that has become a contract is in no block, so it costs nothing.
            ({ isContract }) => isContract ? { ...nothingToOpen, code: "present" as const } : nothingToOpen
          )
          : Effect.succeed(nothingToOpen),
      mostOfCalls: () => Effect.fail(new PaymentRefused({ reason: "reverts" })),
      ofPermit: () => Effect.die(new Error("no permits are submitted on a Tron chain")),
      ofSweep: Effect.fnUntraced(function*(chain, currency) {
        const known = yield* prices.of(chain)
        return yield* rpc.call(
          chain,
          "cost of a sweep",
          (client) => client.read((node, deadline) => firstSweepCost(node, account, chain, currency, known, deadline))
        )
      })
    })
  })
)
