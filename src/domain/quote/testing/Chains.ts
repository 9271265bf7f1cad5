/** Chains, currencies and prices for the tests of quotes: two EVM chains, Solana, Bitcoin and Tron. */
import { asAddress, asCurrency } from "../../families/AddressCodec.ts"
import { addressCodec, families } from "../../families/index.ts"
import { tronOfAccount } from "../../families/tron/TronAddresses.ts"
import * as Result from "effect/Result"
import type { Address, CurrencyAddress } from "../../chain/Address.ts"
import type { Chain } from "../../chain/Chain.ts"
import { ChainId, ChainSlug } from "../../chain/ChainId.ts"
import type { VmFamily } from "../../chain/VmFamily.ts"
import type { Currency, PricedCurrency } from "../../money/Currency.ts"
import { parseUsdPrice } from "../../money/Usd.ts"

export const evmAddress = (byte: string): Address =>
  Result.getOrThrow(addressCodec("ethereum-vm").parse(`0x${byte.repeat(20)}`))

export const currency = (
  chainId: number,
  symbol: string,
  decimals: number,
  address: CurrencyAddress,
  isNative: boolean
): Currency => ({
  chainId: ChainId.make(chainId),
  address,
  symbol,
  name: symbol,
  decimals,
  isNative
})

const token = (chainId: number, symbol: string, byte: string) =>
  currency(
    chainId,
    symbol,
    6,
    Result.getOrThrow(addressCodec("ethereum-vm").parseCurrency(`0x${byte.repeat(20)}`)),
    false
  )

const chain = (
  id: number,
  slug: string,
  family: VmFamily,
  native: Currency,
  tokens: ReadonlyArray<Currency>,
  contracts: Pick<Chain, "depository" | "depositAddresses" | "permits" | "router" | "vault">
): Chain => ({
  id: ChainId.make(id),
  slug: ChainSlug.make(slug),
  family: families[family],
  network: "mainnet",
  name: slug,
  native,
  currencies: [native, ...tokens],
  finality: { _tag: "Tag", tag: "finalized", seconds: 900 },
  confirmations: [],
  blockTimeMs: 2_000,
  explorerUrl: undefined,
  ...contracts
})

const nativeOf = (id: number, family: VmFamily, symbol: string, decimals: number) =>
  currency(id, symbol, decimals, addressCodec(family).nativeCurrency, true)

export const alpha = chain(1, "alpha", "ethereum-vm", nativeOf(1, "ethereum-vm", "ETH", 18), [
  token(1, "USDC", "a1"),
  token(1, "USDT", "a2")
], {
  depository: evmAddress("ad"),
  router: evmAddress("ae"),
  vault: evmAddress("af"),
  depositAddresses: { factory: evmAddress("fa") },
  permits: { forwarder: evmAddress("f0"), permit2: evmAddress("f2") }
})

export const beta = chain(2, "beta", "ethereum-vm", nativeOf(2, "ethereum-vm", "ETH", 18), [
  token(2, "USDC", "b1"),
  token(2, "USDT", "b2")
], {
  depository: evmAddress("bd"),
  router: evmAddress("be"),
  vault: evmAddress("bf"),
  depositAddresses: { factory: evmAddress("fa") },
  permits: { forwarder: evmAddress("f0"), permit2: evmAddress("f2") }
})

const sol = (text: string): Address => Result.getOrThrow(addressCodec("solana-vm").parse(text))

export const solanaUser = sol("9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM")
export const solanaPayer = sol("GThUX1Atko4tqhN2NaiTazWSeFWMuiUvfFnyJyUghFMJ")

export const solanaUsdc = currency(
  792703809,
  "USDC",
  6,
  Result.getOrThrow(addressCodec("solana-vm").parseCurrency("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")),
  false
)

export const solana = chain(
  792703809,
  "solana",
  "solana-vm",
  nativeOf(792703809, "solana-vm", "SOL", 9),
  [solanaUsdc],
  {
    depository: sol("4wBqpZM9xaSheZzJSMawUKKwhdpChKbZ5eu5ky4Vigw"),
    router: undefined,
    vault: undefined
  }
)

export const bitcoin = chain(8253038, "bitcoin", "bitcoin-vm", nativeOf(8253038, "bitcoin-vm", "BTC", 8), [], {
  depository: Result.getOrThrow(addressCodec("bitcoin-vm").parse("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")),
  router: undefined,
  vault: undefined
})

const inBase58 = (byte: string): Address => Result.getOrThrow(tronOfAccount(`0x${byte.repeat(20)}`))

export const tronUsdt = currency(728126428, "USDT", 6, asCurrency(inBase58("c2")), false)

export const tron = chain(728126428, "tron", "tron-vm", nativeOf(728126428, "tron-vm", "TRX", 6), [tronUsdt], {
  depository: inBase58("cd"),
  router: inBase58("ce"),
  vault: inBase58("cf")
})

export const exchangeAToken = currency(1337, "TOK", 5, asCurrency(`0x${"7e".repeat(16)}`), false)

export const exchangeA = chain(
  1337,
  "exchangea",
  "exchangea-vm",
  nativeOf(1337, "exchangea-vm", "USDC", 8),
  [exchangeAToken],
  { depository: evmAddress("ed"), router: undefined, vault: undefined }
)

export const exchangeBToken = currency(3586256, "ETH", 8, asCurrency("1"), false)

export const exchangeB = chain(
  3586256,
  "exchangeb",
  "exchangeb-vm",
  nativeOf(3586256, "exchangeb-vm", "USDC", 6),
  [exchangeBToken],
  { depository: asAddress("1000"), router: undefined, vault: undefined }
)

export const chains: ReadonlyArray<Chain> = [alpha, beta, solana, bitcoin]

export const priced = (currency: Currency, price: string): PricedCurrency => ({
  currency,
  price: Result.getOrThrow(parseUsdPrice(price))
})

/** A configured currency of a chain by its symbol, at a price in dollars. */
export const pricedOn = ({ currencies, slug }: Chain, symbol: string, price: string): PricedCurrency => {
  const found = currencies.find((currency) => currency.symbol === symbol)
  if (found === undefined) throw new Error(`no ${symbol} on ${slug}`)
  return priced(found, price)
}
