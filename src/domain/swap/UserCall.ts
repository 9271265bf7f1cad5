/**
 * What a user is asked to send for its own swap: on EVM one router call, on Solana the instructions around one call of
 * a swap program. A source's answer is checked before it becomes one of these.
 */
import * as Schema from "effect/Schema"
import { Address } from "../chain/Address.ts"
import { Hex } from "../encoding/Hex.ts"
import type { Currency } from "../money/Currency.ts"
import type { RouterCall } from "../order/RouterCall.ts"
import type { ExactSide } from "./SwapQuote.ts"

/** An account of an instruction, and what the instruction may do with it. */
export interface InstructionAccount {
  readonly address: Address
  readonly signs: boolean
  readonly writes: boolean
}

/** An instruction as its user signs it. */
export interface UserInstruction {
  readonly program: Address
  readonly accounts: ReadonlyArray<InstructionAccount>
  readonly data: Hex
}

/** A route of a Solana swap source, with its expected result. */
export interface InstructionRoute {
  readonly _tag: "Instructions"
  /** In the order in which they run; the swap is among them. */
  readonly instructions: ReadonlyArray<UserInstruction>
  readonly swap: UserInstruction
  readonly lookupTables: ReadonlyArray<Address>
  /** Every token on the route, with the token program that holds it. */
  readonly passes: ReadonlyArray<{ readonly mint: string; readonly program: string }>
  readonly from: Currency
  readonly to: Currency
  readonly recipient: Address
  readonly exact: ExactSide
  /** The most that goes in, and the least that comes out. */
  readonly most: bigint
  readonly least: bigint
}

/** One router call, or a route of instructions, by the origin's family. */
export type UserSwapCall = (RouterCall & { readonly _tag?: undefined }) | InstructionRoute

/** The stored part of the call, by which the transaction that executes it is recognized. */
export const KeptSwapCall = Schema.Union([
  Schema.Struct({ to: Address, data: Hex, value: Schema.BigIntFromString }),
  Schema.Struct({ program: Address, accounts: Schema.Array(Address), data: Hex })
])
export type KeptSwapCall = typeof KeptSwapCall.Type

/** What is stored of the call, so that the user's transaction can be recognized by it. */
export const keptCall = (call: UserSwapCall): KeptSwapCall =>
  call._tag === undefined
    ? { to: call.to, data: call.data, value: call.value }
    : { program: call.swap.program, accounts: call.swap.accounts.map(({ address }) => address), data: call.swap.data }
