/**
 * Encodes and checks the members of an order as the words that `orderId` hashes (PROTO-3, ORDER-3).
 *
 * The codec of their chain's family parses addresses and currencies. Numbers are checked for their range. Only for
 * `OrderId.ts`.
 */
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ChainNetwork } from "../chain/ChainNetwork.ts"
import type { AddressCodec, InvalidAddress } from "../chain/Address.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import type { Hex } from "../encoding/Hex.ts"
import { isUint256, keccak, keccakText, word, wordOf } from "../encoding/StructHash.ts"
import type { FamilyRules } from "../families/FamilyRules.ts"
import { makeHashMemo } from "./HashMemo.ts"

/** The family of a chain, `undefined` for an unknown chain. */
export type FamilyOf = (slug: ChainSlug) => FamilyRules | undefined

/** The order cannot be hashed because of a chain or a number in it. `reason` names the member. */
export class InvalidOrder extends Schema.TaggedError<InvalidOrder>()("InvalidOrder", {
  reason: Schema.String
}) {
  override get message(): string {
    return `invalid order: ${this.reason}`
  }
}

type Failure = InvalidOrder | InvalidAddress

const maxUint32 = 0xffff_ffff

const texts = makeHashMemo()
const accounts = makeHashMemo()
const currencies = makeHashMemo()
const shortBytes = makeHashMemo()
const nothing = new Uint8Array(32)

/** Hashes one order. It keeps the first failure. Words after a failure do not matter, as no id is returned. */
export class OrderEncoder {
  failure: Failure | undefined = undefined
  private readonly familyOf: FamilyOf
  private readonly network: ChainNetwork

  constructor(familyOf: FamilyOf, network: ChainNetwork) {
    this.familyOf = familyOf
    this.network = network
  }

  text(value: string): Uint8Array {
    return texts.get(value, () => keccakText(value)) ?? nothing
  }

  /** The slug of a chain that must be known. */
  chain(slug: ChainSlug): Uint8Array {
    return this.codec(slug) === undefined ? nothing : this.text(slug)
  }

  /** Up to 32 bytes, such as extra data that names a router, are cached. */
  bytes(value: Hex): Uint8Array {
    const hash = () => keccak(hexToBytes(value.slice(2)))
    return value.length > 66 ? hash() : shortBytes.get(value, hash) ?? nothing
  }

  uint256(value: bigint, member: string): Uint8Array {
    return isUint256(value) ? word(value) : this.fail(new InvalidOrder({ reason: `${member} is no uint256` }))
  }

  uint32(value: number, member: string): Uint8Array {
    return Number.isInteger(value) && value >= 0 && value <= maxUint32
      ? word(BigInt(value))
      : this.fail(new InvalidOrder({ reason: `${member} is no uint32` }))
  }

  /** An EVM account as a word. */
  account(text: string): Uint8Array {
    const bytes = protocolAccounts.toBytes(text)
    return Result.isSuccess(bytes) ? wordOf(bytes.success) : this.fail(bytes.failure)
  }

  address(chain: ChainSlug, text: string): Uint8Array {
    const codec = this.codec(chain)
    if (codec === undefined) return nothing
    const key = `${codec.family} ${this.network} ${text}`
    return accounts.get(key, () => this.hashOf(codec.toBytes(text))) ?? nothing
  }

  currency(chain: ChainSlug, text: string): Uint8Array {
    const codec = this.codec(chain)
    if (codec === undefined) return nothing
    return currencies.get(`${codec.family} ${text}`, () => this.hashOf(codec.currencyToBytes(text))) ?? nothing
  }

  /** A refund's recipient, or the native sentinel, which stands for the depositor (CLAIM-4). */
  refundRecipient(chain: ChainSlug, text: string): Uint8Array {
    return text === this.codec(chain)?.nativeCurrency ? this.currency(chain, text) : this.address(chain, text)
  }

  private codec(chain: ChainSlug): AddressCodec | undefined {
    const family = this.familyOf(chain)
    if (family !== undefined) return family.addresses(this.network)
    this.fail(new InvalidOrder({ reason: `unknown chain ${chain.slice(0, 64)}` }))
    return undefined
  }

  private hashOf(bytes: Result.Result<Uint8Array, InvalidAddress>): Uint8Array | undefined {
    if (Result.isSuccess(bytes)) return keccak(bytes.success)
    this.fail(bytes.failure)
    return undefined
  }

  private fail(failure: Failure): Uint8Array {
    this.failure ??= failure
    return nothing
  }
}
