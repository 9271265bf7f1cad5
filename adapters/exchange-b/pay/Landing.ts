/** Where a payment stands, as one endpoint of exchange B shows it (EXCHANGEB-21). */
import { Effect } from "effect"
import type { PaymentOutcome, SignedPayment } from "../../../ports/chain/Treasury.ts"
import { EXPIRY_MARGIN_MS, isOver, LIFETIME_MS } from "../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import { paymentFate } from "../../../src/domain/families/exchange-b/payment/PaymentFate.ts"
import type { PaymentFate } from "../../../src/domain/families/exchange-b/payment/PaymentFate.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault, ExchangeBRead } from "../rpc/ExchangeBRpc.ts"
import { blockOf, readAtNonce, readMillis, readNonce, readShown } from "./ReadSent.ts"
import { idOf, storedTransfer } from "./SignTransfer.ts"
import type { SolverAccount } from "./SolverAccount.ts"

/** A signer that refuses is no answer of the endpoint: it is asked again later. */
export const tokenFor = (
  { token }: SolverAccount["Service"],
  now: number
) => Effect.mapError(token(now), (): ExchangeBFault => "refused")

/**
 * What is executed needs one question. Otherwise the clock is read first, then the nonce, then the transfers: what is
 * missing in them is not older than both.
 */
export const readFate = Effect.fnUntraced(
  function*(
    client: ExchangeBClient,
    solver: SolverAccount["Service"],
    payment: SignedPayment,
    deadline: number
  ): Effect.fn.Return<PaymentFate, ExchangeBFault> {
    const signed = storedTransfer(payment)
    const { apiKeyIndex: apiKey, nonce } = signed.transfer
    const first = yield* readShown(client, signed.hash, deadline)
    if (first?.isExecuted === true) return paymentFate(signed, { now: 0, nextNonce: 0n, shown: [first] })
    const now = yield* readMillis(client, deadline)
    const nextNonce = yield* readNonce(client, solver, apiKey, deadline)
    const own = yield* readShown(client, signed.hash, deadline)
    // While its nonce is free, nothing can have it.
    const isElsewhere = own?.isExecuted !== true && (nextNonce > nonce || isOver(signed, now))
    const since = signed.expiredAt - LIFETIME_MS - EXPIRY_MARGIN_MS
    const others = isElsewhere
      ? yield* readAtNonce(
        client,
        solver,
        { apiKey, nonce, since, token: yield* tokenFor(solver, now) },
        deadline
      )
      : []
    const shown = [...(own === undefined ? [] : [own]), ...others.filter(({ hash }) => hash !== signed.hash)]
    return paymentFate(signed, { now, nextNonce, shown })
  }
)

export const readOutcome = (
  solver: SolverAccount["Service"],
  payment: SignedPayment
): ExchangeBRead<PaymentOutcome> =>
  Effect.fnUntraced(function*(client, deadline): Effect.fn.Return<PaymentOutcome, ExchangeBFault> {
    const fate = yield* readFate(client, solver, payment, deadline)
    switch (fate._tag) {
      case "Executed": {
        const { hash, transfer } = fate.by
        const transactionId = idOf(hash)
        return {
          _tag: "Included",
          transactionId,
          ...(transactionId === payment.transactionId ? {} : { signedAs: payment.transactionId }),
          block: blockOf(fate.by),
          succeeded: true,
          gasPaid: transfer.usdcFee,
          final: true
        }
      }
      case "Taken":
        return { _tag: "Superseded" }
      case "Dead":
        return { _tag: "Expired" }
      case "InFlight":
        return { _tag: "Pending" }
      // It is sent, or its nonce is used for nothing (`Broadcasting`).
      case "Open":
      case "Blocking":
        return { _tag: "Unseen" }
      case "Unclear":
        return yield* Effect.fail("contradiction" as const)
    }
  })
