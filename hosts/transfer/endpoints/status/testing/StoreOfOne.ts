/** A store with one request, as streams of its status read it: its changes, and whether the store answers. */
import { Effect } from "effect"
import type { TransferEvent } from "../../../../../ports/store/orders/TransferHistory.ts"
import { StoreUnavailable } from "../../../../../ports/store/StoreUnavailable.ts"
import { transferOf } from "../../../../../src/domain/permit/testing/PermitTransfers.ts"
import { RequestId } from "../../../../../src/domain/transfer/RequestId.ts"
import type { Statuses } from "../../../../../src/services/requests/Statuses.ts"

/** The only request. */
export const onlyRequest = RequestId.make(`0x${"12".repeat(32)}`)

const unused = () => Effect.die("not used")

/** `looks`: how often it was asked for the last changes. The test sets the others. */
export const storeOfOne = (...statuses: ReadonlyArray<TransferEvent["status"]>) => {
  const store = { events: statuses, isDown: false, looks: 0 }
  const whileUp = <A>(answer: () => A) =>
    Effect.suspend(() => store.isDown ? Effect.fail(new StoreUnavailable({ operation: "test" })) : Effect.sync(answer))
  const all = () =>
    store.events.map((status, sequence): TransferEvent => ({ sequence, status, failReason: null, at: 100 + sequence }))
  const service: Statuses["Service"] = {
    find: () =>
      whileUp(() => {
        const last = all().at(-1)
        return last && {
          transfer: transferOf({}, { status: last.status, failReason: last.failReason, updatedAt: last.at }),
          deposits: [],
          payments: [],
          refunds: [],
          settlements: [],
          send: undefined,
          feeSponsorship: undefined,
          appFees: []
        }
      }),
    changesAfter: (_id, sequence) => whileUp(() => all().filter((event) => event.sequence > sequence)),
    lastChanges: () =>
      whileUp(() => {
        store.looks += 1
        return new Map([[onlyRequest, all().length - 1]])
      }),
    findByOrder: unused,
    findByTransaction: unused,
    findHistory: unused,
    findByDepositAddress: unused,
    describe: unused,
    version: unused
  }
  return { store, service }
}
