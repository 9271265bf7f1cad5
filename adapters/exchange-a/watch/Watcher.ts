/**
 * Deposits on exchange A (EXCHANGEA-9, EXCHANGEA-10). Scans read the depository's ledger. Every decision reads the
 * transaction itself, from the explorer.
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Cursor, FinalScan, Scan } from "../../../ports/chain/DepositWatcher.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { GRACE_SECONDS, KEPT_LATE_SECONDS } from "../../../src/domain/families/exchange-a/evidence/MappedOrder.ts"
import { cursorAt, isSecond } from "../../endpoints/clock/ClockAsChain.ts"
import { clockDeposits } from "../../endpoints/clock/ClockDeposits.ts"
import { scanFinal } from "../../endpoints/ScanFinal.ts"
import { unlessDue } from "../../endpoints/AskedFor.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import type { ExchangeARead } from "../rpc/ExchangeARpc.ts"
import { LostSweeps } from "../addresses/LostSweeps.ts"
import { namedBy, nameDeposit } from "./Deposits.ts"
import { readHead } from "./Head.ts"
import { readRange } from "./ReadRange.ts"
import { KnownTransactions, readDeposits } from "./ShownDeposits.ts"
import type { DepositReading } from "./ShownDeposits.ts"
import { nameSightings, Sightings } from "./Sightings.ts"

/** Seconds that every scan reads again: a ledger may show an entry later than its time. */
const OVERLAP = 120

/** Seconds by which a scan of the past goes back from a cursor that is not this family's. */
const REWIND = 600

/** Seconds of one scan of the past. */
const MOST_SECONDS = 21_600

/** Deposits whose mapping may still come are left to the scan. */
const scanPast = (
  reading: DepositReading,
  sightings: Sightings,
  from: Cursor,
  final: Cursor
): ExchangeARead<FinalScan> =>
  Effect.fnUntraced(function*(client, deadline) {
    const first = isSecond(from) ? Number(from.height) + 1 : Math.max(0, Number(from.height) - REWIND)
    const last = Math.min(Number(final.height), first + MOST_SECONDS)
    if (first > last) return { cursor: final, deposits: [] }
    const read = yield* readRange(reading, { from: first, to: last, unread: [] })(client, deadline)
    if (!isSecond(final) || read.head.height < final.height) return yield* Effect.fail("behind" as const)
    // The cursor stays before what was not read: the next scan goes on there.
    const to = read.unread.reduce((least, { time }) => Math.min(least, time - 1), read.to)
    const named = yield* Effect.forEach(
      read.found,
      (each) =>
        Effect.map(
          nameDeposit(reading.mappings, reading.chain, each, read.head.time),
          (naming) => ({ each, naming })
        ),
      { concurrency: 8 }
    )
    sightings.add(named.flatMap(({ each, naming }) => naming._tag === "Waits" ? [each] : []))
    return {
      cursor: to >= Number(final.height) ? final : cursorAt(Math.max(to, first - 1)),
      deposits: named.flatMap(({ naming }) => naming._tag === "Waits" ? [] : [naming.deposit])
    }
  })

export const layer = Layer.effect(
  DepositWatcher,
  Effect.gen(function*() {
    const rpc = yield* ExchangeARpc
    const mappings = namedBy(yield* NonceMappings, yield* LostSweeps)
    const known = new KnownTransactions()
    const seen = new Map<ChainId, Sightings>()
    const sightingsOf = ({ id }: Chain): Sightings => {
      const sightings = seen.get(id) ?? new Sightings()
      seen.set(id, sightings)
      return sightings
    }
    const reading = (chain: Chain): DepositReading => ({ chain, known, mappings })
    const read = <A>(chain: Chain, operation: string, of: ExchangeARead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    const scan = Effect.fnUntraced(function*(chain: Chain, cursor: Cursor): Effect.fn.Return<Scan, ChainUnavailable> {
      const sightings = sightingsOf(chain)
      const at = Number(cursor.height)
      const from = sightings.readTo === undefined
        ? at - GRACE_SECONDS - KEPT_LATE_SECONDS
        : Math.min(at, sightings.readTo)
      const range = { from: Math.max(0, from - OVERLAP), to: undefined, unread: sightings.unread }
      const { found, head, to, unread } = yield* read(chain, "deposit scan", readRange(reading(chain), range))
      yield* nameSightings(sightings, mappings, chain, found, head.time).pipe(
        Effect.mapError((kind) => new ChainUnavailable({ chain: chain.slug, operation: "nonce mappings", kind }))
      )
      sightings.unread = unread
      sightings.readTo = to
      // An endpoint whose clock is behind does not take the cursor back.
      const end = Math.max(at, to)
      return { cursor: cursorAt(end), head, deposits: sightings.toTell(at, end) }
    })

    return DepositWatcher.of({
      ...clockDeposits(
        rpc,
        readHead,
        (chain, id, { time }) => (client, deadline) => readDeposits(reading(chain), client, id, time, deadline)
      ),
      scan,
      scanFinal: (chain, from, final) =>
        scanFinal(
          rpc,
          chain,
          final,
          (client) => client.read(scanPast(reading(chain), sightingsOf(chain), from, final))
        ),
      // Anybody can name transactions.
      look: Effect.fnUntraced(function*(chain, id) {
        const asked = yield* unlessDue((client: ExchangeAClient, deadline) =>
          Effect.flatMap(
            readHead(client, deadline),
            ({ time }) => readDeposits(reading(chain), client, id, time, deadline)
          )
        )
        return yield* read(chain, "deposits of a transaction", asked)
      })
    })
  })
)
