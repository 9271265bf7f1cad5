/**
 * The account on the hub that holds a balance while it is withdrawn (PROTO-10): the last 20 bytes of
 * keccak256(packed(string chain, bytes depository, bytes currency, bytes recipient, address ownerAlias, bytes32
 * nonce)).
 */
import * as Result from "effect/Result"
import type { Address, InvalidAddress } from "../../chain/Address.ts"
import { protocolAccounts } from "../../chain/ProtocolAccounts.ts"
import { type Hex32, hexToBytes } from "../../encoding/Hex.ts"
import { type ChainRef, codecOf } from "../ChainRef.ts"
import { accountOfHash, hashOnChain } from "../Packed.ts"

/** What a withdrawal address is derived from. */
export interface WithdrawalAddressParts {
  readonly depository: string
  readonly currency: string
  readonly recipient: string
  /** The owner's alias on the hub. */
  readonly ownerAlias: string
  /** The allocator's nonce, unique over all chains. */
  readonly nonce: Hex32
}

/** `chain` is the chain where the money leaves. Its family spells depository, currency and recipient. */
export const withdrawalAddress = (
  chain: ChainRef,
  parts: WithdrawalAddressParts
): Result.Result<Address, InvalidAddress> =>
  Result.gen(function*() {
    const codec = codecOf(chain)
    const depository = yield* codec.toBytes(parts.depository)
    const currency = yield* codec.currencyToBytes(parts.currency)
    const recipient = yield* codec.toBytes(parts.recipient)
    const owner = yield* protocolAccounts.toBytes(parts.ownerAlias)
    return accountOfHash(hashOnChain(chain.slug, depository, currency, recipient, owner, hexToBytes(parts.nonce)))
  })
