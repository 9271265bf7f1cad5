/**
 * The solver's payments on exchange B (EXCHANGEB-20 to EXCHANGEB-22): transfers of one account by any of its API keys,
 * each with the order as its memo.
 *
 * A payment's sequence is the nonce of an API key. The exchange takes them strictly one after another, and executes none
 * after its ExpiredAt. So an expired payment is signed again only once its nonce is used, too.
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { isPlain } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { AccountPayment, PreparedPayment, SignedPayment, Variants } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { lighterChainIdOf } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import { assetOf } from "../../../src/domain/families/exchange-b/payment/Asset.ts"
import { LIFETIME_MS } from "../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { paymentRead } from "../../endpoints/PaymentRead.ts"
import { unlessDue } from "../../endpoints/AskedFor.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import { ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import type { ExchangeBFault, ExchangeBReader } from "../rpc/ExchangeBRpc.ts"
import { broadcast, confirmedNonce, confirmedTime } from "./Broadcasting.ts"
import { readOutcome } from "./Landing.ts"
import { agreedLeast } from "./LeastTransfer.ts"
import { readPayment, spendableOnPerps } from "./Preparing.ts"
import { readAccount, transferable } from "./ReadAccount.ts"
import { RefusedPayments } from "./RefusedPayments.ts"
import { signTransfer } from "./SignTransfer.ts"
import { SolverAccount } from "./SolverAccount.ts"
import type { Lane } from "./SolverAccount.ts"

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* ExchangeBRpc
    const solver = yield* SolverAccount

    const refused = new RefusedPayments()

    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      const { amount, chain, currency, orderId, recipient } = payment
      // A transaction is one transfer. What the exchange never takes is not signed again (EXCHANGEB-27).
      if (!isPlain(payment) || refused.isHopeless(payment)) return yield* new PaymentRefused({ reason: "reverts" })
      const operation = "payment preparation"
      const made = yield* rpc.call(
        chain,
        operation,
        ({ read }) => read((client, deadline) => readPayment(client, solver, payment, deadline))
      )
      if (made._tag === "PaymentRefused") return yield* made
      if (made._tag === "NotClassic") {
        return yield* new ChainUnavailable({ chain: chain.slug, operation, kind: "misconfigured" })
      }
      // The exchange would refuse it each time, and its API key would wait for it until it has expired (EXCHANGEB-26).
      if (amount < (yield* agreedLeast(rpc, chain, currency))) return yield* new PaymentRefused({ reason: "reverts" })
      // By the quorum: a nonce or a time that is far ahead would hold the API key up for long.
      const now = yield* confirmedTime(rpc, chain)
      const { assetIndex, route } = assetOf(currency.address)
      const by = ({ address, apiKey }: Lane) =>
        Effect.map(confirmedNonce(rpc, chain, solver, apiKey), (chainSequence): AccountPayment => ({
          account: address,
          chainSequence,
          costs: made.costs,
          sign: (nonce) =>
            signTransfer(solver, {
              nonce,
              apiKeyIndex: apiKey,
              fromAccountIndex: solver.index,
              fromRouteType: route,
              toAccountIndex: BigInt(recipient),
              toRouteType: route,
              assetIndex,
              amount,
              usdcFee: made.fee,
              lighterChainId: lighterChainIdOf(chain.network),
              memo: orderId
            }, now + LIFETIME_MS)
        }))
      const [lane, ...lanes] = solver.lanes
      const first = yield* by(lane)
      const others = yield* Effect.forEach(lanes, by, { concurrency: "unbounded" })
      return { ...first, others } satisfies PreparedPayment
    })

    // Quotes ask for it each second, for each currency: as much as the exchange answers in all (EXCHANGEB-8).
    const inventory = Effect.fnUntraced(function*(chain: Chain, currency: Currency) {
      const asked = yield* unlessDue(
        Effect.fnUntraced(function*(
          client: ExchangeBClient,
          deadline: number
        ): Effect.fn.Return<bigint, ExchangeBFault> {
          const account = yield* readAccount(client, solver.address, deadline)
          if (account === undefined) return yield* Effect.fail("contradiction" as const)
          const held = yield* transferable(account, currency)
          return currency.isNative ? spendableOnPerps(held) : held
        })
      )
      return yield* rpc.call(chain, "inventory", ({ read }) => read(asked))
    })

    const hasEnded = (each: SignedPayment): boolean => refused.hasEnded(each)

    const outcomeOf = ([payment]: Variants) => ({ read }: ExchangeBReader) => read(readOutcome(solver, payment))

    return Treasury.of({
      inventory: (chain, currency, holding) =>
        holding === "account"
          ? Effect.map(inventory(chain, currency), (held) => [held])
          : Effect.succeed([0n]),
      prepare,
      broadcast: (chain, payment) => broadcast(rpc, solver, refused, chain, payment),
      outcome: (chain, variants, by) =>
        Effect.map(
          rpc.witnessed(chain, paymentRead(outcomeOf(variants)), by),
          // Its nonce was used up by this process itself, before its time.
          (outcome) => outcome._tag === "Superseded" && variants.every(hasEnded) ? { _tag: "Expired" } : outcome
        ),
      replacing: () => undefined
    })
  })
)
