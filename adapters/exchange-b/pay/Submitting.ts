/** Submits a signed transfer to one endpoint of exchange B, and interprets its answer. */
import { Effect, Schema } from "effect"
import type { Broadcast, SignedPayment } from "../../../ports/chain/Treasury.ts"
import { refusalOf } from "../../../src/domain/families/exchange-b/payment/Refusal.ts"
import { SubmitAnswer } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault } from "../rpc/ExchangeBRpc.ts"
import { idOf } from "./SignTransfer.ts"

const decode = Schema.decodeUnknownEffect(SubmitAnswer)

const TAKEN = 200
/** Its nonce is used, or one before it is not yet. What the exchange shows says which. */
const INVALID_NONCE = 21_104

/** The exchange's answer to a payment, or the number of a refusal for another reason. */
export type Submitted = Broadcast | { readonly refusedAs: number }

/** Words count only where the number says nothing about the payment itself: "invalid margin mode" is no lack of money. */
const meaningOf = ({ code, message = "" }: typeof SubmitAnswer.Type): Submitted => {
  if (code === TAKEN || code === INVALID_NONCE) return "accepted"
  const isShort = refusalOf(code) === undefined && /insufficient|not enough|balance|margin/i.test(message)
  return isShort ? "unfunded" : { refusedAs: code }
}

export const submit = Effect.fnUntraced(
  function*(
    client: ExchangeBClient,
    { raw, transactionId }: SignedPayment,
    deadline: number
  ): Effect.fn.Return<Submitted, ExchangeBFault> {
    const answer = yield* undecodable(decode(yield* client.submit(raw, deadline)))
    // SECURITY: it is looked for by this name. Under another one it could count as never made.
    if (answer.code === TAKEN && answer.tx_hash !== undefined && idOf(answer.tx_hash) !== transactionId) {
      yield* Effect.logError(`exchange B names a transfer ${answer.tx_hash} that was signed as ${transactionId}`)
    }
    return meaningOf(answer)
  }
)
