/**
 * What one VM family is, as a value: how its addresses, transaction ids and accounts are written, and what its chains
 * can do.
 *
 * A configured chain carries this value (`Chain.family`), so the core asks the value and never compares names. The
 * names are for rows, logs and answers. A family's own rules live in its folder; `families/index.ts` lists the six.
 */
import type { Address } from "../chain/Address.ts"
import type { ConfiguredChain } from "../chain/ConfiguredChain.ts"
import type { TransactionIdRules } from "../chain/TransactionId.ts"
import type { FamilyName } from "../chain/VmFamily.ts"
import type { Expectation, Purpose } from "../configuration/Expectation.ts"
import type { WithdrawalRules } from "../hub/withdrawal/WithdrawalRules.ts"
import type { RouterAccounts } from "../order/ExtraData.ts"
import type { AddressCodec } from "./AddressCodec.ts"
import type { ChainNetwork } from "../chain/ChainNetwork.ts"

/** What only some families can do. A request that asks for one of these elsewhere is refused by name. */
export type Ability =
  /** Calls of the request run in the fill (`txs`). */
  | "calls"
  /** Deposits by signature (`usePermit`). */
  | "permits"
  /** EIP-7702 authorizations in the fill's transaction. */
  | "authorizations"
  /** The fill also sends gas currency (`topupGas`). */
  | "gas-topups"
  /** A plain token transfer can name its order (`explicitDeposit: false`). */
  | "named-transfers"
  /** Another account can pay a deposit's fees (`depositFeePayer`). */
  | "fee-payers"
  /** A transaction says how much it may compute (`includeComputeUnitLimit`). */
  | "compute-limits"
  /** Routes of the family's own aggregator (`maxRouteLength`, `useSharedAccounts`). */
  | "route-options"
  /** A deposit or a fill can swap in the same transaction. */
  | "swaps-around-orders"
  /** A user's swap can pay out native currency to another recipient. */
  | "native-swaps-for-others"

export interface FamilyRules {
  /** As rows, configurations and answers name it. */
  readonly name: FamilyName
  /** As clients of the transfer API know it (`vmType` of GET /chains). */
  readonly apiName: string
  /** Addresses and currencies. Only Bitcoin's depend on the network. */
  readonly addresses: (network: ChainNetwork) => AddressCodec
  readonly transactionIds: TransactionIdRules
  /** How a router is written in an order's `extraData` (ORDER-4); not there where a family has no routers. */
  readonly routers?: RouterAccounts
  /** Between the explorer's base and a transaction id. */
  readonly explorerPath: string
  /**
   * True where a chain has a number of its own (EIP-155 or Tron's): nodes tell it, and hub contracts use it (PROTO-11).
   */
  readonly isNumbered: boolean
  /** True where addresses depend on `Chain.network`. */
  readonly hasNetworks: boolean
  /**
   * The number that wallets have registered for the family's derived keys (SLIP-44); not there where deposit addresses
   * are no keys.
   */
  readonly coinType?: number
  /** True where accounts are accounts of the hub, so that an owner can sign for a withdrawal (ORACLE-9). */
  readonly ownsOnHub: boolean
  /**
   * True where accounts list only their newest transactions. There, a transaction that executed a withdrawal is
   * sufficient proof of it (EVIDENCE-4).
   */
  readonly provesByTransaction: boolean
  /** The account in which a depository keeps deposits, if it is not the depository itself. */
  readonly custodyOf: (depository: Address) => Address | undefined
  /** True for an account whose address hides the public key that a deposit needs. */
  readonly hidesPublicKey: (user: Uint8Array) => boolean
  /** Withdrawals from depositories on its chains; not there where none is attested. */
  readonly withdrawals?: WithdrawalRules
  /** Statements of the chain's entry that the chain must confirm. */
  readonly expectations: (chain: ConfiguredChain, purpose: Purpose) => ReadonlyArray<Expectation>
  readonly abilities: ReadonlyArray<Ability>
}

/** True when chains of the family can do this. */
export const can = ({ abilities }: Pick<FamilyRules, "abilities">, ability: Ability): boolean =>
  abilities.includes(ability)
