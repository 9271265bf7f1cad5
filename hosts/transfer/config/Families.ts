/**
 * Which families this service transfers on, and one port of each kind for all of them: what is asked of a chain goes to
 * its family.
 *
 * A family is loaded only when a chain of it is served: what Solana's transactions are made with takes a good part of a
 * second to load. What a family does not have (permits, a router's calls) is refused before anybody asks it here.
 */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { DepositKeyring } from "../../../ports/signing/DepositKeyring.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { SendWatcher } from "../../../ports/chain/SendWatcher.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import { SwapSources } from "../../../ports/chain/SwapSources.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Hex } from "../../../src/domain/encoding/Hex.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { VmFamily } from "../../../src/domain/chain/VmFamily.ts"

export const servedFamilies: ReadonlyArray<VmFamily> = ["ethereum-vm", "solana-vm"]

export const isServed = (family: VmFamily): boolean => servedFamilies.includes(family)

/** What every family brings. */
export type FamilyPorts =
  | AddressBalances
  | DepositWatcher
  | Gas
  | SendWatcher
  | SentTransactions
  | StepBuilder
  | SwapSources
  | Treasury

/**
 * The Solana chains of a service: their endpoints, the key that pays there, and the seed of its deposit addresses where
 * they are swept.
 */
export interface SolanaService {
  readonly urls: ReadonlyMap<ChainId, ReadonlyArray<Redacted.Redacted>>
  readonly key: Redacted.Redacted
  readonly seed: Redacted.Redacted<Hex> | undefined
  /** The server of swap routes; without a URL nothing is swapped. */
  readonly jupiter: { readonly url: string | undefined; readonly apiKey: Redacted.Redacted | undefined }
}

/** What a family brings whose deposit addresses are keys. */
type KeyFamilyPorts = FamilyPorts | DepositKeyring

const solanaPorts = ({ jupiter, key, seed, urls }: SolanaService): Layer.Layer<KeyFamilyPorts> =>
  Layer.unwrap(Effect.promise(async () => {
    const {
      AddressBalances: ofBalances,
      Gas: ofGas,
      Jupiter,
      Keyring,
      Sends,
      SentTransactions: ofSent,
      SolanaRpc,
      SolverAccount,
      Steps,
      Treasury: ofTreasury,
      Watcher
    } = await import("../../../adapters/solana/index.ts")
    return Layer.mergeAll(
      ofBalances.layer,
      ofGas.layer,
      Jupiter.layer,
      Keyring.layer,
      Sends.layer,
      ofSent.layer,
      Steps.layer,
      ofTreasury.layer,
      Watcher.layer
    ).pipe(
      Layer.provide(SolanaRpc.layer),
      Layer.provide([
        Layer.succeed(SolanaRpc.SolanaEndpoints, { urls }),
        SolverAccount.layer(key, seed),
        Layer.succeed(Jupiter.JupiterServer, jupiter)
      ])
    )
  }))

type Ports = Context.Context<FamilyPorts>

const routed = (portsOf: (chain: Chain) => Ports, keyring: DepositKeyring["Service"]) => {
  const treasury = (chain: Chain) => Context.get(portsOf(chain), Treasury)
  const gas = (chain: Chain) => Context.get(portsOf(chain), Gas)
  const sent = (chain: Chain) => Context.get(portsOf(chain), SentTransactions)
  const sends = (chain: Chain) => Context.get(portsOf(chain), SendWatcher)
  const swaps = (chain: Chain) => Context.get(portsOf(chain), SwapSources)
  const watcher = (chain: Chain) => Context.get(portsOf(chain), DepositWatcher)
  return Context.make(
    Treasury,
    Treasury.of({
      inventory: (chain, currency, holding) => treasury(chain).inventory(chain, currency, holding),
      prepare: (payment) => treasury(payment.chain).prepare(payment),
      broadcast: (chain, signed) => treasury(chain).broadcast(chain, signed),
      outcome: (chain, variants) => treasury(chain).outcome(chain, variants),
      replacing: (chain) => treasury(chain).replacing(chain)
    })
  ).pipe(
    Context.add(
      Gas,
      Gas.of({
        ofPayment: (payment) => gas(payment.chain).ofPayment(payment),
        mostOfCalls: (payment) => gas(payment.chain).mostOfCalls(payment),
        opening: (payment) => gas(payment.chain).opening(payment),
        ofSweep: (chain, currency) => gas(chain).ofSweep(chain, currency),
        ofPermit: (chain, kind, overhead) => gas(chain).ofPermit(chain, kind, overhead)
      })
    ),
    Context.add(
      SentTransactions,
      SentTransactions.of({
        accountOn: (chain) => sent(chain).accountOn(chain),
        position: (chain) => sent(chain).position(chain),
        lastBlockBefore: (chain, time) => sent(chain).lastBlockBefore(chain, time),
        find: (chain, id) => sent(chain).find(chain, id),
        between: (chain, from, to) => sent(chain).between(chain, from, to),
        useUp: (chain, sequence) => sent(chain).useUp(chain, sequence)
      })
    ),
    Context.add(
      StepBuilder,
      StepBuilder.of({
        prepare: (intent) => Context.get(portsOf(intent.origin), StepBuilder).prepare(intent)
      })
    ),
    Context.add(
      AddressBalances,
      AddressBalances.of({
        read: (chain, holder, currencies) =>
          Context.get(portsOf(chain), AddressBalances).read(chain, holder, currencies)
      })
    ),
    Context.add(DepositKeyring, keyring),
    Context.add(
      SendWatcher,
      SendWatcher.of({
        scan: (chain, from) => sends(chain).scan(chain, from),
        look: (chain, transactionId) => sends(chain).look(chain, transactionId),
        lookAgain: (chain, transactionId, block) => sends(chain).lookAgain(chain, transactionId, block)
      })
    ),
    Context.add(
      SwapSources,
      SwapSources.of({
        offers: (ask, sources) => swaps(ask.chain).offers(ask, sources),
        again: (quote, ask) => swaps(ask.chain).again(quote, ask),
        encode: (quote, terms) => swaps(quote.ask.chain).encode(quote, terms),
        forUser: (quote, terms, user) => swaps(quote.ask.chain).forUser(quote, terms, user)
      })
    ),
    Context.add(
      DepositWatcher,
      DepositWatcher.of({
        head: (chain) => watcher(chain).head(chain),
        scan: (chain, from) => watcher(chain).scan(chain, from),
        look: (chain, transactionId) => watcher(chain).look(chain, transactionId),
        finality: (chain, height) => watcher(chain).finality(chain, height),
        standing: (chain, deposit) => watcher(chain).standing(chain, deposit)
      })
    )
  )
}

/**
 * The ports of all families, by the family of the chain that is asked for. `solana`: undefined where no chain of it is
 * served.
 */
export const layerFamilies = <E, R>(
  ethereum: Layer.Layer<FamilyPorts, E, R>,
  solana: SolanaService | undefined
): Layer.Layer<KeyFamilyPorts, E, R> =>
  Layer.effectContext(Effect.gen(function*() {
    const evm = yield* Layer.build(ethereum)
    const svm = solana === undefined ? undefined : yield* Layer.build(solanaPorts(solana))
    const keyring = svm === undefined
      ? DepositKeyring.of({ deriverOf: () => undefined })
      : Context.get(svm, DepositKeyring)
    // A chain of a family that is not served is in no configuration that was let through.
    return routed(({ family }) => family === "solana-vm" ? svm ?? evm : evm, keyring)
  }))
