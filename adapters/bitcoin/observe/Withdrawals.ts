/**
 * Withdrawals of a Bitcoin chain: which transaction spent the coins of a PSBT, and whether it paid the PSBT's outputs.
 * Read at a final block under the quorum of the chain's nodes (BITCOIN-4, QUORUM-1). An explorer names the spenders.
 *
 * SECURITY: when the explorer does not answer, the question stays open. It never counts as "unspent".
 */
import { Effect, Layer, Result } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { ChainFault } from "../../../ports/chain/ChainUnavailable.ts"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { WithdrawalEvidence } from "../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { decodeBitcoinWithdrawal } from "../../../src/domain/families/bitcoin/BitcoinWithdrawal.ts"
import type { Psbt } from "../../../src/domain/families/bitcoin/Psbt.ts"
import { countFault, DEADLINE_MS, hostOfUrl, openAll } from "../../quorum/Endpoints.ts"
import { readableHosts, readAtFinal } from "../../quorum/ReadAtFinal.ts"
import type { AtFinal } from "../../quorum/ReadAtFinal.ts"
import { openExplorer } from "./explorer/Explorer.ts"
import type { ExplorerFault } from "./explorer/ExplorerHttp.ts"
import { BitcoinQuorums } from "./Observer.ts"
import { spendingReading } from "./ReadSpending.ts"
import type { HintedCoin, SpendingSeen } from "./ReadSpending.ts"
import { openCore } from "../rpc/CoreRpc.ts"

/**
 * A PSBT with more coins exceeds the usual transaction size. Checking it would cost more than signing a smaller one.
 */
const MOST_COINS = 500
const COINS_AT_ONCE = 8

const stateOf = ({ block, headTime, value }: AtFinal<SpendingSeen>): WithdrawalEvidence["state"] => {
  if (value === "unused") return { _tag: "Unused", finalTime: block.time, headTime }
  if (value === "otherwise") return { _tag: "SpentOtherwise" }
  return { _tag: "Executed", transactionIds: [TransactionId.make(value.slice("executed ".length))] }
}

const kindOf = (fault: ExplorerFault): ChainFault => fault === "unauthorized" ? "refused" : fault

/** Spends nothing. Used to ask whether a node answers at all. */
const noPsbt: Psbt = {
  transaction: { version: 2, inputs: [], outputs: [], lockTime: 0 },
  global: [],
  inputs: [],
  outputs: []
}

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.gen(function*() {
    const { deadlineMs = DEADLINE_MS, explorer: settings, of } = yield* BitcoinQuorums
    const endpoints = yield* openAll(of, openCore)
    const explorer = settings === undefined ? undefined : yield* openExplorer(settings)
    const unavailable = (chain: Chain, kind: ChainFault) =>
      new ChainUnavailable({ chain: chain.slug, operation: "withdrawal", kind })

    const hinted = Effect.fnUntraced(
      function*(
        chain: Chain,
        { transaction: { inputs } }: Psbt
      ): Effect.fn.Return<ReadonlyArray<HintedCoin>, ChainUnavailable> {
        if (explorer === undefined || settings === undefined) return yield* unavailable(chain, "no-explorer")
        if (inputs.length > MOST_COINS) return yield* unavailable(chain, "too-large")
        return yield* Effect.forEach(
          inputs,
          (coin) => Effect.map(explorer.spenderOf(coin, deadlineMs), (spender) => ({ ...coin, spender })),
          {
            concurrency: COINS_AT_ONCE
          }
        ).pipe(
          Effect.catch((fault) =>
            Effect.andThen(countFault(chain.slug, hostOfUrl(settings.url), fault), unavailable(chain, kindOf(fault)))
          )
        )
      }
    )

    return WithdrawalObserver.of({
      observe: Effect.fn("BitcoinWithdrawals.observe")(function*(chain, { encoded, id }) {
        const open = endpoints.get(chain.id)
        const psbt = decodeBitcoinWithdrawal(encoded)
        if (open === undefined || Result.isFailure(psbt)) return yield* unavailable(chain, "not-served")
        const coins = yield* hinted(chain, psbt.success)
        const read = yield* Effect.scoped(readAtFinal(spendingReading(chain, psbt.success, coins), open, deadlineMs))
        return { chain: chain.slug, withdrawal: encoded, withdrawalId: id, state: stateOf(read) }
      }),
      readable: (chain) => {
        const open = endpoints.get(chain.id)
        return open === undefined || explorer === undefined
          ? Effect.succeed([])
          : readableHosts(spendingReading(chain, noPsbt, []), open, deadlineMs)
      }
    })
  })
)
