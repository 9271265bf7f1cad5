/**
 * Random orders for the tests of this folder and of settlement: every family on both sides, any
 * number of inputs, refunds, payments, calls and fees. Not for production code.
 */
import type { FamilyRules } from "../../families/FamilyRules.ts"
import { addressCodec, families } from "../../families/index.ts"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { Address } from "../../chain/Address.ts"
import { asAddress } from "../../families/AddressCodec.ts"
import { ChainSlug } from "../../chain/ChainId.ts"
import { hex32FromDigest, hexFromBytes } from "../../encoding/Hex.ts"
import { type VmFamily, vmFamilies } from "../../chain/VmFamily.ts"
import type { Order } from "../Order.ts"

/** One slug per family, and a second one for EVM. */
const names = new Map<string, VmFamily>([
  ...vmFamilies.map((family): [string, VmFamily] => [family.replace("-vm", ""), family]),
  ["base", "ethereum-vm"]
])

export const familyOf = (slug: string): FamilyRules | undefined => {
  const name = names.get(slug)
  return name === undefined ? undefined : families[name]
}

const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })

const accountBytes: { readonly [F in VmFamily]: fc.Arbitrary<Uint8Array> } = {
  "ethereum-vm": bytes(20),
  "solana-vm": bytes(32),
  "bitcoin-vm": fc.oneof(
    bytes(20).map((hash) => Uint8Array.of(0, ...hash)),
    bytes(32).map((program) => Uint8Array.of(1, ...program)),
    bytes(20).map((hash) => Uint8Array.of(0xff, 0x00, ...hash))
  ),
  "tron-vm": bytes(20).map((hash) => Uint8Array.of(0x41, ...hash)),
  "exchangea-vm": bytes(20),
  "exchangeb-vm": bytes(8).map((index) => Uint8Array.of(...new Uint8Array(8), ...index))
}

const currencyBytes: { readonly [F in VmFamily]: fc.Arbitrary<Uint8Array> } = {
  ...accountBytes,
  "bitcoin-vm": fc.constant(new Uint8Array(20)),
  "exchangea-vm": fc.tuple(bytes(16), fc.constantFrom("", "xyz")).map(([id, dex]) =>
    Uint8Array.of(...id, ...new TextEncoder().encode(dex))
  )
}

/** An account of a family in canonical spelling. */
export const account = (family: VmFamily): fc.Arbitrary<Address> =>
  accountBytes[family].map((each) => Result.getOrThrow(addressCodec(family).fromBytes(each)))

/** A currency of a family, possibly the native one. */
export const currency = (family: VmFamily): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant<string>(addressCodec(family).nativeCurrency),
    currencyBytes[family].map((each): string => Result.getOrThrow(addressCodec(family).currencyFromBytes(each)))
  )

export const chain: fc.Arbitrary<{ readonly slug: ChainSlug; readonly family: VmFamily }> = fc
  .constantFrom(...names)
  .map(([slug, family]) => ({ slug: ChainSlug.make(slug), family }))

export const uint256 = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
  fc.constantFrom(0n, 1n, 1n << 53n, (1n << 256n) - 1n)
)
export const uint32 = fc.integer({ min: 0, max: 0xffff_ffff })
export const hash32 = bytes(32).map(hex32FromDigest)
export const hex = fc.uint8Array({ maxLength: 300 }).map(hexFromBytes)

const input = chain.chain(({ family, slug }) =>
  fc.record({
    payment: fc.record({ chainId: fc.constant(slug), currency: currency(family), amount: uint256, weight: uint256 }),
    refunds: fc.array(
      chain.chain((refund) =>
        fc.record({
          chainId: fc.constant(refund.slug),
          recipient: fc.oneof(
            account(refund.family),
            fc.constant(addressCodec(refund.family).nativeCurrency)
          ),
          currency: currency(refund.family),
          minimumAmount: uint256,
          deadline: uint32,
          extraData: hex
        })
      ),
      { maxLength: 3 }
    )
  })
)

const output = chain.chain(({ family, slug }) =>
  fc.record({
    chainId: fc.constant(slug),
    payments: fc.array(
      fc.record({
        recipient: account(family),
        currency: currency(family),
        minimumAmount: uint256,
        expectedAmount: uint256
      }),
      { maxLength: 3 }
    ),
    calls: fc.array(hex, { maxLength: 3 }),
    deadline: uint32,
    extraData: hex
  })
)

const fee = fc.tuple(chain, chain).chain(([recipient, paid]) =>
  fc.record({
    recipientChainId: fc.constant(recipient.slug),
    recipient: account(recipient.family),
    currencyChainId: fc.constant(paid.slug),
    currency: currency(paid.family),
    amount: uint256
  })
)

export const order: fc.Arbitrary<Order> = fc.record({
  version: fc.constant("v1" as const),
  solverChainId: fc.constant(ChainSlug.make("base")),
  solver: bytes(20).map((each) => asAddress(hexFromBytes(each))),
  salt: hash32,
  inputs: fc.array(input, { maxLength: 3 }),
  output,
  fees: fc.array(fee, { maxLength: 2 })
}, { noNullPrototype: true })
