/** Has the hub's gate execute what oracles signed. Anyone may submit it, once. */
import { Effect } from "effect"
import type { Hex } from "viem"
import { encodeFunctionData, parseAbi } from "viem"
import type { Execution } from "../demo/OracleApi.ts"
import type { HubAccess } from "../demo/Settlement.ts"
import { call, mined } from "../demo/Wallet.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"

const gateAbi = parseAbi([
  "struct Execution { bytes32 idempotencyKey; bytes[] actions; }",
  "function execute(Execution execution, bytes[] signatures)"
])

/** The hub's block that executed it. Errors: it was refused. */
export const submit = Effect.fnUntraced(
  function*(hub: HubAccess, key: Hex, { actions, idempotencyKey, signatures }: Execution) {
    const data = encodeFunctionData({
      abi: gateAbi,
      functionName: "execute",
      args: [{ idempotencyKey, actions: [...actions] }, signatures.map(({ signature }) => signature)]
    })
    const { block, succeeded } = yield* mined(hub, yield* call(hub, key, hub.oracleAddress, data))
    if (!succeeded) return yield* new LocalnetError({ message: "the hub refused what the oracle signed" })
    return block
  }
)
