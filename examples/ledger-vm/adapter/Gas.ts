/** The port `Gas`: the cost of a transfer, as the ledger reports it. */
import { Effect, Layer } from "effect"
import { Gas, nothingToOpen, PaymentRefused } from "causeway-kit/ports"
import { ask, LedgerRpc } from "./LedgerNode.ts"

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rpc = yield* LedgerRpc
    return Gas.of({
      ofPayment: Effect.fnUntraced(function*({ chain, recipient }) {
        const [ledger, receiving] = yield* rpc.call(
          chain,
          "cost of a payment",
          (client) => Promise.all([client.get(ask.ledger), client.get(ask.account(recipient))])
        )
        return receiving.isClosed ? yield* new PaymentRefused({ reason: "reverts" }) : ledger.fee
      }),
      opening: () => Effect.succeed(nothingToOpen),
      unitsOf: () => Effect.succeed(0n),
      mostOfCalls: () => Effect.fail(new PaymentRefused({ reason: "reverts" })),
      ofPermit: () => Effect.die(new Error("no permits are submitted on a ledger")),
      ofSweep: (chain) => rpc.call(chain, "cost of a sweep", async (client) => (await client.get(ask.ledger)).fee)
    })
  })
)
