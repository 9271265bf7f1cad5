/**
 * What settles a transfer: the oracle attests its deposit and its fill, anybody submits what it signed to the hub, and the
 * deposit is the solver's there. Through HTTP and the hub's node alone.
 */
import { Effect } from "effect"
import type { Address, Hex } from "viem"
import { concat, encodeFunctionData, keccak256, parseAbi, slice, stringToHex } from "viem"
import { LocalnetError } from "../LocalnetError.ts"
import type { Screen } from "../Screen.ts"
import { attest, DepositsAnswer, FillAnswer } from "./OracleApi.ts"
import type { Execution, OracleAccess } from "./OracleApi.ts"
import type { ChainAccess } from "./Wallet.ts"
import { call, hubBalance, mined } from "./Wallet.ts"

export interface HubAccess extends ChainAccess {
  readonly hubAddress: Address
  readonly oracleAddress: Address
}

/** What a transfer left behind that settling it needs. */
export interface Settled {
  readonly from: string
  readonly order: { readonly solverChainId: string; readonly solver: Hex }
  readonly orderSignature: string
  readonly deposit: string
  readonly fill: string
}

const gateAbi = parseAbi([
  "struct Execution { bytes32 idempotencyKey; bytes[] actions; }",
  "function execute(Execution execution, bytes[] signatures)"
])

/** Has the gate carry out what was signed; anybody may. The hub's block that did it. Errors: it was refused. */
export const submit = Effect.fnUntraced(function*(hub: HubAccess, key: Hex, { actions, idempotencyKey, signatures }: Execution) {
  const data = encodeFunctionData({
    abi: gateAbi,
    functionName: "execute",
    args: [{ idempotencyKey, actions: [...actions] }, signatures.map(({ signature }) => signature)]
  })
  const { block, succeeded } = yield* mined(hub, yield* call(hub, key, hub.oracleAddress, data))
  if (!succeeded) return yield* new LocalnetError({ message: "the hub refused what the oracle signed" })
  return block
})

/** The solver's account on the hub: the last 20 bytes of keccak256(chain ‖ address). */
const aliasOf = ({ solver, solverChainId }: Settled["order"]): Address => slice(keccak256(concat([stringToHex(solverChainId), solver])), 12)

/** Shows the attestations, what they did on the hub, and fails unless the solver has there what was deposited. */
export const settle = Effect.fn("Settlement.settle")(function*(hub: HubAccess, oracle: OracleAccess, key: Hex, transfer: Settled, screen: Screen) {
  const { deposit, fill, from, order, orderSignature } = transfer
  const attested = yield* attest(oracle, "depository-deposits", { chainId: from, transactionId: deposit }, DepositsAnswer)
  const [message] = attested.messages
  const token = attested.execution?.metadata?.[0]?.hubTokenId
  if (attested.execution === undefined || message === undefined || token === undefined) {
    return yield* new LocalnetError({ message: "the oracle saw no deposit" })
  }
  const held = hubBalance(hub, hub.hubAddress, aliasOf(order), BigInt(token))
  const before = yield* held
  yield* submit(hub, key, attested.execution)
  const filled = yield* attest(oracle, "solver-fills", {
    order,
    orderSignature,
    inputs: [{ transactionId: deposit, onchainId: message.result.onchainId, inputIndex: 0 }],
    fill: { transactionId: fill }
  }, FillAnswer)
  yield* submit(hub, key, filled.execution)
  const grown = (yield* held) - before
  yield* screen.line(`  attested deposit and fill, by oracle ${filled.execution.signatures[0]?.oracleSigner ?? ""}; submitted to the hub`)
  yield* screen.line(`  settled ${grown} smallest units of the deposit are the solver's on the hub`)
  if (grown !== BigInt(message.result.amount)) {
    return yield* new LocalnetError({ message: `deposited were ${message.result.amount}, but the solver has ${grown} more on the hub` })
  }
  return grown
})
