/**
 * Whether a wallet signed a digest: an account by its key, a contract by its own answer (EIP-1271) on the settlement
 * chain.
 *
 * A contract that accepts every signature speaks only for its own address, so it cannot harm others. Not for wallets
 * that are not deployed yet.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { ContractWallets } from "../../../ports/chain/ContractWallets.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import type { Address } from "../../domain/chain/Address.ts"
import { type Hex, type Hex32, hexFromBytes, hexToBytes } from "../../domain/encoding/Hex.ts"

export class WalletSignatures extends Context.Service<WalletSignatures, {
  /** The chain is asked only when the account's own key did not sign. */
  readonly isSignedBy: (wallet: Address, digest: Hex32, signature: Hex) => Effect.Effect<boolean, ChainUnavailable>
}>()("causeway/services/WalletSignatures") {}

/** Some hardware wallets count v from 0 instead of 27. */
export const withUsualV = (signature: Hex): Hex => {
  const bytes = hexToBytes(signature)
  const v = bytes[64]
  return bytes.length === 65 && v !== undefined && v < 2
    ? hexFromBytes(Uint8Array.of(...bytes.subarray(0, 64), v + 27))
    : signature
}

export const layer = Layer.effect(
  WalletSignatures,
  Effect.gen(function*() {
    const { recoverDigest } = yield* Signatures
    const contracts = yield* ContractWallets
    const { chain } = yield* SettlementChain
    return WalletSignatures.of({
      isSignedBy: Effect.fn("WalletSignatures.isSignedBy")(function*(wallet: Address, digest: Hex32, signature: Hex) {
        const recovered = recoverDigest(hexToBytes(digest), withUsualV(signature))
        if (Result.isSuccess(recovered) && recovered.success === wallet) return true
        return yield* contracts.hasSigned(chain, wallet, digest, signature)
      })
    })
  })
)
