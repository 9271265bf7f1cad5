/**
 * The solver's payments on Bitcoin: each is one transaction with one order id, of coins of one key (BITCOIN-10), or of
 * these and of the deposit address that it sweeps (BITCOIN-12).
 *
 * There is no nonce. Two payments are two transactions of different coins, and the store keeps which coins each one
 * claims (`PaymentClaim`); all forms of one payment spend the same coins, so at most one of them is ever in a block. It
 * is signed anew, with other coins, only when it is dead (BITCOIN-9).
 */
import { Effect, Layer, Result } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { isPlain } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { PreparedPayment, Variants } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { dustOf } from "../../../src/domain/families/bitcoin/spending/Dust.ts"
import type { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { paymentOutputs } from "../../../src/domain/families/bitcoin/steps/PaymentOutputs.ts"
import type { PoolPayment } from "../../../src/domain/families/bitcoin/treasury/PoolCoins.ts"
import { paymentRead } from "../../endpoints/PaymentRead.ts"
import { AddressCoins } from "../addresses/AddressCoins.ts"
import { sweepPreparation } from "../addresses/PrepareSweep.ts"
import { BitcoinCoins } from "../coins/ListCoins.ts"
import type { ListedCoin } from "../coins/ListCoins.ts"
import { BitcoinExplorer } from "../observe/explorer/BitcoinExplorer.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import type { BitcoinClient } from "../rpc/BitcoinRpc.ts"
import { broadcast } from "./Broadcasting.ts"
import { changeOf } from "./Change.ts"
import { mostFee } from "./Fees.ts"
import { fundPayment } from "./Funding.ts"
import { readOutcome } from "./Landing.ts"
import { payeeOf } from "./PayeeOf.ts"
import { replacingBy } from "./Replacing.ts"
import { claimOf, signSpending, storedForm } from "./SignSpending.ts"
import { addressOn, SolverAccount } from "./SolverAccount.ts"
import type { KeyAccount } from "./SolverAccount.ts"
import { makeSolverCoins } from "./SolverCoins.ts"
import { makeUnfinalMakers } from "./UnfinalMakers.ts"
import type { Makers } from "./UnfinalMakers.ts"

const sum = (coins: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  coins.reduce((total, { amount }) => total + amount, 0n)

const refused = new PaymentRefused({ reason: "reverts" })

/** What nodes relay of it: the recipient, then the note that names the order. Refused where they do not. */
const outputsOf = (
  payment: Payment,
  account: Pick<KeyAccount, "script">
): Result.Result<PoolPayment["outputs"], PaymentRefused> =>
  Result.flatMap(payeeOf(payment, account), (payee) => {
    const { amount, currency, orderId } = payment
    return isPlain(payment) && currency.isNative && amount >= dustOf(payee)
      ? Result.succeed(paymentOutputs({ payee, amount, orderId }))
      : Result.fail(refused)
  })

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* BitcoinRpc
    const rates = yield* BitcoinRates
    const explorer = yield* BitcoinExplorer
    const coins = yield* BitcoinCoins
    const signers = yield* SolverAccount
    const { account, pool } = signers
    const own = makeSolverCoins(coins, account)
    const makers = makeUnfinalMakers(rpc)
    const coinsOf = yield* AddressCoins
    const prepareSweep = sweepPreparation({ checked: coins.check, coinsOf, makers, own, rates, signers })

    const prepared = (
      payment: Payment,
      outputs: PoolPayment["outputs"],
      rate: FeeRate,
      confirmed: ReadonlyArray<ListedCoin>,
      made: Makers
    ): PreparedPayment => {
      const { amount, chain } = payment
      const toFund = { outputs, change: account.script, rate }
      return {
        account: addressOn(account, chain),
        // Nothing on the chain counts the account's payments. The store does.
        chainSequence: 0n,
        costs: [{
          holder: addressOn(account, chain),
          currency: chain.native.address,
          amount: amount + mostFee(rate, confirmed.length, outputs, account.script, pool.split),
          balance: sum(confirmed)
        }],
        claimable: confirmed.map(claimOf),
        sign: Effect.fnUntraced(function*(_, others) {
          const { funding, needs } = yield* fundPayment(confirmed, made, others, toFund, pool, rates.ceiling)
          const signed = yield* signSpending(signers, funding, needs)
          yield* own.note(chain, changeOf(storedForm(signed.raw).form))
          return signed
        })
      }
    }

    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      if (payment._tag === "Sweep") return yield* prepareSweep(payment)
      const { amount, chain } = payment
      const outputs = yield* Effect.fromResult(outputsOf(payment, account))
      const [inBlocks, rate] = yield* Effect.all([own.inBlocks(chain), rates.rate(chain)], { concurrency: 2 })
      const { isProven, makers: made } = yield* makers.of(chain, inBlocks, own.isNoted(chain))
      const confirmed = inBlocks.filter(isProven)
      const held = sum(confirmed)
      // With change that waits it may be covered: what the store knows of it decides when it is signed. Without an
      // explorer nobody else knows.
      const waiting = held >= amount ? 0n : yield* Effect.orElseSucceed(
        coins.waiting(chain, addressOn(account, chain)),
        () => amount
      )
      if (held + waiting < amount) return yield* new PaymentRefused({ reason: "insufficient-funds" })
      return prepared(payment, outputs, rate, confirmed, made)
    })

    const outcomeOf = (chain: Chain, variants: Variants) => (client: BitcoinClient) =>
      client.read(readOutcome(
        chain,
        explorer,
        variants.map(({ raw, transactionId }) => ({ ...storedForm(raw), transactionId }))
      ))

    const replacing = replacingBy(rpc, rates, signers)

    return Treasury.of({
      inventory: (chain, { isNative }, holding): Effect.Effect<ReadonlyArray<bigint>, ChainUnavailable> =>
        isNative && holding === "account"
          ? Effect.map(own.inBlocks(chain), (confirmed) => [sum(confirmed)])
          : Effect.succeed([0n]),
      prepare,
      broadcast: (chain, { raw }) => broadcast(rpc, chain, storedForm(raw)),
      outcome: (chain, variants, by) => rpc.witnessed(chain, paymentRead(outcomeOf(chain, variants)), by),
      replacing: () => replacing
    })
  })
)
