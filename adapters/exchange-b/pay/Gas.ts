/** Costs on exchange B: its fee for a transfer to another owner, which the sender bears (EXCHANGEB-23). */
import { Effect, Layer } from "effect"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import { Due } from "../../../ports/chain/Due.ts"
import { isPlain } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { unlessDue } from "../rpc/AskedFor.ts"
import { ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import { readLeast } from "./LeastTransfer.ts"
import { readCost } from "./Preparing.ts"
import { readFee } from "./ReadAccount.ts"
import { readRecentFee } from "./RecentFee.ts"
import { SolverAccount } from "./SolverAccount.ts"

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rpc = yield* ExchangeBRpc
    const solver = yield* SolverAccount

    return Gas.of({
      ofPayment: Effect.fnUntraced(function*(payment) {
        if (!isPlain(payment)) return yield* new PaymentRefused({ reason: "reverts" })
        const isDue = yield* Due
        const asked = yield* unlessDue<bigint | PaymentRefused>((client, deadline) =>
          readCost(client, solver, payment, isDue ? readFee : readRecentFee, deadline)
        )
        const fee = yield* rpc.call(payment.chain, "cost of a payment", ({ read }) => read(asked))
        return typeof fee === "bigint" ? fee : yield* fee
      }),
      // An account is opened by its owner. A payment opens none, and has to be large enough (EXCHANGEB-26).
      opening: Effect.fnUntraced(function*({ chain, currency }) {
        const asked = yield* unlessDue((client, deadline) => readLeast(client, currency, deadline))
        const least = yield* rpc.call(chain, "least payment", ({ read }) => read(asked))
        return { ...nothingToOpen, least }
      }),
      unitsOf: () => Effect.succeed(0n),
      mostOfCalls: () => Effect.fail(new PaymentRefused({ reason: "reverts" })),
      ofPermit: () => Effect.die(new Error("no permits are submitted on exchange B")),
      ofSweep: () => Effect.die(new Error("there are no deposit addresses on exchange B"))
    })
  })
)
