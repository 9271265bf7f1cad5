/** What is signed for a payment of exchange A, against viem; how it is stored; and where currencies lie. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { hashTypedData } from "viem"
import { account } from "../../../../../property-tests/EvidenceChains.ts"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Address } from "../../../chain/Address.ts"
import { ChainSlug } from "../../../chain/ChainId.ts"
import { Hex, Hex32, hexFromBytes } from "../../../encoding/Hex.ts"
import { signDigest } from "../../../encoding/Signature.ts"
import { accountOfKey } from "../../../encoding/Signature.ts"
import { isOwnMapping, mappingDigest } from "../../../nonce-mapping/NonceMapping.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { scaleDecimal, writeDecimal } from "../DecimalAmount.ts"
import { exchangeACurrency } from "../ExchangeAWithdrawal.ts"
import type { SendAsset } from "../ExchangeAWithdrawal.ts"
import { assetOf, movableUnit } from "./Asset.ts"
import { mappingOf, paymentIdOf, readStored, writeStored } from "./StoredPayment.ts"
import { SIGNATURE_CHAIN, transferDigest } from "./TransferDigest.ts"

const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map(hexFromBytes)

const transfer: fc.Arbitrary<SendAsset> = fc.record({
  _tag: fc.constant("SendAsset" as const),
  hyperliquidChain: fc.constantFrom("Mainnet", "Testnet"),
  destination: hex(20),
  sourceDex: fc.constantFrom("", "spot", "xyz"),
  destinationDex: fc.constantFrom("", "spot", "xyz"),
  token: hex(16).map((id) => `USDC:${id}`),
  amount: fc.bigInt({ min: 1n, max: 1n << 90n }).map((amount) => writeDecimal(amount, 8)),
  fromSubAccount: fc.constant(""),
  nonce: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
})

/** The exchange's typed data, as its public clients sign it. */
const types = {
  "HyperliquidTransaction:SendAsset": [
    { name: "hyperliquidChain", type: "string" },
    { name: "destination", type: "string" },
    { name: "sourceDex", type: "string" },
    { name: "destinationDex", type: "string" },
    { name: "token", type: "string" },
    { name: "amount", type: "string" },
    { name: "fromSubAccount", type: "string" },
    { name: "nonce", type: "uint64" }
  ]
} as const

describe("a payment of exchange A", () => {
  it("is signed as the exchange's own typed data", () => {
    fc.assert(
      fc.property(transfer, ({ _tag, ...message }) => {
        const digest = hashTypedData({
          domain: {
            name: "HyperliquidSignTransaction",
            version: "1",
            chainId: SIGNATURE_CHAIN,
            verifyingContract: "0x0000000000000000000000000000000000000000"
          },
          types,
          primaryType: "HyperliquidTransaction:SendAsset",
          message
        })
        assert.strictEqual(hexFromBytes(Result.getOrThrow(transferDigest({ _tag, ...message }))), Hex.make(digest))
      }),
      { numRuns: inputs(400, 20_000) }
    )
  })

  it("has a mapping to its order that oracles accept, and no other order's", () => {
    const key = Hex32.make(`0x${"a7".repeat(32)}`)
    const own = Result.getOrThrow(accountOfKey(key))
    const [order, other] = [Hex32.make(`0x${"01".repeat(32)}`), Hex32.make(`0x${"02".repeat(32)}`)]
    const mapping = mappingOf({ slug: ChainSlug.make("exchangea") }, own, { order, transfer: { nonce: 7n } })
    const signature = Result.getOrThrow(signDigest(Result.getOrThrow(mappingDigest(mapping)), key))
    assert.isTrue(isOwnMapping({ ...mapping, signature }))
    assert.isFalse(isOwnMapping({ ...mapping, id: other, signature }))
    assert.isFalse(isOwnMapping({ ...mapping, nonce: 8n, signature }))
  })

  it("is read as it was written, and nothing else is read", () => {
    const signatures = fc.record({ transfer: hex(65), mapping: hex(65) })
    const sweep = fc.record({ address: hex(20).map((text) => Address.make(text)), residue: hex(65) }, {
      requiredKeys: ["address"]
    })
    fc.assert(
      fc.property(
        transfer,
        hex(32),
        fc.option(signatures, { nil: undefined }),
        fc.option(sweep, { nil: undefined }),
        (sent, order, signed, swept) => {
          const stored = {
            transfer: sent,
            order: Hex32.make(order),
            ...(signed === undefined ? {} : { signatures: signed }),
            ...(swept === undefined ? {} : { sweep: swept })
          }
          const raw = writeStored(stored)
          assert.deepStrictEqual(readStored(raw), stored)
          assert.isUndefined(readStored(raw.slice(0, -1)))
        }
      ),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("has an id of its own for each nonce, account and chain", () => {
    const [one, other] = [account("exchangea-vm", 1), account("exchangea-vm", 2)]
    const chain = { slug: ChainSlug.make("exchangea") }
    const ids = new Set([
      paymentIdOf(chain, one, 1n),
      paymentIdOf(chain, one, 11n),
      paymentIdOf(chain, other, 1n),
      paymentIdOf({ slug: ChainSlug.make("exchangea-test") }, one, 1n)
    ])
    assert.strictEqual(ids.size, 4)
  })
})

describe("an amount on exchange A", () => {
  it("is written so that it is read exactly, without zeros at its end", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 1n << 100n }), fc.integer({ min: 0, max: 18 }), (amount, decimals) => {
        const text = writeDecimal(amount, decimals)
        assert.strictEqual(scaleDecimal(text, decimals), amount)
        assert.notMatch(text, /\.\d*0$|\.$/)
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("on perps is a multiple of a millionth, and on spot of the smallest unit", () => {
    assert.strictEqual(movableUnit({ dex: "" }, 8), 100n)
    assert.strictEqual(movableUnit({ dex: "xyz" }, 6), 1n)
    assert.strictEqual(movableUnit({ dex: "spot" }, 8), 1n)
  })
})

describe("a currency of exchange A", () => {
  it("lies where its transfers name it", () => {
    const printable = fc.stringMatching(/^[\x21-\x7e]{1,32}$/).filter((name) => name !== "spot")
    fc.assert(
      fc.property(hex(16), fc.option(printable, { nil: "spot" }), (tokenId, dex) => {
        const currency = Result.getOrThrow(exchangeACurrency(dex, `TOK:${tokenId}`))
        if (tokenId === `0x${"0".repeat(32)}`) return
        assert.deepStrictEqual(assetOf(currency), { dex, tokenId })
      }),
      { numRuns: inputs(500, 20_000) }
    )
    const perps = assetOf(asCurrency(`0x${"0".repeat(32)}`))
    assert.strictEqual(
      Result.getOrThrow(exchangeACurrency(perps.dex, `USDC:${perps.tokenId}`)),
      `0x${"0".repeat(32)}`
    )
  })
})
