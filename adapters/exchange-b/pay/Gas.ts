/** Costs on exchange B: its fee for a transfer to another owner, which the sender bears (EXCHANGEB-23). */
import { Effect, Layer } from "effect"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import { Due } from "../../../ports/chain/Due.ts"
import { isPlain } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { minOf } from "../../../src/domain/money/Rounding.ts"
import { forStrangers } from "../../endpoints/AskedFor.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import { ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import { agreedLeast, readLeast } from "./LeastTransfer.ts"
import { readCost } from "./Preparing.ts"
import { readFee } from "./ReadAccount.ts"
import { readRecentFee } from "./RecentFee.ts"
import { SolverAccount } from "./SolverAccount.ts"

const fromCost = (cost: bigint | PaymentRefused): Effect.Effect<bigint, PaymentRefused> =>
  typeof cost === "bigint" ? Effect.succeed(cost) : Effect.fail(cost)

/** The lower cost. Refused where both refuse. */
const lesserOf = (one: bigint | PaymentRefused, other: bigint | PaymentRefused): bigint | PaymentRefused => {
  if (typeof one !== "bigint") return other
  return typeof other === "bigint" ? minOf(one, other) : one
}

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rpc = yield* ExchangeBRpc
    const solver = yield* SolverAccount

    return Gas.of({
      ofPayment: Effect.fnUntraced(function*(payment) {
        if (!isPlain(payment)) return yield* new PaymentRefused({ reason: "reverts" })
        const operation = "cost of a payment"
        if (yield* Due) {
          // SECURITY: what costs more than its deposit ends unpaid. One host must not decide that (EXCHANGEB-30).
          const named = yield* rpc.several(
            payment.chain,
            operation,
            ({ read }) => read((client, deadline) => readCost(client, solver, payment, readFee, deadline))
          )
          const [first, ...others] = named.map(({ answer }) => answer)
          return yield* fromCost(others.reduce(lesserOf, first ?? new PaymentRefused({ reason: "reverts" })))
        }
        const asked = forStrangers<ExchangeBClient, bigint | PaymentRefused>((client, deadline) =>
          readCost(client, solver, payment, readRecentFee, deadline)
        )
        return yield* fromCost(yield* rpc.call(payment.chain, operation, ({ read }) => read(asked)))
      }),
      // An account is opened by its owner. A payment opens none, and has to be large enough (EXCHANGEB-26).
      opening: Effect.fnUntraced(function*({ chain, currency }) {
        if (yield* Due) return { ...nothingToOpen, least: yield* agreedLeast(rpc, chain, currency) }
        const asked = forStrangers((client: ExchangeBClient, deadline) => readLeast(client, currency, deadline))
        return { ...nothingToOpen, least: yield* rpc.call(chain, "least payment", ({ read }) => read(asked)) }
      }),
      unitsOf: () => Effect.succeed(0n),
      mostOfCalls: () => Effect.fail(new PaymentRefused({ reason: "reverts" })),
      ofPermit: () => Effect.die(new Error("no permits are submitted on exchange B")),
      ofSweep: () => Effect.die(new Error("there are no deposit addresses on exchange B"))
    })
  })
)
