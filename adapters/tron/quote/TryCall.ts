/** Tries calls on one Tron node, on the state of the newest block, without sending them (`triggerconstantcontract`). */
import { Effect, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { TronCallData } from "../../../src/domain/families/tron/TronTransactionData.ts"
import type { EvmLog } from "../../../src/domain/families/ethereum/evidence/EvmTransaction.ts"
import { RawAccount, RawTrial } from "../decode/AccountAnswers.ts"
import { logsIn, wordsOf } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadPlace.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"

const decodeAccount = Schema.decodeUnknownEffect(RawAccount)
const decodeTrial = Schema.decodeUnknownEffect(RawTrial)

/** How a call went that was only tried. */
type Trial =
  | {
    readonly _tag: "Succeeded"
    readonly energy: bigint
    readonly answer: string
    readonly logs: ReadonlyArray<EvmLog>
  }
  | { readonly _tag: "Reverted" }
  /** The node says nothing about the call: its owner has not enough TRX for it, or does not exist. */
  | { readonly _tag: "NotTried" }

export const tryCall = Effect.fnUntraced(
  function*(
    { wallet }: TronNode,
    parameter: TronCallData["parameter"],
    deadline: number
  ): Effect.fn.Return<Trial, TronFault> {
    const told = yield* wallet("triggerconstantcontract", { ...parameter, visible: false }, deadline)
    const { constant_result = [], energy_used = 0, logs, result } = yield* undecodable(decodeTrial(told))
    if (result.code !== undefined && result.code !== "SUCCESS") return { _tag: "NotTried" }
    // A node that is too busy says nothing about the call.
    if (/time ?out/i.test(wordsOf(result.message))) return yield* Effect.fail("refused" as const)
    return result.message === undefined && result.result === true
      ? { _tag: "Succeeded", energy: BigInt(energy_used), answer: constant_result[0] ?? "", logs: logsIn(logs) }
      : { _tag: "Reverted" }
  }
)

/**
 * The number that a token's view returns. `digits`: selector and arguments. The owner of a call must exist, so it is the
 * token itself.
 */
export const readNumber = Effect.fnUntraced(
  function*(node: TronNode, token: string, digits: string, deadline: number): Effect.fn.Return<bigint, TronFault> {
    const trial = yield* tryCall(
      node,
      { owner_address: token, contract_address: token, data: digits, call_value: 0 },
      deadline
    )
    return trial._tag === "Succeeded" && /^[0-9a-fA-F]{64}$/.test(trial.answer)
      ? BigInt(`0x${trial.answer}`)
      : yield* Effect.fail("undecodable" as const)
  }
)

export interface Account {
  /** Sun. */
  readonly balance: bigint
  readonly exists: boolean
  readonly isContract: boolean
}

/** An account at the newest block. */
export const readAccount = Effect.fnUntraced(
  function*({ wallet }: TronNode, address: Address, deadline: number): Effect.fn.Return<Account, TronFault> {
    const told = yield* wallet("getaccount", { address, visible: true }, deadline)
    const { address: named, balance = 0, type } = yield* undecodable(decodeAccount(told))
    return { balance: BigInt(balance), exists: named !== undefined, isContract: type === "Contract" }
  }
)
