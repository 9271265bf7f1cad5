/** Signs a payment on exchange A: the mapping of its nonce to the order, and the transfer (EXCHANGEA-20). */
import { Effect, Result } from "effect"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import type { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { SendAsset } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { mappingOf, paymentIdOf, writeStored } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { transferDigest } from "../../../src/domain/families/exchange-a/payment/TransferDigest.ts"
import { mappingDigest } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import type { SolverAccount } from "./SolverAccount.ts"

/** The id under which a payment of the account is signed. */
export const signedIdOf = (chain: Chain, account: SolverAccount["Service"]["account"], nonce: bigint): TransactionId =>
  Result.getOrThrow(parseTransactionId(chain.family, paymentIdOf(chain, account, nonce)))

/** The nonce is a time, which fits its 64 bits. */
export const signTransfer = (
  { sign }: SolverAccount["Service"],
  transfer: SendAsset
): Effect.Effect<Hex, SignerUnavailable> => Effect.map(sign(Result.getOrThrow(transferDigest(transfer))), hexFromBytes)

export const signPayment = Effect.fnUntraced(
  function*(
    solver: SolverAccount["Service"],
    chain: Chain,
    transfer: SendAsset,
    order: Hex32
  ): Effect.fn.Return<SignedPayment, SignerUnavailable> {
    const { account } = solver
    const digest = Result.getOrThrow(mappingDigest(mappingOf(chain, account, { order, transfer })))
    const mapping = hexFromBytes(yield* solver.sign(digest))
    return {
      transactionId: signedIdOf(chain, account, transfer.nonce),
      raw: writeStored({
        transfer,
        order,
        signatures: { transfer: yield* signTransfer(solver, transfer), mapping }
      })
    }
  }
)
