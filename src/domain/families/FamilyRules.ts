/**
 * One VM family as a value: how it spells addresses, transaction ids and accounts, and what its chains can do.
 *
 * A configured chain carries this value (`Chain.family`), so the core asks the value and never compares names. Names
 * are for rows, logs and answers. A family's own rules are in its folder; `families/index.ts` lists the six.
 */
import type * as Schema from "effect/Schema"
import type { Address } from "../chain/Address.ts"
import type { ConfiguredChain } from "../chain/ConfiguredChain.ts"
import type { TransactionIdRules } from "../chain/TransactionId.ts"
import type { FamilyName } from "../chain/VmFamily.ts"
import type { Expectation, Purpose } from "../configuration/Expectation.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import type { Currency } from "../money/Currency.ts"
import type { WithdrawalRules } from "../hub/withdrawal/WithdrawalRules.ts"
import type { StepVerifierOn } from "../quote/verify/StepVerifierOn.ts"
import type { RouterAccounts } from "../order/ExtraData.ts"
import type { AddressCodec } from "./AddressCodec.ts"
import type { PaymentRequest } from "./PaymentRequest.ts"
import type { ChainNetwork } from "../chain/ChainNetwork.ts"

/** What only some families can do. Elsewhere a request for it is refused, and the refusal names it. */
export type Ability =
  /** Calls of the request run in the fill's transaction (`txs`). */
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
  /** A transaction can limit its compute units (`includeComputeUnitLimit`). */
  | "compute-limits"
  /** Options for the routes of the family's own aggregator (`maxRouteLength`, `useSharedAccounts`). */
  | "route-options"
  /** A deposit can swap in the same transaction. */
  | "swaps-before-deposits"
  /** A fill can swap in the same transaction. */
  | "swaps-in-fills"
  /** A payment that a user makes itself can name an order (`send`). */
  | "sends"
  /** A user's swap can pay out native currency to another recipient. */
  | "native-swaps-for-others"

/** Why a user cannot deposit on the chain, with the field of the request that says so. */
export interface DepositorRefusal {
  readonly field: "user" | "additionalData.userPublicKey"
  /** For people. */
  readonly why: string
}

/** The pure half of a VM family. A chain carries it, and the core asks it. */
export interface FamilyRules {
  /** Its name in rows, configurations and answers. */
  readonly name: FamilyName
  /** Its name in the transfer API (`vmType` of GET /chains). */
  readonly apiName: string
  /** The codec of addresses and currencies. Only Bitcoin's depends on the network. */
  readonly addresses: (network: ChainNetwork) => AddressCodec
  readonly transactionIds: TransactionIdRules
  /** How an order's `extraData` contains a router (ORDER-4). Absent when the family has no routers. */
  readonly routers?: RouterAccounts
  /** The path between the explorer's base URL and a transaction id. */
  readonly explorerPath: string
  /** True where chains have a number (EIP-155 or Tron's). Nodes report it, and hub contracts use it (PROTO-11). */
  readonly isNumbered: boolean
  /** True where addresses depend on `Chain.network`. */
  readonly hasNetworks: boolean
  /**
   * The coin type that wallets have registered for derived keys (SLIP-44). Absent when deposit addresses are not keys.
   */
  readonly coinType?: number
  /** Why the family can have no deposit addresses, for people. Absent where a chain's configuration decides. */
  readonly noDepositAddresses?: string
  /** True where accounts are also accounts of the hub, so an owner can sign for a withdrawal (ORACLE-9). */
  readonly ownsOnHub: boolean
  /**
   * True where accounts list only their newest transactions. Then a transaction that executed a withdrawal is
   * sufficient proof of it (EVIDENCE-4).
   */
  readonly provesByTransaction: boolean
  /** The account in which a depository keeps deposits, if it is not the depository itself. */
  readonly custodyOf: (depository: Address) => Address | undefined
  /**
   * Why no deposit can be made from this account, with the request's field that is wrong. `publicKey` is what the
   * request gives for it (`additionalData.userPublicKey`). Absent where every account can deposit.
   */
  readonly refuseDepositor?: (
    user: Address,
    publicKey: Uint8Array | undefined,
    network: ChainNetwork
  ) => DepositorRefusal | undefined
  /** Withdrawals from depositories of the family. Absent when none are attested. */
  readonly withdrawals?: WithdrawalRules
  /** Facts of the chain's configuration entry that the chain must confirm. */
  readonly expectations: (chain: ConfiguredChain, purpose: Purpose) => ReadonlyArray<Expectation>
  /**
   * The form of a request's hint of where to look for transactions (EVIDENCE-5). Absent where none is read: its contents
   * are ignored.
   */
  readonly hint?: Schema.Codec<Schema.Json, Schema.Json>
  readonly abilities: ReadonlyArray<Ability>
  /**
   * False where nobody can list what users pay each other, so that the client names the transaction of its send
   * (STATUS-7). Absent where sends are scanned for.
   */
  readonly scansSends?: false
  /** True where a payment of native currency runs its recipient's code, if there is any. Absent where none does. */
  readonly callsRecipients?: true
  /** True where a deposit address pays for its own sweeps, by what it is sent for each. Absent elsewhere. */
  readonly addressesPayForSweeps?: true
  /**
   * False for an order that no transaction of the family could name: the id reads as something else there. Absent where
   * every id can be named.
   */
  readonly canName?: (id: Hex32) => boolean
  /**
   * The smallest amount of a currency that a payment can move: every payment is a multiple of it. Absent where that is
   * the smallest unit.
   */
  readonly payableUnit?: (currency: Pick<Currency, "address" | "decimals">) => bigint
  /** Checks the steps of a quote before a wallet signs them (`verifyQuote`). Absent: the steps stay unverified. */
  readonly stepVerifier?: StepVerifierOn<ConfiguredChain & { readonly family: FamilyRules }>
  /** What wallets read from a QR code as this payment. Absent where they read a plain address only. */
  readonly paymentUri?: (payment: PaymentRequest) => string
}

/** True when chains of the family can do this. */
export const can = ({ abilities }: Pick<FamilyRules, "abilities">, ability: Ability): boolean =>
  abilities.includes(ability)
