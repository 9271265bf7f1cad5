/**
 * The solver's payments on exchange A (EXCHANGEA-20 to EXCHANGEA-22): transfers of one account by `sendAsset`, each with
 * a mapping of its nonce to the order. Sweeps are transfers of deposit addresses (EXCHANGEA-31).
 *
 * A payment's sequence is its nonce, which the exchange executes once. It is a time, so that the exchange forgets it
 * some day: then the payment is dead, and only then it is signed again, with another nonce.
 */
import { Clock, Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import { isPlain } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { PreparedPayment, SignedPayment, Variants } from "../../../ports/chain/Treasury.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { readStored } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import type { StoredPayment } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { paymentRead } from "../../endpoints/PaymentRead.ts"
import { sweepPreparation } from "../addresses/PrepareSweep.ts"
import { readTransferable } from "../quote/Balance.ts"
import { unlessDue } from "../../endpoints/AskedFor.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import type { ExchangeAReader } from "../rpc/ExchangeARpc.ts"
import { broadcast } from "./Broadcasting.ts"
import { confirmedTime, nearClock } from "./NonceTime.ts"
import { readOutcome } from "./Landing.ts"
import { readPayment, spendableOnPerps } from "./Preparing.ts"
import { readAsset } from "./ReadAsset.ts"
import { RefusedPayments } from "./RefusedPayments.ts"
import { signPayment } from "./SignTransfer.ts"
import { SolverAccount } from "./SolverAccount.ts"

/** Dies for text that this adapter never wrote: then the store was changed from outside. */
const storedPayment = (raw: string): StoredPayment => {
  const stored = readStored(raw)
  if (stored === undefined) throw new Error("a stored payment is not as the adapter of exchange A writes them")
  return stored
}

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* ExchangeARpc
    const mappings = yield* NonceMappings
    const solver = yield* SolverAccount
    const { account } = solver
    const prepareSweep = sweepPreparation(rpc, solver)

    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      const { chain, orderId } = payment
      if (payment._tag === "Sweep") return yield* prepareSweep(payment)
      // A transaction is one transfer.
      if (!isPlain(payment)) return yield* new PaymentRefused({ reason: "reverts" })
      const [now, made] = yield* Effect.all([
        confirmedTime(rpc, chain),
        rpc.call(
          chain,
          "payment preparation",
          ({ read }) => read((client, deadline) => readPayment(client, account, payment, deadline))
        )
      ], { concurrency: 2 })
      if (made._tag === "PaymentRefused") return yield* made
      return {
        account,
        chainSequence: now,
        costs: made.costs,
        sign: nearClock(
          now,
          (nonce) => signPayment(solver, chain, { transfer: { ...made.transfer, nonce }, order: orderId })
        )
      } satisfies PreparedPayment
    })

    const inventory = Effect.fnUntraced(function*(chain: Chain, currency: Currency) {
      const asked = yield* unlessDue((client: ExchangeAClient, deadline) =>
        Effect.flatMap(
          readAsset(client, currency, deadline),
          ({ name }) => readTransferable(client, account, currency, name, deadline)
        )
      )
      const held = yield* rpc.call(chain, "inventory", ({ read }) => read(asked))
      return currency.isNative ? spendableOnPerps(held) : held
    })

    const refused = new RefusedPayments()

    /** Whatever waits is asked for only when it may have changed. */
    const outcome = Effect.fnUntraced(function*(chain: Chain, variants: Variants, by: ReadBy) {
      const said = refused.saidOf(variants[0].transactionId, yield* Clock.currentTimeMillis)
      return said !== undefined && by === "endpoint"
        ? { _tag: "Pending" } as const
        : yield* rpc.witnessed(chain, paymentRead(outcomeOf(variants)), by)
    })

    const send = Effect.fnUntraced(function*(chain: Chain, { raw, transactionId }: SignedPayment) {
      const now = yield* Clock.currentTimeMillis
      const before = refused.saidOf(transactionId, now)
      if (before === "refused") {
        return yield* new ChainUnavailable({ chain: chain.slug, operation: "broadcast", kind: "refused" })
      }
      if (before !== undefined) return before
      const { isRefused, said } = yield* broadcast(rpc, mappings, chain, account, storedPayment(raw)).pipe(
        Effect.tapError(({ kind }) =>
          Effect.sync(() => {
            if (kind === "refused") refused.note(transactionId, "refused", now)
          })
        )
      )
      if (isRefused) refused.note(transactionId, said, now)
      return said
    })

    const outcomeOf = ([{ raw, transactionId }]: Variants) => ({ read }: ExchangeAReader) =>
      read(readOutcome(account, storedPayment(raw), transactionId))

    return Treasury.of({
      inventory: (chain, currency, holding) =>
        holding === "account"
          ? Effect.map(inventory(chain, currency), (held) => [held])
          : Effect.succeed([0n]),
      prepare,
      broadcast: send,
      outcome,
      replacing: () => undefined
    })
  })
)
