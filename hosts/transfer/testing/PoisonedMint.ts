/**
 * An attacker's contract. It forwards its call to the depository, as a deposit, or to a factory of deposit addresses,
 * as a sweep. Then it claims, as a token, twice that the maximum number of units was sent to the depository. On the hub
 * both are minted to one account, together with the deposit or not at all. Their sum is more than a balance can hold.
 */
import { Effect } from "effect"
import { toEventSelector } from "viem"
import type { Hex } from "viem"
import { addressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { sendCall } from "./Client.ts"
import type { QuoteAnswer } from "./Client.ts"

/** The address of the contract, which is also the token. */
export const POISON = "0x00000000000000000000000000000000000bad70"

const bare = (address: Hex): string => address.slice(2).toLowerCase()

const depository = addressOf("Depository")

// Transfer(caller, depository, 2^256-1): LOG3 of the word at 0.
const lie = `73${bare(depository)}337f${toEventSelector("Transfer(address,address,uint256)").slice(2)}60205fa3`

// Forwards calldata and value. Then the word at 0 is 2^256-1.
const codeFor = (target: Hex): Hex => `0x365f5f375f5f365f3473${bare(target)}5af1505f195f52${lie}${lie}00`

/** Puts it on a chain, for calls of `target`. */
export const putPoison = (anvil: Anvil, target: Hex) => anvil.setCode(POISON, codeFor(target))

/** The deposit of the quote, of `value` wei, in a transaction whose mint the hub refuses. */
export const sendPoisoned = Effect.fnUntraced(function*(anvil: Anvil, key: Hex, quoted: QuoteAnswer, value?: bigint) {
  yield* putPoison(anvil, depository)
  const data = quoted.steps[0]?.items[0]?.data
  return yield* sendCall(anvil, key, {
    to: POISON,
    data: data?.data ?? "0x",
    value: value ?? BigInt(data?.value ?? "0")
  })
})
