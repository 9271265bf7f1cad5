/** A sponsored quote from your own facts: no socket, no adapter, no database. `node examples/embed.ts` */
import * as kit from "causeway-kit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const chain = (id: number, slug: string): kit.Chain => {
  const account = Schema.decodeSync(kit.EthereumAddress)
  const address = kit.addressCodec("ethereum-vm").nativeCurrency
  const native = { chainId: kit.ChainId.make(id), address, symbol: "ETH", name: "Ether", decimals: 18, isNative: true }
  return {
    id: native.chainId,
    slug: kit.ChainSlug.make(slug),
    name: slug,
    family: kit.families["ethereum-vm"],
    network: "mainnet",
    depository: account(`0x${"de".repeat(20)}`),
    router: undefined,
    vault: undefined,
    native,
    currencies: [native],
    finality: { _tag: "Tag", tag: "finalized", seconds: 900 },
    confirmations: [],
    blockTimeMs: 2_000,
    explorerUrl: undefined
  }
}

export const sponsoredQuote = Result.gen(function*() {
  const chains = [chain(8453, "base"), chain(10, "optimism")]
  const decode = kit.makeRequestDecoder(["subsidizeFees", "maxSubsidizationAmount"])
  const body = yield* decode({
    user: `0x${"a1".repeat(20)}`,
    originChainId: 8453,
    destinationChainId: 10,
    originCurrency: `0x${"00".repeat(20)}`,
    destinationCurrency: `0x${"00".repeat(20)}`,
    amount: "1000000000000000000",
    tradeType: "EXACT_INPUT",
    subsidizeFees: true,
    maxSubsidizationAmount: "5000000"
  })
  const request = yield* kit.resolveRequest(body, chains)
  const { cap, selection } = request.sponsorship ?? { cap: undefined, selection: { _tag: "Off" } as const }
  const price = yield* kit.parseUsdPrice("2500")
  const origin = { currency: request.originCurrency, price }
  const destination = { currency: request.destinationCurrency, price }
  const sponsorship: kit.SponsorshipTerms = { selection, sponsor: { _tag: "Key", cap }, kind: "direct" }
  const market: kit.Market = {
    origin,
    destination,
    destinationNative: destination,
    fillGas: 21_000n * 1_000_000_000n,
    sponsorship
  }
  const { minimumOut, priced, slippage } = yield* kit.priceRequest(market, request)
  return kit.assembleQuote({
    request,
    priced,
    minimumOut,
    slippage,
    cap,
    origin,
    destination,
    originNative: origin,
    destinationNative: destination,
    originGas: 0n,
    userBalance: 2n * 10n ** 18n,
    timeEstimateSeconds: 2,
    steps: [],
    protocol: undefined,
    serviceName: "service",
    routerName: "my-service"
  })
})

console.log(JSON.stringify(Result.getOrThrow(sponsoredQuote), null, 2))
