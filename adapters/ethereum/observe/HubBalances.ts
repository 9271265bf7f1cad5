/** Balances of an ERC-6909 hub at its final block, under the quorum of the hub's endpoints (QUORUM-1). */
import { Context, Effect, Layer } from "effect"
import { encodeFunctionData } from "viem"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { HubBalances } from "../../../ports/hub/HubBalances.ts"
import type { SettlementHub } from "../../../ports/hub/SettlementHubs.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { isMajority } from "../../../src/domain/quorum/EndpointQuorum.ts"
import { abi } from "../contracts/artifacts/Hub.ts"
import { DEADLINE_MS, jsonRpc, openAll } from "../../quorum/Endpoints.ts"
import type { ObservedEndpoints } from "../../quorum/Endpoints.ts"
import { callableHosts, callAtFinal } from "./CallAtFinal.ts"
import type { FinalCall } from "./CallAtFinal.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/** The endpoints of every hub, and how many of them must agree. */
export class HubQuorums extends Context.Service<HubQuorums, {
  readonly of: ReadonlyMap<ChainSlug, ObservedEndpoints>
  /** Deadline of one request to one endpoint, milliseconds. Default 4,000. */
  readonly deadlineMs?: number
}>()("causeway/adapters/ethereum/HubQuorums") {}

const balanceCall = ({ contract }: SettlementHub, account: Address, tokenId: bigint): FinalCall<bigint> => ({
  to: contract,
  data: encodeFunctionData({ abi, functionName: "balanceOf", args: [viemHex(account), tokenId] }),
  valueOf: (word) => word
})

export const layer = Layer.effect(
  HubBalances,
  Effect.gen(function*() {
    const { deadlineMs = DEADLINE_MS, of } = yield* HubQuorums
    const endpoints = yield* openAll(of, jsonRpc())
    return HubBalances.of({
      read: Effect.fn("HubBalances.read")(function*(hub, account, tokenId) {
        const open = endpoints.get(hub.slug)
        if (open === undefined) {
          return yield* new ChainUnavailable({ chain: hub.slug, operation: "balance", kind: "not-served" })
        }
        const { value } = yield* Effect.scoped(callAtFinal(hub, open, balanceCall(hub, account, tokenId), deadlineMs))
        return { account, tokenId, balance: value }
      }),
      health: Effect.fnUntraced(function*(hub) {
        const open = endpoints.get(hub.slug)
        if (open === undefined) return { needed: 0, hosts: [], answering: [], weak: true }
        const answering = yield* callableHosts(hub, open, balanceCall(hub, hub.contract, 0n), deadlineMs)
        const { hosts, needed } = open.quorum
        return { needed, hosts, answering, weak: hosts.length < 2 || !isMajority(open.quorum) }
      })
    })
  })
)
