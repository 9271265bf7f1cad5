/**
 * Costs on a Solana chain: the fee of the transaction as the treasury would make it, and the rent of an account that it
 * opens.
 */
import { Effect, Layer, Result } from "effect"
import { Gas } from "../../../ports/chain/Gas.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { addressCodec } from "../../../src/domain/families/index.ts"
import { JupiterServer } from "../quote/jupiter/JupiterApi.ts"
import { leastPayment, readPaymentFacts } from "./PaymentFacts.ts"
import { readSweepFacts, readSweepFee } from "./SweepMessage.ts"
import { SolanaRpc } from "../rpc/SolanaRpc.ts"
import { isSwappedFill } from "./RoutePayment.ts"
import { routed } from "./RoutedPayment.ts"
import { SolverAccount } from "./SolverAccount.ts"

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rpc = yield* SolanaRpc
    const { signer } = yield* SolverAccount
    const server = yield* JupiterServer
    const account = Result.getOrThrow(addressCodec("solana-vm").parse(signer.address))
    const factsOf = (payment: Payment) =>
      rpc.call(payment.chain, "cost of a payment", (client) => readPaymentFacts(client, signer.address, payment))

    return Gas.of({
      ofPayment: Effect.fnUntraced(function*(payment) {
        if (payment._tag === "Sweep") {
          const facts = yield* rpc.call(
            payment.chain,
            "cost of a sweep",
            (client) => readSweepFacts(client, signer.address, payment)
          )
          return facts === undefined ? yield* new PaymentRefused({ reason: "reverts" }) : facts.fee
        }
        if (isSwappedFill(payment)) return (yield* routed(rpc, server, account, payment)).fee
        const { fee, isKept, token } = yield* factsOf(payment)
        if (token?.mint.isWhole === false) {
          return yield* new PaymentRefused({
            reason: "reverts",
            unpayable: { chainId: payment.chain.id, currency: payment.currency.address }
          })
        }
        return isKept ? fee : yield* new PaymentRefused({ reason: "reverts" })
      }),
      opening: (payment) =>
        Effect.map(
          // The account is of what the recipient gets.
          factsOf(isSwappedFill(payment) ? { ...payment, currency: payment.swap.currency } : payment),
          (facts) => ({
            rent: facts.rent,
            least: leastPayment(payment, facts),
            // It closes its token account or hands it on, or empties a wallet that gets less than the minimum balance.
            canFail: true as const,
            ...(facts.token === undefined ? {} : { rentOnceClosed: facts.token.rent })
          })
        ),
      unitsOf: () => Effect.succeed(0n),
      mostOfCalls: () => Effect.fail(new PaymentRefused({ reason: "reverts" })),
      ofPermit: () => Effect.die(new Error("no permits are submitted on a Solana chain")),
      ofSweep: (chain) => rpc.call(chain, "cost of a sweep", (client) => readSweepFee(client, signer.address, chain))
    })
  })
)
