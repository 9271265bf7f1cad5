/**
 * What a configuration entry says about a chain, as a question that the chain answers with one text.
 *
 * Pure data: `expectationsOf` derives expectations from a chain, an adapter per family answers them
 * (`ports/chain/ChainFacts.ts`), and `compare` judges the answers. Both sides are texts in one spelling, so they can be
 * compared for equality and shown as they are.
 */
import type { Address, CurrencyAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { Currency } from "../money/Currency.ts"

/** A call to a contract of ours. Its argument is nothing, one address, or 32 zero bytes. */
export interface ContractCall {
  readonly signature: string
  readonly argument?: string
  readonly returns: "address" | "bool"
}

/** `of`: an account, contract, program, token or mint, spelled as in its family. */
export type Ask =
  /** The chain that the endpoints serve: its number, or the hash of its first block. */
  | { readonly _tag: "Network" }
  | { readonly _tag: "Code"; readonly of: string }
  | { readonly _tag: "Call"; readonly of: string; readonly call: ContractCall }
  | { readonly _tag: "Decimals"; readonly of: string }
  | { readonly _tag: "Symbol"; readonly of: string }
  /** The program that owns a mint. */
  | { readonly _tag: "Owner"; readonly of: string }
  /** How an account of an exchange keeps its balances. */
  | { readonly _tag: "AccountMode"; readonly of: string }

/** What is taken out of service when the answer differs. */
export type Covered =
  | { readonly _tag: "Chain"; readonly chainId: ChainId }
  | { readonly _tag: "Currency"; readonly chainId: ChainId; readonly currency: CurrencyAddress }

/** One statement of a configuration, the question that checks it, and what a wrong answer puts out of service. */
export interface Expectation {
  /** The path in the chain's entry, as an operator knows it: `swaps.depositor`, `currencies.USDC.decimals`. */
  readonly entry: string
  readonly ask: Ask
  /** The answer that matches the configuration. */
  readonly configured: string
  /** Other answers that are right, too. */
  readonly accepts?: ReadonlyArray<string>
  readonly covers: Covered
  /** "warns": the value is only displayed, so a difference is logged and stops nothing. */
  readonly weight: "refuses" | "warns"
}

/** The accounts of this service on the chain, as far as the process knows them. */
export interface Accounts {
  readonly solver?: Address | undefined
  readonly operator?: Address | undefined
}

/** A price feed on a chain, and the currency that it prices, of this chain or another. */
export interface PricingFeed {
  readonly chainId: ChainId
  readonly feed: Address
  readonly currency: Currency
}

/** What a service does with its chains. It decides what the chains must provide. */
export type Purpose =
  | { readonly _tag: "Attest" }
  | { readonly _tag: "Trade"; readonly accounts: Accounts; readonly feeds: ReadonlyArray<PricingFeed> }

/** Answers that are not a value of the requested kind. A contract without the function may be another version of it. */
export const CODE = "code"
/** An address without code, where a contract is expected. */
export const NO_CODE = "no code"
/** An account that delegates to a contract (EIP-7702), where a contract is expected. */
export const DELEGATED = "an account that delegates to code"
/** An executable account, where a program is expected. */
export const PROGRAM = "a program"
/** Nodes answer, but not the question. */
export const NO_ANSWER = "no answer"
/** The address is not a token. */
export const NO_TOKEN = "no token"
