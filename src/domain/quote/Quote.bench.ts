/** The pure parts of a quote that are ours alone: decoding and resolving a request, pricing it with a sponsor. */
import * as Result from "effect/Result"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { Bps } from "../money/Bps.ts"
import { makeRequestDecoder } from "./request/DecodeRequest.ts"
import { type PriceWish, priceRequest } from "./pricing/PriceRequest.ts"
import { requestParameters } from "./request/QuoteRequest.ts"
import { resolveRequest } from "./request/ResolveRequest.ts"
import { alpha, beta, chains, evmAddress, pricedOn } from "./testing/Chains.ts"

const body = {
  user: evmAddress("11"),
  originChainId: 1,
  destinationChainId: 2,
  originCurrency: alpha.native.address,
  destinationCurrency: beta.currencies[1]!.address,
  amount: "1000000000000000000",
  tradeType: "EXACT_INPUT",
  appFees: [{ recipient: evmAddress("22"), fee: "30" }]
}
const decode = makeRequestDecoder(requestParameters)

const market = {
  origin: pricedOn(alpha, "ETH", "2000"),
  destination: pricedOn(beta, "USDC", "0.9997"),
  destinationNative: pricedOn(beta, "ETH", "2000"),
  fillGas: 10n ** 13n,
  appBps: Bps(30n),
  sponsorship: {
    selection: { _tag: "Defaulted" as const, components: ["execution", "swap", "service", "app"] as const },
    sponsor: { _tag: "Key" as const, cap: MicroUsdc(1_000_000n) },
    kind: "direct" as const
  }
}
const input: PriceWish = { amount: 10n ** 18n, tradeType: "EXACT_INPUT", slippage: undefined }
const output: PriceWish = { amount: 2_000_000_000n, tradeType: "EXACT_OUTPUT", slippage: undefined }

export const baseline = "price an exact input under a cap"

export const cases = {
  "price an exact input under a cap": () => priceRequest(market, input),
  "price an exact output under a cap": () => priceRequest(market, output),
  "price an exact output at a deposit address": () =>
    priceRequest({ ...market, sponsorship: { ...market.sponsorship, kind: "deposit-address" as const } }, output),
  "decode and resolve a request": () => Result.flatMap(decode(body), (request) => resolveRequest(request, chains))
}
