/**
 * Deposits on exchange B (EXCHANGEB-6, EXCHANGEB-7). Scans read the depository's list. Every decision reads the
 * transaction itself. Sources differ on what numbers of a status mean failure, so a transfer that is not shown as
 * executed proves nothing.
 */
import { Effect, Layer } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Cursor, FinalScan, Scan } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { cursorAt, isSecond } from "../../endpoints/clock/ClockAsChain.ts"
import { clockDeposits } from "../../endpoints/clock/ClockDeposits.ts"
import { scanFinal } from "../../endpoints/ScanFinal.ts"
import { DepositoryAccess } from "../DepositoryAccess.ts"
import { unlessDue } from "../../endpoints/AskedFor.ts"
import { ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import type { ExchangeBRead } from "../rpc/ExchangeBRpc.ts"
import { readHead } from "./Head.ts"
import { readRange, TransferLists } from "./ReadRange.ts"
import type { DepositReading } from "./ReadRange.ts"
import { KnownTransactions, readShown } from "./ShownDeposits.ts"
import { Told } from "./Told.ts"

/**
 * Seconds that every scan reads again. A transfer has the time at which it was queued, and is listed once it is
 * executed: clients of the exchange let it expire after ten minutes.
 */
const OVERLAP = 900

/** Seconds of one scan of the past. */
const MOST_SECONDS = 21_600

const depositsOf =
  ({ chain, known }: DepositReading, id: TransactionId): ExchangeBRead<ReadonlyArray<Deposit> | undefined> =>
  (client, deadline) =>
    Effect.map(
      readShown(known, client, chain, id, deadline),
      (shown) => shown === undefined ? undefined : shown.deposit === undefined ? [] : [shown.deposit]
    )

const scanPast = (reading: DepositReading, from: Cursor, final: Cursor): ExchangeBRead<FinalScan> =>
  Effect.fnUntraced(function*(client, deadline) {
    const first = isSecond(from) ? Number(from.height) + 1 : Math.max(0, Number(from.height) - OVERLAP)
    const last = Math.min(Number(final.height), first + MOST_SECONDS)
    if (first > last) return { cursor: final, deposits: [] }
    const { deposits, head, to } = yield* readRange(reading, first, last)(client, deadline)
    if (!isSecond(final) || head.height < final.height) return yield* Effect.fail("behind" as const)
    return { cursor: to >= Number(final.height) ? final : cursorAt(Math.max(to, first - 1)), deposits }
  })

export const layer = Layer.effect(
  DepositWatcher,
  Effect.gen(function*() {
    const rpc = yield* ExchangeBRpc
    const access = yield* DepositoryAccess
    const known = new KnownTransactions()
    const lists = new TransferLists()
    const told = new Map<ChainId, Told>()
    const toldOf = ({ id }: Chain): Told => {
      const of = told.get(id) ?? new Told()
      told.set(id, of)
      return of
    }
    const reading = (chain: Chain): DepositReading => ({ access, chain, known, lists })
    const read = <A>(chain: Chain, operation: string, of: ExchangeBRead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    const scan = Effect.fnUntraced(function*(chain: Chain, cursor: Cursor): Effect.fn.Return<Scan, ChainUnavailable> {
      const at = Number(cursor.height)
      const range = readRange(reading(chain), Math.max(0, at - OVERLAP))
      const { deposits, head, to } = yield* read(chain, "deposit scan", range)
      // An endpoint whose clock is behind does not take the cursor back.
      const end = Math.max(at, to)
      return { cursor: cursorAt(end), head, deposits: toldOf(chain).fresh(deposits, at, end, OVERLAP) }
    })

    return DepositWatcher.of({
      ...clockDeposits(rpc, readHead, (chain, id) => depositsOf(reading(chain), id)),
      scan,
      scanFinal: (chain, from, final) =>
        scanFinal(rpc, chain, final, (client) => client.read(scanPast(reading(chain), from, final))),
      // Anybody can name transactions.
      look: Effect.fnUntraced(function*(chain, id) {
        return yield* read(chain, "deposits of a transaction", yield* unlessDue(depositsOf(reading(chain), id)))
      })
    })
  })
)
