/**
 * Ports of what a family does not have: each says so, and nothing else. The services ask for none of it on a chain whose
 * configuration was let through, but for permits, of which they are told that there are none.
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import { ContractWallets } from "../../ports/chain/ContractWallets.ts"
import { CreditWatcher } from "../../ports/chain/CreditWatcher.ts"
import { PermitTokens } from "../../ports/chain/PermitTokens.ts"
import { SwapSources } from "../../ports/chain/SwapSources.ts"
import { WithdrawalObserver } from "../../ports/chain/WithdrawalObserver.ts"
import { HubGate } from "../../ports/hub/HubGate.ts"
import { PriceFeeds } from "../../ports/market/PriceFeeds.ts"
import { DepositKeyring } from "../../ports/signing/DepositKeyring.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"

const notServed = (operation: string) => ({ slug }: Chain) =>
  Effect.fail(new ChainUnavailable({ chain: slug, operation, kind: "not-served" }))

/** No wallet that is a contract says what it has signed. */
export const withoutContractWallets = Layer.succeed(ContractWallets, { hasSigned: notServed("contract wallet") })

/** App balances cannot be held on its chains. */
export const withoutCredits = Layer.succeed(CreditWatcher, {
  start: notServed("credits"),
  scan: notServed("credits"),
  mentions: notServed("credits")
})

/** No currency is deposited by a signature. */
export const withoutPermits = Layer.succeed(PermitTokens, {
  wayOf: () => Effect.succeed(undefined),
  standing: notServed("permit")
})

/** Nothing is swapped on its chains. */
export const withoutSwaps = Layer.succeed(SwapSources, {
  offers: ({ chain }) => notServed("swaps")(chain),
  again: (_quote, { chain }) => notServed("swaps")(chain),
  encode: ({ ask }) => {
    throw new Error(`nothing is swapped on ${ask.chain.slug}`)
  },
  forUser: ({ ask }) => notServed("swaps")(ask.chain)
})

/** No withdrawal from its depositories is attested. */
export const withoutWithdrawals = Layer.succeed(WithdrawalObserver, {
  observe: notServed("withdrawal"),
  readable: () => Effect.succeed([])
})

/** No hub can stand on its chains. */
export const withoutHubs = Layer.succeed(HubGate, {
  terms: ({ chain }) => notServed("hub")(chain),
  oraclesAmong: ({ chain }) => notServed("hub")(chain),
  executed: ({ chain }) => notServed("hub")(chain)
})

/** No price is published on its chains. */
export const withoutPriceFeeds = Layer.succeed(PriceFeeds, { latest: () => Effect.succeed(undefined) })

/** Deposit addresses are no keys. */
export const withoutKeys = Layer.succeed(DepositKeyring, { deriverOf: () => undefined })
