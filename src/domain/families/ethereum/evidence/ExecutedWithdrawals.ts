/**
 * The withdrawals that a transaction executed by calling the depository directly (EVM-6). Pure, total.
 *
 * The contract has no event for this. As a request can be used only once, a successful transaction that calls `execute`
 * with a request is the one that used it. A call through another contract is not recognised: the claimant of a
 * withdrawal may omit its transaction.
 */
import * as Result from "effect/Result"
import { abiBytes, abiTuple, decodeAbi } from "../../../encoding/Abi.ts"
import type { Address } from "../../../chain/Address.ts"
import { type Hex32, hexFromBytes, hexToBytes } from "../../../encoding/Hex.ts"
import { keccakText } from "../../../encoding/StructHash.ts"
import { callRequestHash, callRequestShape } from "../CallRequest.ts"
import type { EvmCall } from "./EvmTransaction.ts"

const selector = hexFromBytes(
  keccakText("execute(((address,bytes,uint256,bool)[],uint256,uint256),bytes)").subarray(0, 4)
)
const argumentsShape = abiTuple({ request: callRequestShape, signature: abiBytes })

/** Their ids. Call it only for a transaction that succeeded. */
export const withdrawalsOf = ({ input, to }: EvmCall, depository: Address): ReadonlyArray<Hex32> => {
  if (to !== depository || !input.startsWith(selector)) return []
  const decoded = decodeAbi(argumentsShape, hexFromBytes(hexToBytes(input).subarray(4)))
  const id = Result.flatMap(decoded, ({ request }) => callRequestHash(request))
  return Result.isSuccess(id) ? [id.success] : []
}
