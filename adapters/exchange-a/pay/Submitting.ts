/** Submits a signed transfer to one endpoint of exchange A, and interprets the exchange's refusal. */
import { Effect, Schema } from "effect"
import type { Broadcast } from "../../../ports/chain/Treasury.ts"
import type { Hex } from "../../../src/domain/encoding/Hex.ts"
import type { SendAsset } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { SIGNATURE_CHAIN } from "../../../src/domain/families/exchange-a/payment/TransferDigest.ts"
import { SubmitAnswer } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadTime.ts"
import type { ExchangeAClient, SignedBody } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"

const decode = Schema.decodeUnknownEffect(SubmitAnswer)

/** `signature`: r, s and v in 65 bytes. */
const bodyOf = ({ _tag, nonce, ...parameters }: SendAsset, signature: Hex): SignedBody => ({
  action: {
    type: "sendAsset",
    signatureChainId: `0x${SIGNATURE_CHAIN.toString(16)}`,
    ...parameters,
    nonce: Number(nonce)
  },
  nonce: Number(nonce),
  signature: {
    r: `0x${signature.slice(2, 66)}`,
    s: `0x${signature.slice(66, 130)}`,
    v: Number.parseInt(signature.slice(130), 16)
  }
})

/** What the exchange made of a transfer. `isRefused`: it was not executed now. */
export interface Submitted {
  readonly said: Broadcast
  readonly isRefused: boolean
}

/**
 * A nonce that was used, or is out of the exchange's range: the ledger then shows what became of it. Undefined for any
 * other refusal: another endpoint is asked.
 */
const meaningOf = (answer: typeof SubmitAnswer.Type): Submitted | undefined => {
  if (answer.status === "ok") return { said: "accepted", isRefused: false }
  if (/nonce/i.test(answer.response)) return { said: "accepted", isRefused: true }
  // An account without any balance does not exist.
  return /insufficient|must deposit/i.test(answer.response) ? { said: "unfunded", isRefused: true } : undefined
}

export const submit = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    transfer: SendAsset,
    signature: Hex,
    deadline: number
  ): Effect.fn.Return<Submitted, ExchangeAFault> {
    const answer = yield* undecodable(decode(yield* client.submit(bodyOf(transfer, signature), deadline)))
    return meaningOf(answer) ?? (yield* Effect.fail("refused" as const))
  }
)
