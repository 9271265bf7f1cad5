/** What oracles sign, brought to the hub's gate by anybody, and what accounts then have on the hub. */
import { Effect, Schema } from "effect"
import { encodeFunctionData } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi as hubAbi } from "../../../adapters/ethereum/contracts/artifacts/Hub.ts"
import { abi as gateAbi } from "../../../adapters/ethereum/contracts/artifacts/OracleGate.ts"
import { hubAddressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { reader, sendCall } from "./Client.ts"

const HexText = Schema.TemplateLiteral(["0x", Schema.String])

/** An execution as a stranger reads it. */
export const Execution = Schema.Struct({
  idempotencyKey: HexText,
  actions: Schema.Array(HexText),
  signatures: Schema.Array(Schema.Struct({ signature: HexText }))
})
export type Execution = typeof Execution.Type

/** The call that brings it to the gate. */
export const executeCall = ({ actions, idempotencyKey, signatures }: Execution) => ({
  to: hubAddressOf("OracleGate"),
  data: encodeFunctionData({
    abi: gateAbi,
    functionName: "execute",
    args: [{ idempotencyKey, actions: [...actions] }, signatures.map(({ signature }) => signature)]
  })
})

/** The gate's answer; it reverts when it refuses. */
export const submitTo = Effect.fnUntraced(function*(hub: Anvil, key: Hex, execution: Execution) {
  const call = executeCall(execution)
  const refused = yield* Effect.promise(() =>
    reader(hub).call({ account: privateKeyToAccount(key).address, ...call }).then(() => false, () => true)
  )
  return refused ? "refused" as const : (yield* sendCall(hub, key, call)).status
})

/** What an account has of a token on the hub. */
export const heldOnHub = (hub: Anvil, account: Hex, token: bigint) =>
  Effect.promise(() =>
    reader(hub).readContract({
      abi: hubAbi,
      address: hubAddressOf("Hub"),
      functionName: "balanceOf",
      args: [account, token]
    })
  )
