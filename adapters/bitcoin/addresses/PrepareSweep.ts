/**
 * The sweep of a deposit address (BITCOIN-12): one transaction that pays the depository what its coins of the address
 * hold, names the order, and pays its fee with a coin of the solver, whose change is the solver's again.
 *
 * So what was sent in one output is what is deposited, to the satoshi, and a fee that has to be raised comes out of the
 * change. Further outputs pay their own inputs. The address's coins are the first inputs: without a note that names one,
 * the depositor is the address (BITCOIN-2).
 */
import { Effect, Result } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Claimant, PreparedPayment } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { sweepFee, sweptAmount, sweptCoins } from "../../../src/domain/families/bitcoin/addresses/SweptCoins.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import type { BtcOutput } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { dustOf } from "../../../src/domain/families/bitcoin/spending/Dust.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { paymentOutputs } from "../../../src/domain/families/bitcoin/steps/PaymentOutputs.ts"
import type { BitcoinCoins, ListedCoin } from "../coins/ListCoins.ts"
import type { BitcoinRates } from "../rate/BitcoinRates.ts"
import { fundPayment } from "../pay/Funding.ts"
import { changeOf } from "../pay/Change.ts"
import { claimOf, signSpending, storedForm } from "../pay/SignSpending.ts"
import { addressOn } from "../pay/SolverAccount.ts"
import type { SolverAccount } from "../pay/SolverAccount.ts"
import type { makeSolverCoins } from "../pay/SolverCoins.ts"
import type { makeUnfinalMakers } from "../pay/UnfinalMakers.ts"
import type { AddressCoins } from "./AddressCoins.ts"

const sum = (coins: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  coins.reduce((total, { amount }) => total + amount, 0n)

/** Undefined for an amount that no node relays. */
export const sweepOutputs = (
  { depository, network }: Chain,
  amount: bigint,
  depositId: Hex32
): ReadonlyArray<BtcOutput> | undefined => {
  const payee = Result.getOrThrow(scriptOfAddress(depository, network))
  return amount < dustOf(payee) ? undefined : paymentOutputs({ payee, amount, orderId: depositId })
}

const refused = new PaymentRefused({ reason: "reverts" })

/** SECURITY: with another seed, or another row of the store, the coins would be another address's. */
const keyOf = Effect.fnUntraced(
  function*({ depositAccount }: SolverAccount["Service"], { chain, sweep: { address, key } }: SweepPayment) {
    if (depositAccount === undefined || key === undefined) {
      return yield* Effect.die(new Error("a process without the seed of deposit addresses was to sweep one"))
    }
    if (addressOn(yield* depositAccount(key), chain) === address) return key
    return yield* Effect.die(
      new Error(`the key of the deposit address ${address} does not follow from the seed that this process has`)
    )
  }
)

export interface SweepPorts {
  readonly coinsOf: AddressCoins["Service"]
  readonly checked: BitcoinCoins["Service"]["check"]
  readonly rates: BitcoinRates["Service"]
  readonly makers: ReturnType<typeof makeUnfinalMakers>
  readonly own: ReturnType<typeof makeSolverCoins>
  readonly signers: SolverAccount["Service"]
}

export const sweepPreparation = ({ checked, coinsOf, makers, own, rates, signers }: SweepPorts) => {
  const { account, pool } = signers

  return Effect.fnUntraced(function*(
    payment: SweepPayment
  ): Effect.fn.Return<PreparedPayment, ChainUnavailable | PaymentRefused | SignerUnavailable> {
    const { chain, sweep: { address, depositId } } = payment
    const key = yield* keyOf(signers, payment)
    // Asked for, because a reindex finds what the watcher missed; while the explorer is dead, as the watcher saw them.
    const listed = coinsOf.of(chain, address, "asked").pipe(Effect.catch(() => coinsOf.of(chain, address, "watched")))
    const swept = Effect.flatMap(listed, ({ coins }) => checked(chain, address, coins, "mempool"))
    const [found, inBlocks, rate] = yield* Effect.all([swept, own.inBlocks(chain), rates.rate(chain)], {
      concurrency: 3
    })
    const unfinal = yield* makers.of(chain, [...found, ...inBlocks], own.isNoted(chain))
    const confirmed = inBlocks.filter(unfinal.isProven)
    // By the rate that it pays: it may have risen since the coins were read.
    const coins = sweptCoins(found.filter(unfinal.isProven), rate)
    const outputs = sweepOutputs(chain, sweptAmount(coins, rate), depositId)
    if (coins.length === 0 || outputs === undefined) return yield* refused
    const holder = addressOn(account, chain)

    const signed = Effect.fnUntraced(function*(swept: ReadonlyArray<ListedCoin>, others: ReadonlyArray<Claimant>) {
      const paid = sweepOutputs(chain, sweptAmount(swept, rate), depositId)
      if (swept.length === 0 || paid === undefined) return yield* refused
      const spent = swept.map(({ amount, index, transactionId }) => ({
        transactionId,
        index,
        amount,
        key,
        cluster: undefined
      }))
      const toFund = { outputs: paid, change: account.script, rate, spent }
      const { funding, needs } = yield* fundPayment(confirmed, unfinal.makers, others, toFund, pool, rates.ceiling)
      const made = yield* signSpending(signers, funding, needs)
      yield* own.note(chain, changeOf(storedForm(made.raw).form))
      return made
    })

    return {
      account: holder,
      chainSequence: 0n,
      costs: [{
        holder,
        currency: chain.native.address,
        // The other coins pay their own inputs.
        amount: sweepFee(rate, 1, outputs, account.script),
        balance: sum(confirmed)
      }],
      claimable: [...coins, ...confirmed].map(claimOf),
      sign: (_, others) => {
        // What an earlier sweep of the address claims is that sweep's, also while a reorg has taken it back.
        const claimed = new Set<string>(others.flatMap(({ claims }) => claims))
        return signed(coins.filter((coin) => !claimed.has(coinName(coin))), others)
      }
    }
  })
}
