/**
 * An adapter of a port: a source of prices of your own, held to the kit's rule for prices. Two sources have to be fresh
 * and agree, as outside of a local network. `node examples/own-prices.ts`
 */
import * as kit from "causeway-kit"
import { Prices, type PriceSource, PriceSources } from "causeway-kit/ports"
import { AgreedPrices } from "causeway-kit/services"
import { Effect, Layer, Result } from "effect"

/** What your desk says, in dollars for one whole unit, and when it said so. Here it is a table. */
export interface Desk {
  readonly name: string
  readonly quotes: ReadonlyMap<string, { readonly dollars: string; readonly at: number }>
}

/** The adapter. It never fails, and judges neither the age nor the price: that is the rule's. */
export const deskPrices = ({ name, quotes }: Desk): PriceSource => ({
  name,
  observe: ({ symbol }) =>
    Effect.sync(() => {
      const quote = quotes.get(symbol)
      const price = quote === undefined ? undefined : Result.getOrUndefined(kit.parseUsdPrice(quote.dollars))
      return quote === undefined || price === undefined ? undefined : { price, at: quote.at, maxAgeSeconds: 60 }
    })
})

/** `Prices`, which quoting asks, over these desks. */
export const layerPrices = (desks: ReadonlyArray<Desk>) =>
  AgreedPrices.layer({ required: 2, maxAge: 0 }).pipe(
    Layer.provide(Layer.succeed(PriceSources, { all: desks.map(deskPrices) }))
  )

const ether: kit.Currency = {
  chainId: kit.ChainId.make(8453),
  address: kit.addressCodec("ethereum-vm").nativeCurrency,
  symbol: "ETH",
  name: "Ether",
  decimals: 18,
  isNative: true
}

/** What ether is worth by two desks, or why that is not known. */
export const worthBy = (first: string, second: string, agesSeconds: number = 0): Effect.Effect<string> =>
  Effect.gen(function*() {
    const at = Math.floor(Date.now() / 1_000) - agesSeconds
    const desk = (name: string, dollars: string): Desk => ({ name, quotes: new Map([["ETH", { dollars, at }]]) })
    const prices = Effect.flatMap(Prices, ({ priceOf }) => priceOf(ether))
    return yield* prices.pipe(
      Effect.provide(layerPrices([desk("ours", first), desk("another", second)])),
      Effect.match({
        onSuccess: (priced) => `${kit.formatUsd(kit.usdFloor(10n ** 18n, priced))} dollars`,
        onFailure: ({ message }) => message
      })
    )
  })

if (import.meta.main) {
  console.log("they agree:    ", await Effect.runPromise(worthBy("2500", "2501")))
  console.log("too far apart: ", await Effect.runPromise(worthBy("2500", "2600")))
  console.log("too old:       ", await Effect.runPromise(worthBy("2500", "2501", 120)))
}
