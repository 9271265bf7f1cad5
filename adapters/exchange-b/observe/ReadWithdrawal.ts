/**
 * The state of a withdrawal at one endpoint of exchange B (EXCHANGEB-4). The explorer's logs of the depository's
 * account name its transfers to the recipient. The withdrawal's transfer is the one whose signed message holds the
 * withdrawal's hash.
 *
 * A withdrawal that is no longer in the logs may have been executed long ago; its transaction then proves it. So "not
 * listed" never ends a withdrawal.
 */
import { Effect, Result, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { executes } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import { decodeExchangeBWithdrawal } from "../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"
import type { SoughtWithdrawal } from "../../../ports/chain/WithdrawalObserver.ts"
import { remaining } from "../../quorum/ReadAtFinal.ts"
import type { FinalReading } from "../../quorum/ReadAtFinal.ts"
import { LogsAnswer, TRANSFER, transferIn, transfersBetween } from "../decode/NodeAnswers.ts"
import type { RawTransaction } from "../decode/NodeAnswers.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import { readRaw, readTime, undecodable } from "./ReadTransaction.ts"

const decodeLogs = Schema.decodeUnknownEffect(LogsAnswer)

/**
 * One word, so that the answers of endpoints can be compared: `expires` with the milliseconds after which a transfer in
 * flight can no longer be executed.
 */
export type Standing = "unknown" | "executed" | "over" | `expires ${number}`

/** Blocks are not distinguished: everything that the exchange shows as done is final. */
const block = { height: 0n, hash: "final", time: 0 } as const

const standingOf = (raw: RawTransaction | undefined, id: SoughtWithdrawal["id"], lighterChainId: bigint): Standing => {
  const shown = raw?.type === TRANSFER ? transferIn(raw.info) : undefined
  if (raw === undefined || shown === undefined || !executes(shown.transfer, lighterChainId, id)) return "unknown"
  if (raw.status === 2 || raw.status === 3) return "executed"
  return raw.status === 4 || raw.status === 5 ? "over" : `expires ${shown.expiredAt}`
}

/**
 * When several transfers were sent for one withdrawal, an executed one decides, then one that may still be executed.
 */
const decisive = (all: ReadonlyArray<Standing>): Standing => {
  const pending = all.filter((each) => each.startsWith("expires")).toSorted((one, other) =>
    Number(other.slice(8)) - Number(one.slice(8))
  )
  return all.find((each) => each === "executed") ?? pending[0] ?? all.find((each) => each === "over") ?? "unknown"
}

export const withdrawalReading = (
  chain: Chain,
  { encoded, id }: SoughtWithdrawal
): FinalReading<Standing, ExchangeBClient> => {
  const withdrawal = Result.getOrUndefined(decodeExchangeBWithdrawal(encoded))
  return {
    slug: chain.slug,
    heads: ({ rpc }, until) =>
      remaining(until).pipe(
        Effect.flatMap((deadline) => readTime(rpc, deadline)),
        Effect.map((time) => ({ finalHeight: 0n, head: { height: 0n, time } }))
      ),
    at: Effect.fnUntraced(function*({ rpc }, _height, until) {
      const logs = yield* undecodable(decodeLogs(yield* rpc.logs(chain.depository, yield* remaining(until))))
      if (withdrawal === undefined || `${withdrawal.fromAccountIndex}` !== chain.depository) {
        return { block, value: "unknown" }
      }
      const deadline = yield* remaining(until)
      const hashes = transfersBetween(logs, withdrawal.fromAccountIndex, withdrawal.toAccountIndex)
      const found = yield* Effect.forEach(hashes, (hash) => readRaw(rpc, hash, deadline), { concurrency: 8 })
      return { block, value: decisive(found.map((raw) => standingOf(raw, id, withdrawal.lighterChainId))) }
    })
  }
}
