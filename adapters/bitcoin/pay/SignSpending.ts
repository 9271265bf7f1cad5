/** Signs a transaction of the solver's coins, as the store keeps it: with its amounts and the parents that wait. */
import { Effect, Result } from "effect"
import { PaymentClaim } from "../../../ports/chain/Treasury.ts"
import type { SignedWithClaims } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { families } from "../../../src/domain/families/index.ts"
import { signedTransaction } from "../../../src/domain/families/bitcoin/signing/SignedTransaction.ts"
import { signingDigests } from "../../../src/domain/families/bitcoin/signing/SigningDigest.ts"
import type { BtcOutpoint } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { Coin, Funding } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { replaceableTransaction } from "../../../src/domain/families/bitcoin/spending/ReplaceableTransaction.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { readStoredForm, writeStoredForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { PaymentForm, StoredForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { KeyAccount } from "./SolverAccount.ts"

export const claimOf = (coin: BtcOutpoint): PaymentClaim => PaymentClaim(coinName(coin))

export const transactionIdOf = (id: string) => Result.getOrThrow(parseTransactionId(families["bitcoin-vm"], id))

/** Dies for text that this adapter never wrote: then the store was changed from outside. */
export const storedForm = (raw: string): StoredForm => {
  const stored = readStoredForm(raw)
  if (stored === undefined) throw new Error("a stored payment is not as the Bitcoin adapter writes them")
  return stored
}

/** The coins are all of the account. They are what the payment claims. */
export const signSpending = Effect.fnUntraced(function*(
  { publicKey, script, sign }: KeyAccount,
  { coins, outputs }: Pick<Funding<Coin>, "coins" | "outputs">,
  ancestors: ReadonlyArray<PaymentForm>
): Effect.fn.Return<SignedWithClaims, SignerUnavailable> {
  const unsigned = replaceableTransaction(coins, outputs)
  const amounts = coins.map(({ amount }) => amount)
  const signatures = yield* Effect.forEach(signingDigests(unsigned, amounts, script), sign, {
    concurrency: "unbounded"
  })
  const { bytes, id } = signedTransaction(unsigned, signatures, publicKey)
  const inputs = coins.map(({ index, transactionId }) => ({ transactionId, index }))
  return {
    transactionId: transactionIdOf(id),
    raw: writeStoredForm({ form: { id, inputs, outputs, amounts, bytes }, ancestors }),
    claims: coins.map(claimOf)
  }
})
