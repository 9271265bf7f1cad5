/** Payment URIs, read back as wallets read them: the same address, currency, chain, and the amount to the unit. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { Address, CurrencyAddress } from "../chain/Address.ts"
import { ChainId } from "../chain/ChainId.ts"
import type { ChainNetwork } from "../chain/ChainNetwork.ts"
import type { VmFamily } from "../chain/VmFamily.ts"
import { parseDecimal } from "../money/Decimal.ts"
import type { FamilyRules } from "./FamilyRules.ts"
import { addressCodec, families } from "./index.ts"
import type { PaymentRequest } from "./PaymentRequest.ts"

interface Read {
  readonly to: string
  readonly units: bigint
  /** Undefined for the native currency, and where a URI can name no other. */
  readonly token: string | undefined
  /** Undefined where a URI names no chain. */
  readonly chainId: number | undefined
}

const wholeUnits = (text: string | null, decimals: number): bigint =>
  Result.getOrThrow(parseDecimal(text ?? "", decimals))

/** The grammar of EIP-681, as far as payments and `transfer` go. */
const readEip681 = (uri: string): Read => {
  const [, target = "", chain = "", call, query = ""] =
    /^ethereum:(0x[0-9a-f]{40})@(\d+)(\/transfer)?\?([a-z0-9=&]+)$/u.exec(uri) ?? assert.fail(uri)
  const values = new URLSearchParams(query)
  const units = BigInt(values.get(call === undefined ? "value" : "uint256") ?? assert.fail(uri))
  const to = call === undefined ? target : values.get("address") ?? ""
  return { to, units, token: call === undefined ? undefined : target, chainId: Number(chain) }
}

/** Solana Pay and BIP-21: an address as the path, whole units as `amount`. */
const readPath = (scheme: string) => (uri: string, { currency: { decimals } }: PaymentRequest): Read => {
  const { pathname, protocol, searchParams } = new URL(uri)
  assert.strictEqual(protocol, scheme)
  assert.match(searchParams.get("amount") ?? "", /^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/u)
  return {
    to: pathname,
    units: wholeUnits(searchParams.get("amount"), decimals),
    token: searchParams.get("spl-token") ?? undefined,
    chainId: undefined
  }
}

const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })

const accounts = (family: VmFamily, raw: fc.Arbitrary<Uint8Array>, network?: ChainNetwork): fc.Arbitrary<Address> =>
  raw.map((each) => Result.getOrThrow(addressCodec(family, network).fromBytes(each)))

const tokens = (family: VmFamily, size: number): fc.Arbitrary<CurrencyAddress> =>
  bytes(size).map((each) => Result.getOrThrow(addressCodec(family).currencyFromBytes(each)))

const { bitcoin, ethereum, solana } = {
  bitcoin: families["bitcoin-vm"],
  ethereum: families["ethereum-vm"],
  solana: families["solana-vm"]
}
const witness = (size: number) => bytes(size).map((tail) => Uint8Array.of(0, ...tail))

const cases: ReadonlyArray<
  readonly [
    name: string,
    rules: FamilyRules,
    to: fc.Arbitrary<Address>,
    token: fc.Arbitrary<CurrencyAddress> | undefined,
    read: (uri: string, payment: PaymentRequest) => Read
  ]
> = [
  ["EIP-681", ethereum, accounts("ethereum-vm", bytes(20)), tokens("ethereum-vm", 20), readEip681],
  ["Solana Pay", solana, accounts("solana-vm", bytes(32)), tokens("solana-vm", 32), readPath("solana:")],
  ["BIP-21", bitcoin, accounts("bitcoin-vm", witness(20)), undefined, readPath("bitcoin:")],
  ["BIP-21, regtest", bitcoin, accounts("bitcoin-vm", witness(32), "regtest"), undefined, readPath("bitcoin:")]
]

describe("a payment URI", () => {
  it.each(cases)("reads back as the payment, to the unit: %s", (_, rules, addresses, token, read) => {
    const paymentUri = rules.paymentUri ?? assert.fail("no payment URI")
    const currencies = fc.tuple(
      token === undefined ? fc.constant(undefined) : fc.option(token, { nil: undefined }),
      fc.integer({ min: 1, max: 2 ** 48 }),
      fc.integer({ min: 0, max: 36 })
    ).map(([address, chainId, decimals]) => ({
      address: address ?? rules.addresses("mainnet").nativeCurrency,
      isNative: address === undefined,
      chainId: ChainId.make(chainId),
      decimals
    }))
    fc.assert(
      fc.property(addresses, currencies, fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), (to, currency, units) => {
        const payment = { to, currency, units }
        const { chainId, ...found } = read(paymentUri(payment), payment)
        assert.deepStrictEqual(found, { to, units, token: currency.isNative ? undefined : currency.address })
        if (chainId !== undefined) assert.strictEqual(chainId, currency.chainId)
      }),
      { numRuns: inputs(1_000, 20_000) }
    )
  })

  it("exists where wallets have a standard for it, and nowhere else", () => {
    assert.deepStrictEqual(
      Object.values(families).filter(({ paymentUri }) => paymentUri !== undefined).map(({ name }) => name).toSorted(),
      ["bitcoin-vm", "ethereum-vm", "solana-vm"]
    )
  })
})
