/**
 * Ports for what a family lacks. Each of them only says so. On a chain with an accepted configuration the services call
 * none of them, except permits: that port answers that there are none.
 */
import { Effect, Layer } from "effect"
import { AddressBalances } from "../../ports/chain/AddressBalances.ts"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import { ContractWallets } from "../../ports/chain/ContractWallets.ts"
import { CreditWatcher } from "../../ports/chain/CreditWatcher.ts"
import type { DirectPaymentWatcher } from "../../ports/chain/DirectPaymentWatcher.ts"
import { PermitTokens } from "../../ports/chain/PermitTokens.ts"
import { SwapSources } from "../../ports/chain/SwapSources.ts"
import { WithdrawalObserver } from "../../ports/chain/WithdrawalObserver.ts"
import { HubGate } from "../../ports/hub/HubGate.ts"
import { PriceFeeds } from "../../ports/market/PriceFeeds.ts"
import { DepositKeyring } from "../../ports/signing/DepositKeyring.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"

const notServed = (operation: string) => ({ slug }: Chain) =>
  Effect.fail(new ChainUnavailable({ chain: slug, operation, kind: "not-served" }))

/** No deposit addresses whose balances are read. */
export const withoutAddressBalances = Layer.succeed(AddressBalances, {
  read: notServed("balances of an address"),
  leftBySweeps: notServed("balances of an address")
})

/** No contract wallet can confirm a signature. */
export const withoutContractWallets = Layer.succeed(ContractWallets, { hasSigned: notServed("contract wallet") })

/** Its chains cannot hold app balances. */
export const withoutCredits = Layer.succeed(CreditWatcher, {
  start: notServed("credits"),
  scan: notServed("credits"),
  mentions: notServed("credits")
})

/** No currency can be deposited by a signature. */
export const withoutPermits = Layer.succeed(PermitTokens, {
  wayOf: () => Effect.succeed(undefined),
  standing: notServed("permit")
})

/** Nobody can list what users pay each other on its chains (`FamilyRules.scansSends`): nothing asks for a scan. */
export const withoutSendScans: Pick<DirectPaymentWatcher["Service"], "scan"> = { scan: notServed("a scan for sends") }

/** No swaps on its chains. */
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

/** No hub can be on its chains. */
export const withoutHubs = Layer.succeed(HubGate, {
  terms: ({ chain }) => notServed("hub")(chain),
  oraclesAmong: ({ chain }) => notServed("hub")(chain),
  executed: ({ chain }) => notServed("hub")(chain)
})

/** No prices are published on its chains. */
export const withoutPriceFeeds = Layer.succeed(PriceFeeds, { latest: () => Effect.succeed(undefined) })

/** Deposit addresses are not keys. */
export const withoutKeys = Layer.succeed(DepositKeyring, { deriverOf: () => undefined })
