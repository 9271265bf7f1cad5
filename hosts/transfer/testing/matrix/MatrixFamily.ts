/**
 * A VM family as the matrix of pairs needs it: how its network starts, who pays there, and what an account holds. One
 * value a family; a family is in the matrix when Families.ts lists its value.
 */
import type { Effect, Scope, Semaphore } from "effect"
import type { ChainFamily } from "../../../../adapters/family/ChainFamily.ts"
import type { FamilyName } from "../../../../src/domain/chain/VmFamily.ts"
import type { ChainRef } from "../../../../src/domain/hub/ChainRef.ts"
import type { ChainWallet } from "../../../localnet/commands/demo/Wallets.ts"
import type { Network } from "../TransferNetwork.ts"

/** A currency of a chain, and an amount worth some tens of dollars, in smallest units. */
export interface MatrixCurrency {
  readonly symbol: string
  readonly address: string
  readonly some: bigint
}

export interface MatrixUser {
  readonly address: string
  /** As the family's wallet takes it. */
  readonly privateKey: string
  /** Payments of one account that must follow each other, because of its nonces or approvals. */
  readonly alone: Semaphore.Semaphore
}

/** A running chain of a family. */
export interface MatrixChain {
  readonly slug: string
  readonly chainId: number
  /** As the hub knows it. */
  readonly ref: ChainRef
  /** A public client: no code of the service. */
  readonly wallet: ChainWallet
  /** An account with several times `some` of the currency, and what its fees take. */
  readonly user: (currency: MatrixCurrency) => Effect.Effect<MatrixUser>
}

/** What a family adds to the network: its chains, the first of which has the pairs, and the hosts' variables. */
export interface MatrixNetwork {
  readonly environment: Readonly<Record<string, string>>
  readonly chains: readonly [MatrixChain, ...ReadonlyArray<MatrixChain>]
  /** The environments' files, when the chains are not in ours. At most one family of a matrix may have its own. */
  readonly configs?: URL
}

export interface MatrixFamily {
  readonly name: FamilyName
  /** When it is none of the hosts' own: the value that they are given. */
  readonly served?: ChainFamily
  readonly native: MatrixCurrency
  /** Left out where the chain has none. */
  readonly token?: MatrixCurrency
  /** Bought in a user's own swap. Left out where the family has no swaps. */
  readonly swapped?: MatrixCurrency
  /** Whether the network has two chains of it. */
  readonly hasSecondChain: boolean
  /** Whether a user can pay plainly to an address of its request. */
  readonly hasAddresses: boolean
  /** Starts the family's chains beside the EVM ones. Blocks come until the scope ends. */
  readonly start: (evm: Network) => Effect.Effect<MatrixNetwork, never, Scope.Scope>
}
