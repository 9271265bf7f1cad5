/**
 * Exchange A with USDC on a named dex as a further currency, which an operator adds to the chain's entry. Host and
 * oracle read that configuration, and the network's accounts have money there.
 */
import { Effect } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { USDC } from "../../localnet/nodes/exchange-a/node/Token.ts"
import { configuredFolder } from "./ConfiguredFolder.ts"
import { startExchangeANetwork } from "./ExchangeANetwork.ts"
import { startOracleInstance, startTransferInstance } from "./HostInstance.ts"
import { settlingOver } from "./SettlingNetwork.ts"

export const DEX = "test"

/** The token's id, then the ASCII of the dex's name (EXCHANGEA-2). */
export const ON_DEX = `${USDC.tokenId}${Buffer.from(DEX).toString("hex")}`

/** Smallest units: a hundred thousand USDC. */
const FUNDS = 10_000_000_000_000n

const spotEntry =
  `{ "symbol": "USDC", "name": "USD Coin (spot)", "address": "${USDC.tokenId}", "decimals": 8, "price": { "fixedUsd": "1" } }`
const dexEntry = spotEntry.replace("(spot)", `(${DEX})`).replace(USDC.tokenId, ON_DEX)

/** With a hub and an oracle. */
export const startNamedDex = Effect.gen(function*() {
  const network = yield* startExchangeANetwork
  const { book, environment, other, wallet } = network
  const configs = yield* configuredFolder((text) => text.replace(spotEntry, `${spotEntry}, ${dexEntry}`))
  const solver = privateKeyToAddress(`0x${environment["EXCHANGEA_SOLVER_PRIVATE_KEY"]?.slice(2) ?? ""}`)
  for (const owner of [wallet.address, other.address, solver]) book.credit(owner, DEX, FUNDS)
  const startInstance = (changes: Readonly<Record<string, string>> = {}) =>
    startTransferInstance({ ...environment, ...changes }, configs)
  return {
    ...(yield* settlingOver(
      { ...network, startInstance },
      1,
      1,
      (settings) => startOracleInstance(settings, configs)
    )),
    configs
  }
})
