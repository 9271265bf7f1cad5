/**
 * Evidence of a Bitcoin chain under the quorum of its nodes (QUORUM-1). The nodes must index transactions
 * (`txindex=1`).
 */
import { Context, Effect, Layer } from "effect"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { DEADLINE_MS } from "../../quorum/Endpoints.ts"
import { makeObserver } from "../../quorum/Observing.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import type { FamilyQuorums } from "../../quorum/Observing.ts"
import { openExplorer } from "./explorer/Explorer.ts"
import type { ExplorerSettings } from "./explorer/Explorer.ts"
import { isOnChain } from "./ReadPlace.ts"
import { readTransaction } from "./ReadTransaction.ts"
import { identityCall, openCore } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"

/** The nodes of every observed Bitcoin chain, and the one explorer that finds withdrawals. */
export class BitcoinQuorums extends Context.Service<
  BitcoinQuorums,
  FamilyQuorums & {
    readonly explorer?: ExplorerSettings | undefined
  }
>()("causeway/adapters/bitcoin/BitcoinQuorums") {}

const reader: FamilyReader<CoreRpc> = {
  read: readTransaction,
  isOn: (rpc, chain, deadline) =>
    Effect.map(rpc.answers([identityCall(chain)], deadline), ([answer]) => isOnChain(chain, answer)),
  open: openCore
}

export const layer = Layer.effect(
  ChainObserver,
  Effect.gen(function*() {
    const quorums = yield* BitcoinQuorums
    const observer = yield* makeObserver(reader, quorums)
    const explorer = quorums.explorer === undefined ? undefined : yield* openExplorer(quorums.explorer)
    if (explorer === undefined) return observer
    const deadline = quorums.deadlineMs ?? DEADLINE_MS
    return ChainObserver.of({
      observe: observer.observe,
      health: (chain) =>
        Effect.map(
          Effect.all([observer.health(chain), explorer.answers(deadline)], { concurrency: 2 }),
          ([health, answering]) => ({ ...health, companions: [{ name: "explorer" as const, answering }] })
        )
    })
  })
)
