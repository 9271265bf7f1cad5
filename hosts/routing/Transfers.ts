/**
 * The ports of a transfer, one of each kind for the chains of all families. A call for a chain goes to the chain's
 * family.
 */
import { Context, Effect, Layer } from "effect"
import type { FamilyStores, ServiceSigners, TransferPorts, Transferring } from "../../adapters/family/ChainFamily.ts"
import { AddressBalances, routeAddressBalances } from "../../ports/chain/AddressBalances.ts"
import { ContractWallets, routeContractWallets } from "../../ports/chain/ContractWallets.ts"
import { CreditWatcher, routeCreditWatcher } from "../../ports/chain/CreditWatcher.ts"
import { DepositWatcher, routeDepositWatcher } from "../../ports/chain/DepositWatcher.ts"
import { Gas, routeGas } from "../../ports/chain/Gas.ts"
import { PermitTokens, routePermitTokens } from "../../ports/chain/PermitTokens.ts"
import { routed } from "../../ports/chain/Routing.ts"
import type { Routing } from "../../ports/chain/Routing.ts"
import { routeDirectPaymentWatcher, DirectPaymentWatcher } from "../../ports/chain/DirectPaymentWatcher.ts"
import { routeSentTransactions, SentTransactions } from "../../ports/chain/SentTransactions.ts"
import { routeStepBuilder, StepBuilder } from "../../ports/chain/StepBuilder.ts"
import { routeSwapSources, SwapSources } from "../../ports/chain/SwapSources.ts"
import { routeTreasury, Treasury } from "../../ports/chain/Treasury.ts"
import { HubGate, routeHubGate } from "../../ports/hub/HubGate.ts"
import { PriceFeeds, routePriceFeeds } from "../../ports/market/PriceFeeds.ts"
import { DepositKeyring, routeDepositKeyring } from "../../ports/signing/DepositKeyring.ts"
import type { FamilyRules } from "../../src/domain/families/FamilyRules.ts"
import { openFamilies } from "./PerFamily.ts"
import type { Located, PerFamily } from "./PerFamily.ts"
import type { Redacted } from "effect"

/** The endpoints of a chain. */
export interface ServedEndpoints {
  /** In order of preference. */
  readonly urls: ReadonlyArray<Redacted.Redacted>
  /** How many of them must agree. Undefined when it is not configured. */
  readonly needed: number | undefined
}

type Ports = Context.Context<TransferPorts>

/** Every port, each forwarding to the ports of the family. */
const forwarding = (portsOf: (family: FamilyRules) => Ports): Ports => {
  const one = <I extends TransferPorts, Service>(port: Context.Key<I, Service>, routing: Routing<Service>) =>
    routed(routing, (family) => Context.get(portsOf(family), port))
  return Context.make(AddressBalances, one(AddressBalances, routeAddressBalances)).pipe(
    Context.add(ContractWallets, one(ContractWallets, routeContractWallets)),
    Context.add(CreditWatcher, one(CreditWatcher, routeCreditWatcher)),
    Context.add(DepositKeyring, one(DepositKeyring, routeDepositKeyring)),
    Context.add(DepositWatcher, one(DepositWatcher, routeDepositWatcher)),
    Context.add(Gas, one(Gas, routeGas)),
    Context.add(HubGate, one(HubGate, routeHubGate)),
    Context.add(PermitTokens, one(PermitTokens, routePermitTokens)),
    Context.add(PriceFeeds, one(PriceFeeds, routePriceFeeds)),
    Context.add(DirectPaymentWatcher, one(DirectPaymentWatcher, routeDirectPaymentWatcher)),
    Context.add(SentTransactions, one(SentTransactions, routeSentTransactions)),
    Context.add(StepBuilder, one(StepBuilder, routeStepBuilder)),
    Context.add(SwapSources, one(SwapSources, routeSwapSources)),
    Context.add(Treasury, one(Treasury, routeTreasury))
  )
}

/**
 * `located`: the chains that are served, and hubs that stand on others. `leftOutMs`: how long an endpoint that
 * contradicts its quorum answers no single read. `factsMaxAgeMs`: for how long quotes may use the same answers again.
 */
export const layerTransfers = (
  located: ReadonlyArray<Located<ServedEndpoints>>,
  families: PerFamily<Transferring>,
  signers: ServiceSigners,
  { factsMaxAgeMs, leftOutMs }: { readonly leftOutMs: number; readonly factsMaxAgeMs: number }
): Layer.Layer<TransferPorts, never, FamilyStores> =>
  Layer.effectContext(Effect.gen(function*() {
    const opened = yield* openFamilies(located, (name, of) => {
      const quorums = [...of].flatMap(([id, { needed }]) => needed === undefined ? [] : [[id, needed] as const])
      const endpoints = {
        urls: new Map([...of].map(([id, { urls }]) => [id, urls])),
        quorums: new Map(quorums),
        leftOutMs,
        factsMaxAgeMs
      }
      return families.get(name)?.ports({ endpoints, signers })
    })
    return forwarding(({ name }) => {
      const ports = opened.get(name)
      // The configuration check refuses chains of such a family.
      if (ports === undefined) throw new Error(`no chain of ${name} is served`)
      return ports
    })
  }))
