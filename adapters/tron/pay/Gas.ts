/**
 * Costs on a Tron chain (TRON-4): of the transaction as the treasury would make it, to its own recipient. So the memo of
 * a transfer, an account that it creates and the storage of a token's first holder are part of them. A sweep costs the
 * TRX that its address is sent, and their transfer (TRON-21).
 */
import { Effect, Layer } from "effect"
import { CostsBy } from "../../../ports/chain/CostsBy.ts"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import { callsRecipient, isPlain } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { lowestCost } from "../../endpoints/LowestCost.ts"
import { firstSweepCost, trySweep } from "../addresses/TrySweep.ts"
import { readPrices, TronPrices } from "../cost/TronPrices.ts"
import { readAccount } from "../quote/TryCall.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import type { TronRead } from "../rpc/TronRpc.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { tryPayment } from "./TryPayment.ts"

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rpc = yield* TronRpc
    const prices = yield* TronPrices
    const { account } = yield* SolverAccount

    /** One node has told those that are known: where it must not decide, each node tells its own. */
    const pricesAt = Effect.fnUntraced(function*(chain: Chain) {
      if ((yield* CostsBy) === "quorum") return readPrices
      const known = yield* prices.of(chain)
      const remembered: typeof readPrices = () => Effect.succeed(known)
      return remembered
    })

    const tryPlain = Effect.fnUntraced(function*(payment: Payment) {
      if (!isPlain(payment)) return yield* new PaymentRefused({ reason: "reverts" })
      const known = yield* pricesAt(payment.chain)
      const tried: TronRead<Effect.Success<ReturnType<typeof tryPayment>>> = (node, deadline) =>
        Effect.flatMap(
          known(node, deadline),
          (each) => tryPayment(node, account, payment, each, "price", deadline)
        )
      // A contract may take more now than a moment ago. Quotes for accounts ask with one unit.
      const isFresh = payment.currency.isNative && payment.amount > 1n
      return yield* lowestCost(
        rpc,
        payment.chain,
        "cost of a payment",
        (client) => (isFresh ? client.read : client.readRecent)(tried),
        ({ fee }) => fee
      )
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
        const known = yield* pricesAt(chain)
        const told: TronRead<bigint> = (node, deadline) =>
          Effect.flatMap(
            known(node, deadline),
            (each) => firstSweepCost(node, account, chain, currency, each, deadline)
          )
        return yield* lowestCost(rpc, chain, "cost of a sweep", (client) => client.read(told), (cost) => cost).pipe(
          Effect.catchTag("PaymentRefused", (refused) => Effect.die(refused))
        )
      })
    })
  })
)
