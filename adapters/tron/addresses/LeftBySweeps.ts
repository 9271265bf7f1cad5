/**
 * What the sweeps of a deposit address have left of the TRX that it was sent for them (TRON-26): of each that was ever
 * signed, what solidified blocks show as sent, less what they show as its fee.
 *
 * SECURITY: the quorum must show it. What one endpoint hides would count as paid to the address, and what it invents
 * would not. What is solidified never changes, so each sweep is read until it is, and then remembered.
 *
 * Nodes may not keep blocks for ever. Where too few of them do, the TRX of the address count as paid a day after the
 * sweep has expired: they would never be swept else. A node that only does not answer changes nothing.
 */
import { Clock, Duration, Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { leftOf } from "../../../src/domain/families/tron/addresses/SweepMoney.ts"
import type { SettledSweep } from "../../../src/domain/families/tron/addresses/SweepMoney.ts"
import { isPast } from "../../../src/domain/families/tron/payment/Lifetime.ts"
import { readStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import type { StoredPayment, StoredTransaction } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import type { ReadingRule } from "../../../src/domain/quorum/AgreeOnReading.ts"
import { newestSolid } from "../observe/ReadPlace.ts"
import { isNothing } from "../decode/NodeAnswers.ts"
import { infoOf } from "../pay/Landing.ts"
import type { TronRead, TronRpc } from "../rpc/TronRpc.ts"

/** Sweeps that are remembered, of all addresses. */
const CAPACITY = 10_000

/** So long after a sweep has expired, a node that does not know it any more is no longer waited for. */
const TOLD_WITHIN = Duration.days(1)

/** Sweeps of an address that are read at once. */
const AT_ONCE = 4

/** Undefined while a block may still hold one of its transactions. */
type Settled = SettledSweep | undefined

const untold = { _tag: "Untold" } as const

const rule: ReadingRule<Settled> = {
  same: (left, right) => left?.sun === right?.sun && left?.height === right?.height,
  combine: ([first]) => first,
  claims: (settled) => settled === undefined ? "open" : "lasting"
}

const amountOf = ({ transaction: { act } }: StoredTransaction): bigint => act._tag === "Transfer" ? act.amount : 0n

const settledIn = ({ expiration, funding, reference, transaction }: StoredPayment): TronRead<Settled> =>
  Effect.fnUntraced(function*(node, deadline) {
    // The solidified block first: what is read afterwards is at least as new.
    const solid = yield* newestSolid(node, deadline)
    const find = (id: string) => infoOf(node.solidity, id, deadline)
    const [swept, funded] = yield* Effect.all([
      find(transaction.id),
      funding === undefined ? Effect.undefined : find(funding.transaction.id)
    ], { concurrency: "unbounded" })
    if (swept === undefined || (funding !== undefined && funded === undefined)) {
      if (!isPast(solid, expiration)) return undefined
      // A node that does not reach so far back cannot tell.
      const named = yield* node.solidity("getblock", { id_or_num: reference.toString(), detail: false }, deadline)
      if (isNothing(named)) return yield* Effect.fail("behind" as const)
    }
    const heights = [swept, funded].map((info) => BigInt(info?.blockNumber ?? 0))
    return {
      sun: (funding === undefined || funded === undefined ? 0n : amountOf(funding)) - BigInt(swept?.fee ?? 0),
      height: heights.reduce((most, each) => each > most ? each : most, 0n)
    }
  })

export const makeLeftBySweeps = (rpc: TronRpc["Service"]) => {
  /** By chain and transaction. The oldest are forgotten first. */
  const known = new Map<string, SettledSweep>()

  const settled = Effect.fnUntraced(
    function*(
      chain: Chain,
      { raw, transactionId }: SignedPayment
    ): Effect.fn.Return<Settled | typeof untold, ChainUnavailable> {
      const name = `${chain.id} ${transactionId}`
      const before = known.get(name)
      if (before !== undefined) return before
      const stored = readStored(raw)
      if (stored === undefined) {
        return yield* Effect.die(new Error("a stored sweep is not as the Tron adapter writes them"))
      }
      const found = yield* rpc.witnessed(chain, {
        operation: "what a sweep has left",
        call: (client) => client.read(settledIn(stored)),
        rule,
        rests: () => true
      }, "quorum").pipe(
        Effect.catchTag(
          "ChainUnavailable",
          (error) =>
            Effect.flatMap(
              Clock.currentTimeMillis,
              (now) =>
                error.kind === "behind" && now > stored.expiration + Duration.toMillis(TOLD_WITHIN)
                  ? Effect.succeed(untold)
                  : Effect.fail(error)
            )
        )
      )
      if (found === undefined || "_tag" in found) return found
      known.set(name, found)
      const [oldest] = known.keys()
      if (known.size > CAPACITY && oldest !== undefined) known.delete(oldest)
      return found
    }
  )

  return Effect.fnUntraced(function*(chain: Chain, signed: ReadonlyArray<SignedPayment>, height: bigint) {
    const all = yield* Effect.forEach(signed, (each) => settled(chain, each), { concurrency: AT_ONCE })
    if (all.includes(untold)) return 0n
    const certain = all.flatMap((each) => each === undefined || "_tag" in each ? [] : [each])
    return certain.length === all.length ? leftOf(certain, height) : undefined
  })
}
