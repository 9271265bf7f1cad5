/** Signs a transfer on exchange B: for the rollup, and by the account's Ethereum key, which alone covers the memo. */
import { Effect, Result } from "effect"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { hexFromBytes, hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import { textDigest } from "../../../src/domain/encoding/Signature.ts"
import { families } from "../../../src/domain/families/index.ts"
import { l1Message } from "../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"
import type { ExchangeBWithdrawal } from "../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"
import type { SignedTransfer } from "../../../src/domain/families/exchange-b/payment/PaymentFate.ts"
import { isSame } from "../../../src/domain/families/exchange-b/payment/PaymentFate.ts"
import { transferIn } from "../decode/NodeAnswers.ts"
import type { SolverAccount } from "./SolverAccount.ts"

/** A hash of the exchange in the protocol's spelling. It was decoded from its digits. */
export const idOf = (hash: string): TransactionId =>
  Result.getOrThrow(parseTransactionId(families["exchangeb-vm"], hash))

/** The member of the exchange's `tx_info` that the rollup's signer leaves empty. */
const UNSIGNED = "\"L1Sig\":\"\""

/**
 * `expiredAt`: milliseconds. SECURITY: what the rollup's signer has made is read back, and used only when it is what was
 * asked for.
 */
export const signTransfer = Effect.fnUntraced(
  function*(
    { signOnL1, signOnRollup }: SolverAccount["Service"],
    withdrawal: ExchangeBWithdrawal,
    expiredAt: number
  ): Effect.fn.Return<SignedPayment, SignerUnavailable> {
    const { hash, info } = yield* signOnRollup(withdrawal, expiredAt)
    const signature = hexFromBytes(yield* signOnL1(hexToBytes(textDigest(l1Message(withdrawal)))))
    const raw = info.replace(UNSIGNED, `"L1Sig":"${signature}"`)
    const made = transferIn(raw)
    const isAsked = made !== undefined && made.expiredAt === expiredAt && made.l1Signature === signature &&
      isSame(made.transfer, withdrawal)
    return isAsked
      ? { transactionId: idOf(hash), raw }
      : yield* new SignerUnavailable({ fault: "foreign-signature" })
  }
)

/** A stored payment. Dies for text that this adapter never wrote: then the store was changed from outside. */
export const storedTransfer = ({ raw, transactionId }: SignedPayment): SignedTransfer => {
  const stored = transferIn(raw)
  if (stored === undefined) throw new Error("a stored payment is not as the adapter of exchange B writes them")
  return { transfer: stored.transfer, expiredAt: stored.expiredAt, hash: transactionId }
}
