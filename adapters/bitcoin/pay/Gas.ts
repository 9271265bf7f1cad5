/**
 * Costs on Bitcoin: the fee of the transaction as the treasury would make it.
 *
 * How many coins a payment takes depends on its amount and on what else waits, so a cost assumes two coins and change
 * in as many parts as a payment makes. What a payment of more coins costs beyond that, the solver bears.
 */
import { Effect, Layer, Result } from "effect"
import { Gas } from "../../../ports/chain/Gas.ts"
import { isPlain } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { sweepFee } from "../../../src/domain/families/bitcoin/addresses/SweptCoins.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { dustOf } from "../../../src/domain/families/bitcoin/spending/Dust.ts"
import type { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { paymentOutputs } from "../../../src/domain/families/bitcoin/steps/PaymentOutputs.ts"
import { AddressCoins } from "../addresses/AddressCoins.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"
import { mostFee } from "./Fees.ts"
import { payeeOf } from "./PayeeOf.ts"
import { SolverAccount } from "./SolverAccount.ts"

const COINS = 2

/** Every note has the same size. */
const anyOrder = Hex32.make(`0x${"00".repeat(32)}`)

const refused = new PaymentRefused({ reason: "reverts" })

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rates = yield* BitcoinRates
    const { account, pool } = yield* SolverAccount
    const coinsOf = yield* AddressCoins

    const costOfSweep = (chain: Chain, rate: FeeRate, coins: number): bigint => {
      const payee = Result.getOrThrow(scriptOfAddress(chain.depository, chain.network))
      return sweepFee(rate, coins, paymentOutputs({ payee, amount: 0n, orderId: anyOrder }), account.script)
    }

    return Gas.of({
      // The same for any amount, also for one that is only tried: `opening` says which no node relays.
      ofPayment: Effect.fnUntraced(function*(payment) {
        const { amount, chain, orderId } = payment
        if (payment._tag === "Sweep") {
          const { coins } = yield* coinsOf.of(chain, payment.sweep.address, "watched")
          return costOfSweep(chain, yield* rates.rate(chain), coins.length)
        }
        if (!isPlain(payment)) return yield* refused
        const outputs = paymentOutputs({ payee: yield* Effect.fromResult(payeeOf(payment, account)), amount, orderId })
        return mostFee(yield* rates.rate(chain), COINS, outputs, account.script, pool.split)
      }),
      // Nothing is opened, but no node relays an output below dust.
      opening: ({ chain, recipient }) => {
        const script = scriptOfAddress(recipient, chain.network)
        return Effect.succeed({ rent: 0n, least: Result.isFailure(script) ? 0n : dustOf(script.success) })
      },
      unitsOf: () => Effect.succeed(0n),
      mostOfCalls: () => Effect.fail(refused),
      ofPermit: () => Effect.die(new Error("no permits are submitted on a Bitcoin chain")),
      // One coin of the deposit address, and one of the solver.
      ofSweep: (chain) => Effect.map(rates.rate(chain), (rate) => costOfSweep(chain, rate, 1))
    })
  })
)
