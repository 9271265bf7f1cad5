/**
 * A VM family as the hosts take it: one value, with all that a service needs to serve chains of the family. The hosts
 * are given a list of these and name none of them.
 *
 * A family's module is light: what is large (a client, a signer) is loaded by `import()` when a layer of it is built, so
 * that a service loads the families of its own chains only, and an oracle nothing that pays.
 */
import type { Effect, Layer, Redacted } from "effect"
import type { AddressBalances } from "../../ports/chain/AddressBalances.ts"
import type { ChainFacts } from "../../ports/chain/ChainFacts.ts"
import type { ChainObserver } from "../../ports/chain/ChainObserver.ts"
import type { ContractWallets } from "../../ports/chain/ContractWallets.ts"
import type { CreditWatcher } from "../../ports/chain/CreditWatcher.ts"
import type { DepositWatcher } from "../../ports/chain/DepositWatcher.ts"
import type { Gas } from "../../ports/chain/Gas.ts"
import type { PermitTokens } from "../../ports/chain/PermitTokens.ts"
import type { DirectPaymentWatcher } from "../../ports/chain/DirectPaymentWatcher.ts"
import type { SentTransactions } from "../../ports/chain/SentTransactions.ts"
import type { StepBuilder } from "../../ports/chain/StepBuilder.ts"
import type { SwapSources } from "../../ports/chain/SwapSources.ts"
import type { Treasury } from "../../ports/chain/Treasury.ts"
import type { WithdrawalObserver } from "../../ports/chain/WithdrawalObserver.ts"
import type { HubBalances } from "../../ports/hub/HubBalances.ts"
import type { HubGate } from "../../ports/hub/HubGate.ts"
import type { PriceFeeds } from "../../ports/market/PriceFeeds.ts"
import type { DepositKeyring } from "../../ports/signing/DepositKeyring.ts"
import type { Ed25519Tree, Secp256k1Signer } from "../../ports/signing/Signer.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId, ChainSlug } from "../../src/domain/chain/ChainId.ts"
import type { FamilyRules } from "../../src/domain/families/FamilyRules.ts"
import type { ListedEndpoints } from "../endpoints/Rotation.ts"
import type { ObservedEndpoints } from "../quorum/Endpoints.ts"
import type { CheckedEndpoints } from "../quorum/ReadingFacts.ts"
import type { EntryRules } from "./EntryRules.ts"
import type { DeclaredVariable, Problem } from "./Variables.ts"

/** Variables of the environment, and what follows from them. */
export interface Settings<A> {
  /** Every one that is read: docs/variables.md lists them, and a name that is almost one of them is told at start. */
  readonly variables: ReadonlyArray<DeclaredVariable>
  /**
   * Fails with one problem that names everything that is wrong. `chains`: those of the family that the service serves;
   * none while that cannot be told.
   */
  readonly read: (chains: ReadonlyArray<Chain>) => Effect.Effect<A, Problem>
}

/** How the family's chains are read under a quorum of their endpoints: all of an oracle's part. */
export interface Observing {
  /** What an operator should know at start. */
  readonly warnings: ReadonlyArray<string>
  /** The observers of these chains, and of no other. */
  readonly observers: (
    endpoints: ReadonlyMap<ChainId, ObservedEndpoints>
  ) => Layer.Layer<ChainObserver | WithdrawalObserver>
  /** What the configuration of these chains is compared with. */
  readonly facts: (endpoints: ReadonlyMap<ChainId, CheckedEndpoints>) => Layer.Layer<ChainFacts>
  /** Balances of hubs; not there where a hub cannot stand on a chain of the family. */
  readonly hubs?: (endpoints: ReadonlyMap<ChainSlug, ObservedEndpoints>) => Layer.Layer<HubBalances>
}

/** The ports by which transfers are made on chains of a family. What it does not have comes from `UnsupportedPorts.ts`. */
export type TransferPorts =
  | AddressBalances
  | ContractWallets
  | CreditWatcher
  | DepositKeyring
  | DepositWatcher
  | Gas
  | HubGate
  | PermitTokens
  | PriceFeeds
  | DirectPaymentWatcher
  | SentTransactions
  | StepBuilder
  | SwapSources
  | Treasury

/** Signers of the transfer service that are no family's own. A family is given these, and no key. */
export interface ServiceSigners {
  /** Signs the orders of the protocol; pays where accounts are of its curve. */
  readonly solver: Secp256k1Signer
  /** Empties deposit addresses and submits permits; never the solver. */
  readonly operator: Secp256k1Signer | undefined
  /** The keys of deposit addresses, where addresses are keys; workers alone have it (ADDRESS-3). */
  readonly deposits: Ed25519Tree | undefined
}

/** How transfers are made on chains of the family. */
export interface Transferring {
  /** The family's own keys that this process holds, as hex: no other secret of the service may be one of them. */
  readonly keys: ReadonlyArray<Redacted.Redacted>
  /** `endpoints`: of the family's chains, and of hubs that stand on chains of the family. */
  readonly ports: (served: {
    readonly endpoints: ListedEndpoints
    readonly signers: ServiceSigners
  }) => Layer.Layer<TransferPorts>
}

/** What an oracle sees on chains of most families. */
export type Aspect = "calls" | "reorg"

export interface ChainFamily {
  /** The pure half. */
  readonly rules: FamilyRules
  /** Its chains in the plural, for people: "EVM chains", "Solana". */
  readonly title: string
  readonly entries: EntryRules
  /** What there is not on its chains, and why: docs/families.md says so. */
  readonly lacks?: Readonly<Partial<Record<Aspect, string>>>
  readonly observe: Settings<Observing>
  /** Not there where nothing is transferred on chains of the family. */
  readonly transfer?: Settings<Transferring>
}
