/**
 * The words of an order's members, checked on the way: what `orderId` is made of (spec/4 §1, §2).
 *
 * Addresses and currencies are parsed by the codec of their chain's family, numbers are checked for
 * their range. Not for use apart from `OrderId.ts`.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { addressCodec, type AddressCodec, type BitcoinNetwork, type InvalidAddress } from "../chain/Address.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import type { Hex } from "../chain/Hex.ts"
import { isUint256, keccak, keccakText, word, wordOf } from "../chain/StructHash.ts"
import type { VmFamily } from "../chain/VmFamily.ts"

/** The family of a chain, `undefined` for a chain that is not known. */
export type FamilyOf = (slug: ChainSlug) => VmFamily | undefined

/** An order that cannot be hashed for what it says of a chain or an amount; `reason` names the member. */
export class InvalidOrder extends Schema.TaggedError<InvalidOrder>()("InvalidOrder", {
  reason: Schema.String
}) {
  override get message(): string {
    return `invalid order: ${this.reason}`
  }
}

const maxUint32 = 0xffff_ffff

/**
 * One hashing of one order. It remembers the hashes of texts, of which an order repeats many, and
 * the first failure; words after a failure do not matter, for the id is never given out.
 */
export class OrderEncoder {
  failure: InvalidOrder | InvalidAddress | undefined = undefined
  private readonly texts = new Map<string, Uint8Array>()
  private readonly familyOf: FamilyOf
  private readonly network: BitcoinNetwork

  constructor(familyOf: FamilyOf, network: BitcoinNetwork) {
    this.familyOf = familyOf
    this.network = network
  }

  text(value: string): Uint8Array {
    return this.once(`text ${value}`, () => keccakText(value))
  }

  bytes(value: Hex): Uint8Array {
    return this.once(`bytes ${value}`, () => keccak(hexToBytes(value.slice(2))))
  }

  uint256(value: bigint, member: string): Uint8Array {
    return isUint256(value) ? word(value) : this.fail(new InvalidOrder({ reason: `${member} is no uint256` }))
  }

  uint32(value: number, member: string): Uint8Array {
    return Number.isInteger(value) && value >= 0 && value <= maxUint32
      ? word(BigInt(value))
      : this.fail(new InvalidOrder({ reason: `${member} is no uint32` }))
  }

  address(chain: ChainSlug, text: string): Uint8Array {
    return this.located(chain, "address", text, (codec) => codec.toBytes(text))
  }

  currency(chain: ChainSlug, text: string): Uint8Array {
    return this.located(chain, "currency", text, (codec) => codec.currencyToBytes(text))
  }

  /** A refund's recipient, or the native sentinel, which stands for the depositor (spec/4 §5.3). */
  refundRecipient(chain: ChainSlug, text: string): Uint8Array {
    return this.located(chain, "refund", text, (codec) =>
      text === codec.nativeCurrency ? codec.currencyToBytes(text) : codec.toBytes(text))
  }

  /** An EVM account as a word. */
  account(text: string): Uint8Array {
    const bytes = addressCodec("ethereum-vm").toBytes(text)
    return Result.isSuccess(bytes) ? wordOf(bytes.success) : this.fail(bytes.failure)
  }

  private fail(failure: InvalidOrder | InvalidAddress): Uint8Array {
    this.failure ??= failure
    return new Uint8Array(32)
  }

  private located(
    chain: ChainSlug,
    kind: string,
    text: string,
    read: (codec: AddressCodec) => Result.Result<Uint8Array, InvalidAddress>
  ): Uint8Array {
    return this.once(`${kind} ${chain} ${text}`, () => {
      const family = this.familyOf(chain)
      if (family === undefined) return this.fail(new InvalidOrder({ reason: `unknown chain ${chain.slice(0, 64)}` }))
      const bytes = read(addressCodec(family, this.network))
      return Result.isSuccess(bytes) ? keccak(bytes.success) : this.fail(bytes.failure)
    })
  }

  private once(key: string, hash: () => Uint8Array): Uint8Array {
    const known = this.texts.get(key)
    if (known !== undefined) return known
    const digest = hash()
    this.texts.set(key, digest)
    return digest
  }
}
