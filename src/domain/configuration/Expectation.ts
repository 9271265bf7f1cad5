/**
 * What an entry of the configuration says about a chain, as a question that the chain answers with one text.
 *
 * Pure data: `expectationsOf` makes them of a chain, an adapter a family answers them (`ports/chain/ChainFacts.ts`),
 * `compare` judges the answers. Both sides are texts in one spelling, so that right is equal, and a difference can be
 * shown as it is.
 */
import type { Address, CurrencyAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { Currency } from "../money/Currency.ts"

/** What is asked of a contract of ours: no argument, one address, or 32 zero bytes. */
export interface ContractCall {
  readonly signature: string
  readonly argument?: string
  readonly returns: "address" | "bool"
}

/** `of`: an account, contract, program, token or mint, as its family spells it. */
export type Ask =
  /** Which chain the endpoints answer for: its number, or the hash of its first block. */
  | { readonly _tag: "Network" }
  | { readonly _tag: "Code"; readonly of: string }
  | { readonly _tag: "Call"; readonly of: string; readonly call: ContractCall }
  | { readonly _tag: "Decimals"; readonly of: string }
  | { readonly _tag: "Symbol"; readonly of: string }
  /** The program that owns a mint. */
  | { readonly _tag: "Owner"; readonly of: string }

/** What is out of service when the answer differs. */
export type Covered =
  | { readonly _tag: "Chain"; readonly chainId: ChainId }
  | { readonly _tag: "Currency"; readonly chainId: ChainId; readonly currency: CurrencyAddress }

export interface Expectation {
  /** The place in the chain's entry, as an operator finds it: `swaps.depositor`, `currencies.USDC.decimals`. */
  readonly entry: string
  readonly ask: Ask
  /** The answer of a chain that is as it is configured. */
  readonly configured: string
  /** Answers that are right, too. */
  readonly accepts?: ReadonlyArray<string>
  readonly covers: Covered
  /** A difference in what is only shown to people is told and stops nothing. */
  readonly weight: "refuses" | "warns"
}

/** The accounts of this service, where the process knows them: contracts take their transactions alone. */
export interface Accounts {
  readonly solver?: Address | undefined
  readonly operator?: Address | undefined
}

/** A price feed on a chain, and a currency, of this chain or another, that it prices. */
export interface PricingFeed {
  readonly chainId: ChainId
  readonly feed: Address
  readonly currency: Currency
}

/** What a service does on its chains, and what it needs them to be for that. */
export type Purpose =
  | { readonly _tag: "Attest" }
  | { readonly _tag: "Trade"; readonly accounts: Accounts; readonly feeds: ReadonlyArray<PricingFeed> }

/** Answers that are no value of the asked kind. A contract without the function may be another version of it. */
export const CODE = "code"
export const NO_CODE = "no code"
export const DELEGATED = "an account that delegates to code"
export const PROGRAM = "a program"
/** What is found where nodes answer, and say nothing of what was asked. */
export const NO_ANSWER = "no answer"
/** What is found at an address that is no token's. */
export const NO_TOKEN = "no token"
