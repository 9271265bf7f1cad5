/** The port `Records` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Records } from "../../../ports/store/operations/Records.ts"
import type { KeptPayment } from "../../../src/domain/reconciliation/KeptPayment.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { PaymentRow } from "../rows/OrderRows.ts"

const toKept = ({ deposited, raw: _raw, topup, ...row }: PaymentRow): KeptPayment => ({
  ...row,
  ...(deposited === undefined ? {} : { deposited }),
  ...(topup === undefined ? {} : { topup })
})

export const layer = Layer.effect(
  Records,
  Effect.map(MemoryStore, ({ call }) =>
    Records.of({
      payments: (chainId) =>
        call("Records.payments", ({ payments }) =>
          payments.all().filter((row) =>
            row.chainId === chainId
          ).toSorted(ascending(({ sequence }) => sequence)).map(
            toKept
          )),
      deposits: (chainId) =>
        call("Records.deposits", ({ deposits }) =>
          deposits.all().filter((row) => row.chainId === chainId).toSorted(
            ascending(({ seenAt }) => seenAt, ({ deposit }) => deposit.onchainId)
          ).map(({ deposit, state }) => ({ deposit, state }))),
      sequences: (chainId) =>
        call("Records.sequences", ({ sequences }) => sequences.all().filter((row) => row.chainId === chainId)),
      scanned: (chainId) =>
        call("Records.scanned", ({ cursors }) => {
          const row = cursors.get(String(chainId))
          return row === undefined ? undefined : { cursor: row.cursor, anchored: row.anchored }
        }),
      promised: call("Records.promised", ({ reservations }) =>
        reservations.all().toSorted(ascending(({ part }) =>
          part
        ))),
      exposed: call("Records.exposed", ({ exposures }) => exposures.all())
    }))
)
