/**
 * Signs a transaction of the solver's coins, or of these and a deposit address's, as the store keeps it: with its
 * amounts, the places of the keys, the parents that wait and the makers that are not final.
 */
import { Effect, Result } from "effect"
import { PaymentClaim } from "../../../ports/chain/Treasury.ts"
import type { SignedWithClaims } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { KeyPlace } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import { families } from "../../../src/domain/families/index.ts"
import { signedTransaction } from "../../../src/domain/families/bitcoin/signing/SignedTransaction.ts"
import { signingDigests } from "../../../src/domain/families/bitcoin/signing/SigningDigest.ts"
import type { BtcOutpoint } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { Coin, Funding } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { replaceableTransaction } from "../../../src/domain/families/bitcoin/spending/ReplaceableTransaction.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { readStoredForm, writeStoredForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { StoredForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { KeyAccount, SolverAccount } from "./SolverAccount.ts"

/** Signatures that a signer, perhaps a remote one, is asked for together. */
const SIGNED_AT_ONCE = 32

export const claimOf = (coin: BtcOutpoint): PaymentClaim => PaymentClaim(coinName(coin))

export const transactionIdOf = (id: string) => Result.getOrThrow(parseTransactionId(families["bitcoin-vm"], id))

/** Dies for text that this adapter never wrote: then the store was changed from outside. */
export const storedForm = (raw: string): StoredForm => {
  const stored = readStoredForm(raw)
  if (stored === undefined) throw new Error("a stored payment is not as the Bitcoin adapter writes them")
  return stored
}

/** Who signs for a coin. SECURITY: a process that has no seed was never to sweep. */
const ownerOf = (
  { account, depositAccount }: Signers,
  key: KeyPlace | undefined
): Effect.Effect<KeyAccount, SignerUnavailable> => {
  if (key === undefined) return Effect.succeed(account)
  return depositAccount === undefined
    ? Effect.die(new Error("a process without the seed of deposit addresses was to spend their coins"))
    : depositAccount(key)
}

type Signers = Pick<SolverAccount["Service"], "account" | "depositAccount">

const placeText = (key: KeyPlace | undefined): string => key === undefined ? "" : `${key.generation}/${key.number}`

/** The owner of each coin, in their order. Each key is derived once. */
const ownersOf = Effect.fnUntraced(function*(signers: Signers, coins: ReadonlyArray<Coin>) {
  const owners = new Map<string, KeyAccount>()
  return yield* Effect.forEach(
    coins,
    Effect.fnUntraced(function*({ key }) {
      const owner = owners.get(placeText(key)) ?? (yield* ownerOf(signers, key))
      owners.set(placeText(key), owner)
      return owner
    })
  )
})

/** The coins are of the account, and of a deposit address. They are what the payment claims. */
export const signSpending = Effect.fnUntraced(function*(
  signers: Signers,
  { coins, outputs }: Pick<Funding<Coin>, "coins" | "outputs">,
  needs: Pick<StoredForm, "ancestors" | "makers">
): Effect.fn.Return<SignedWithClaims, SignerUnavailable> {
  const unsigned = replaceableTransaction(coins, outputs)
  const amounts = coins.map(({ amount }) => amount)
  const owners = yield* ownersOf(signers, coins)
  const spent = owners.map(({ script }, at) => ({ script, amount: amounts[at] ?? 0n }))
  const digests = signingDigests(unsigned, spent)
  const shown = yield* Effect.forEach(
    owners,
    ({ publicKey, sign }, at) =>
      Effect.map(sign(digests[at] ?? new Uint8Array(32)), (signature) => ({ signature, publicKey })),
    {
      concurrency: SIGNED_AT_ONCE
    }
  )
  const { bytes, id } = signedTransaction(unsigned, shown)
  const inputs = coins.map(({ index, transactionId }) => ({ transactionId, index }))
  const keys = coins.map(({ key }) => key)
  return {
    transactionId: transactionIdOf(id),
    raw: writeStoredForm({ form: { id, inputs, outputs, amounts, keys, bytes }, ...needs }),
    claims: coins.map(claimOf)
  }
})
