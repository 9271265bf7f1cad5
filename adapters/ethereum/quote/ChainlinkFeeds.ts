/**
 * The port `PriceFeeds`: Chainlink aggregators on EVM chains, `latestRoundData`, in dollars for one whole unit.
 *
 * An unfinished round, an answer that is not above zero and an unreadable feed give no observation. The price rule
 * decides how old an answer may be. Each feed is read at most once a second, however many callers ask.
 */
import { Duration, Effect, Layer } from "effect"
import { parseAbi } from "viem"
import { PriceFeeds } from "../../../ports/market/PriceFeeds.ts"
import type { PriceFeed } from "../../../ports/market/PriceFeeds.ts"
import { maxAgeOfHeartbeat } from "../../../src/domain/market/AgreeOnPrice.ts"
import type { PriceObservation } from "../../../src/domain/market/AgreeOnPrice.ts"
import { USD_PRICE_DIGITS, UsdPrice } from "../../../src/domain/money/Usd.ts"
import { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"

const abi = parseAbi([
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
  "function decimals() view returns (uint8)"
])

const CACHE = Duration.seconds(1)

const read = (rpc: EthereumRpc["Service"], { address, chain, heartbeatSeconds }: PriceFeed) =>
  rpc.call(chain, "price feed", async (client) => {
    const feed = { abi, address: viemHex(address) }
    const [[, answer, , updatedAt], decimals] = await Promise.all([
      client.readContract({ ...feed, functionName: "latestRoundData" }),
      client.readContract({ ...feed, functionName: "decimals" })
    ])
    return { answer, updatedAt, decimals }
  }).pipe(
    Effect.map(({ answer, decimals, updatedAt }): PriceObservation | undefined =>
      answer <= 0n || updatedAt === 0n || decimals > USD_PRICE_DIGITS
        ? undefined
        : {
          price: UsdPrice(answer * 10n ** BigInt(USD_PRICE_DIGITS - decimals)),
          at: Number(updatedAt),
          maxAgeSeconds: maxAgeOfHeartbeat(heartbeatSeconds)
        }
    ),
    Effect.orElseSucceed(() => undefined)
  )

export const layer = Layer.effect(
  PriceFeeds,
  Effect.map(EthereumRpc, (rpc) => {
    const cached = new Map<string, Effect.Effect<PriceObservation | undefined>>()
    const latest = Effect.fnUntraced(function*(feed: PriceFeed) {
      const key = `${feed.chain.id}:${feed.address}`
      const known = cached.get(key)
      if (known !== undefined) return yield* known
      const fresh = yield* Effect.cachedWithTTL(read(rpc, feed), CACHE)
      cached.set(key, fresh)
      return yield* fresh
    })
    return PriceFeeds.of({ latest })
  })
)
