/**
 * Withdrawals of an EVM chain: whether the depository has used a call request, at a final block under the quorum of the
 * chain's endpoints (EVM-6, QUORUM-1). Which status follows is the judge's business.
 */
import { Effect, Layer } from "effect"
import { encodeFunctionData } from "viem"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { WithdrawalEvidence } from "../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { abi } from "../contracts/artifacts/Depository.ts"
import { EthereumQuorums } from "./Observer.ts"
import { DEADLINE_MS, jsonRpc, openEndpoints } from "../../quorum/Endpoints.ts"
import { callableHosts, callAtFinal } from "./CallAtFinal.ts"
import type { AtFinal, FinalCall } from "./CallAtFinal.ts"
import { viemHex } from "../rpc/ViemHex.ts"

const usedOf = (word: bigint): boolean | undefined => word === 0n ? false : word === 1n ? true : undefined

const isUsed = (chain: Chain, id: string): FinalCall<boolean> => ({
  to: chain.depository,
  data: encodeFunctionData({ abi, functionName: "callRequests", args: [viemHex(id)] }),
  valueOf: usedOf
})

const stateOf = ({ block, headTime, value }: AtFinal<boolean>): WithdrawalEvidence["state"] =>
  value ? { _tag: "Executed", transactionIds: [] } : { _tag: "Unused", finalTime: block.time, headTime }

const noWithdrawal = `0x${"00".repeat(32)}`

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.gen(function*() {
    const { deadlineMs = DEADLINE_MS, of } = yield* EthereumQuorums
    const opened = yield* Effect.forEach(
      [...of],
      ([id, observed]) => Effect.map(openEndpoints(observed, jsonRpc()), (open) => [id, open] as const)
    )
    const endpoints = new Map(opened)
    return WithdrawalObserver.of({
      observe: Effect.fn("EthereumWithdrawals.observe")(function*(chain, { encoded, id }) {
        const open = endpoints.get(chain.id)
        if (open === undefined) {
          return yield* new ChainUnavailable({ chain: chain.slug, operation: "withdrawal", kind: "not-served" })
        }
        const read = yield* Effect.scoped(callAtFinal(chain, open, isUsed(chain, id), deadlineMs))
        return { chain: chain.slug, withdrawal: encoded, withdrawalId: id, state: stateOf(read) }
      }),
      readable: (chain) => {
        const open = endpoints.get(chain.id)
        return open === undefined
          ? Effect.succeed([])
          : callableHosts(chain, open, isUsed(chain, noWithdrawal), deadlineMs)
      }
    })
  })
)
