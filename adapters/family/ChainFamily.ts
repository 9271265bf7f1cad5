/**
 * A VM family as the hosts take it: one value with everything that a service needs to serve the family's chains. Hosts
 * get a list of families and name none of them.
 *
 * A family's module is small. Large parts (a client, a signer) are loaded by `import()` when their layer is built. So a
 * service loads only the families of its own chains, and an oracle loads nothing that pays.
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
import type { DepositTrees, Secp256k1Signer } from "../../ports/signing/Signer.ts"
import type { NonceMappings } from "../../ports/store/clients/NonceMappings.ts"
import type { DepositAddresses } from "../../ports/store/orders/DepositAddresses.ts"
import type { DepositKeys } from "../../ports/store/orders/DepositKeys.ts"
import type { Transfers } from "../../ports/store/orders/Transfers.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId, ChainSlug } from "../../src/domain/chain/ChainId.ts"
import type { FamilyRules } from "../../src/domain/families/FamilyRules.ts"
import type { ListedEndpoints } from "../endpoints/Rotation.ts"
import type { ObservedEndpoints } from "../quorum/Endpoints.ts"
import type { CheckedEndpoints } from "../quorum/ReadingFacts.ts"
import type { EntryRules } from "./EntryRules.ts"
import type { DeclaredVariable, Problem } from "./Variables.ts"

/** Environment variables, and the values built from them. */
export interface Settings<A> {
  /**
   * All variables that are read. docs/variables.md lists them, and the start warns about names that are almost one of
   * them.
   */
  readonly variables: ReadonlyArray<DeclaredVariable>
  /**
   * Fails with one problem that names everything that is wrong. `chains`: the served chains of the family; empty while
   * they are not known yet.
   */
  readonly read: (chains: ReadonlyArray<Chain>) => Effect.Effect<A, Problem>
}

/** How the family's chains are read under a quorum of their endpoints. An oracle needs nothing else. */
export interface Observing {
  /** Warnings for operators at start. */
  readonly warnings: ReadonlyArray<string>
  /** Why a host without a store of nonce mappings can read no evidence of these chains. Undefined where it can. */
  readonly needsMappings?: string | undefined
  /** The observers of these chains, and of no other. `mappings`: the host's own store, if it has one. */
  readonly observers: (
    endpoints: ReadonlyMap<ChainId, ObservedEndpoints>,
    mappings?: NonceMappings["Service"]
  ) => Layer.Layer<ChainObserver | WithdrawalObserver>
  /** Reads what the configuration of these chains is checked against. */
  readonly facts: (endpoints: ReadonlyMap<ChainId, CheckedEndpoints>) => Layer.Layer<ChainFacts>
  /** Balances of hubs. Missing when no hub can be on a chain of the family. */
  readonly hubs?: (endpoints: ReadonlyMap<ChainSlug, ObservedEndpoints>) => Layer.Layer<HubBalances>
}

/** The ports for transfers on chains of the family. Ports that it lacks come from `UnsupportedPorts.ts`. */
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

/** Stores for a family whose transfers name no order (EXCHANGEA-4): mappings, and what its own addresses are for. */
export type FamilyStores = DepositAddresses | DepositKeys | NonceMappings | Transfers

/** Signers of the transfer service that belong to no family. A family gets these signers, and no key. */
export interface ServiceSigners {
  /** Signs the orders of the protocol. Also pays, where accounts use this curve. */
  readonly solver: Secp256k1Signer
  /**
   * Further accounts that pay, where accounts use this curve and their transactions are executed one after another: a
   * payment that is stuck holds up only those of its own account. None when undefined.
   */
  readonly further?: ReadonlyArray<Secp256k1Signer>
  /** Accounts that paid before. They sign replacements of what they have signed, and nothing new. */
  readonly retired?: ReadonlyArray<Secp256k1Signer>
  /** Sweeps deposit addresses and submits permits. Never the solver. */
  readonly operator: Secp256k1Signer | undefined
  /** The keys of deposit addresses, where addresses are keys. Only workers have it (ADDRESS-3). */
  readonly deposits: DepositTrees | undefined
}

/** How transfers are made on chains of the family. */
export interface Transferring {
  /** The family's own keys that this process holds, as hex. No other secret of the service may equal one of them. */
  readonly keys: ReadonlyArray<Redacted.Redacted>
  /** The account that pays on these chains, where it is of a key of the family's own. */
  readonly solver?: Address | undefined
  /** `endpoints`: those of the family's chains, and of hubs on chains of the family. */
  readonly ports: (served: {
    readonly endpoints: ListedEndpoints
    readonly signers: ServiceSigners
  }) => Layer.Layer<TransferPorts, never, FamilyStores>
}

/** What an oracle can see on chains of most families. */
export type Aspect = "calls" | "reorg"

/** A VM family as a host takes it. `transfer` is absent for a family that is only attested. */
export interface ChainFamily {
  /** The pure half. */
  readonly rules: FamilyRules
  /** The family's chains in the plural, for readers: "EVM chains", "Solana". */
  readonly title: string
  readonly entries: EntryRules
  /** The aspects that its chains lack, and why. docs/families.md shows it. */
  readonly lacks?: Readonly<Partial<Record<Aspect, string>>>
  readonly observe: Settings<Observing>
  /** Missing when the family has no transfers. */
  readonly transfer?: Settings<Transferring>
}
