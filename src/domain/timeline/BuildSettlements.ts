/** How far the deposits of a request are settled on the hub. */
import type { TransactionId } from "../chain/TransactionId.ts"
import type { TimelineSettlement, TimelineTransaction } from "./RequestTimeline.ts"
import { transactionOf } from "./TimelineRecord.ts"
import type { TimelineSource } from "./TimelineRecord.ts"

const texts: Readonly<Record<TimelineSettlement["state"], string>> = {
  open: "Not submitted to the hub yet",
  submitted: "Submitted to the hub",
  settled: "Settled on the hub",
  refused: "Refused by the hub: an operator has to look",
  excluded: "Not settled: its payment is neither a fill nor a refund of the order"
}

/** A record does not name its hub. With several hubs there is no link. */
const onHub = (told: TimelineSource, id: TransactionId): TimelineTransaction => {
  const [hub, ...others] = told.chains.filter(({ gate }) => gate !== undefined)
  return hub === undefined || others.length > 0 ? { id, url: null } : transactionOf(told, hub.id, id)
}

export const buildSettlements = (told: TimelineSource): ReadonlyArray<TimelineSettlement> =>
  told.settlements.flatMap(({ deposit: settled, state, transactionId }) => {
    const found = told.deposits.find(({ deposit }) => deposit.onchainId === settled)?.deposit
    return found === undefined ? [] : [{
      state,
      text: texts[state],
      deposit: transactionOf(told, found.chainId, found.transactionId),
      transaction: transactionId === null ? null : onHub(told, transactionId)
    }]
  })
