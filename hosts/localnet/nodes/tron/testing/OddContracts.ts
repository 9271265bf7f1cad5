/** Contracts of tests, as a wallet deploys them on a local Tron chain: tokens with oddities, and recipients of TRX. */
import { encodeAbiParameters, encodeFunctionData, parseAbi } from "viem"
import { bytecode as oddCode } from "../../../../../adapters/ethereum/contracts/artifacts/OddToken.ts"
import { bytecode as refuserCode } from "../../../../../adapters/ethereum/contracts/artifacts/Refuser.ts"
import type { EvmAddress } from "../node/Account.ts"

type Hex = `0x${string}`

export interface OddContract {
  readonly name: string
  readonly code: Hex
  /** The encoded arguments of its constructor, without 0x. */
  readonly arguments: string
}

/** It keeps a hundredth of each transfer. */
export const greedyToken: OddContract = {
  name: "ODD",
  code: oddCode,
  arguments: encodeAbiParameters([{ type: "uint256" }], [100n]).slice(2)
}

/** It takes no TRX. */
export const refuser: OddContract = { name: "Refuser", code: refuserCode, arguments: "" }

/** It takes every call and all TRX: its code is STOP. */
export const taker: OddContract = { name: "Taker", code: "0x600060005360016000f3", arguments: "" }

/** `unless`: where to stop for the id, which lies on the stack. */
const writing = (unless: string, slots: number): Hex =>
  `0x6028600c60003960286000f33460231c602657600035${unless}60${
    slots.toString(16).padStart(2, "0")
  }5b801560265781810160019055600190036012565b00`

/**
 * It takes all TRX, and writes so many new slots of storage for each payment, at most 255, of some 22,000 energy each.
 * It writes none when it is only priced: for an id of ones, and for more than 34,359 TRX.
 */
export const burner = (slots: number): OddContract => ({
  name: "Burner",
  // if (value >> 35 || ~id == 0) stop; for (k = slots; k > 0; k -= 1) storage[id + k] = 1
  code: writing("801915602657", slots),
  arguments: ""
})

/** The same, but writes as much for the id of ones. */
export const writer = (slots: number): OddContract => ({
  name: "Writer",
  // if (value >> 35) stop; for (k = slots; k > 0; k -= 1) storage[id + k] = 1
  code: writing("5b5b5b5b5b5b", slots),
  arguments: ""
})

const mintAbi = parseAbi(["function mint(address to, uint256 amount)"])

/** The call of a token that gives somebody units of it. */
export const minting = (to: EvmAddress, amount: bigint): Hex =>
  encodeFunctionData({ abi: mintAbi, functionName: "mint", args: [to, amount] })
