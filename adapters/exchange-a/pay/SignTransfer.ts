/** Signs a payment on exchange A: the mapping of its nonce to the order, and the transfer (EXCHANGEA-20). */
import { Effect, Result } from "effect"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import type { Hex } from "../../../src/domain/encoding/Hex.ts"
import type { SendAsset } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { mappingOf, paymentIdOf, writeStored } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import type { StoredPayment } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { transferDigest } from "../../../src/domain/families/exchange-a/payment/TransferDigest.ts"
import { mappingDigest } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import type { KeyAccount } from "./SolverAccount.ts"

/** The id under which a payment of the account is signed. */
export const signedIdOf = (chain: Chain, account: Address, nonce: bigint): TransactionId =>
  Result.getOrThrow(parseTransactionId(chain.family, paymentIdOf(chain, account, nonce)))

/** The nonce is a time, which fits its 64 bits. */
export const signTransfer = (
  { sign }: Pick<KeyAccount, "sign">,
  transfer: SendAsset
): Effect.Effect<Hex, SignerUnavailable> => Effect.map(sign(Result.getOrThrow(transferDigest(transfer))), hexFromBytes)

/** By the account that sends it. */
export const signPayment = Effect.fnUntraced(
  function*(
    key: KeyAccount,
    chain: Chain,
    { order, sweep, transfer }: Omit<StoredPayment, "signatures">
  ): Effect.fn.Return<SignedPayment, SignerUnavailable> {
    const { account } = key
    const digest = Result.getOrThrow(mappingDigest(mappingOf(chain, account, { order, transfer })))
    const mapping = hexFromBytes(yield* key.sign(digest))
    return {
      transactionId: signedIdOf(chain, account, transfer.nonce),
      raw: writeStored({
        transfer,
        order,
        signatures: { transfer: yield* signTransfer(key, transfer), mapping },
        ...(sweep === undefined ? {} : { sweep })
      })
    }
  }
)
