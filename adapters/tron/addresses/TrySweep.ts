/**
 * What the sweep of a deposit address needs to be made now (TRON-21): its transaction, what that can cost, and what the
 * solver sends the address for it. One node tells all of it, and sees only unsigned calls.
 */
import { Effect, Result } from "effect"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { findCurrency } from "../../../src/domain/chain/Chain.ts"
import { fundingBody } from "../../../src/domain/families/tron/addresses/Funding.ts"
import { sweepBody } from "../../../src/domain/families/tron/addresses/SweepBody.ts"
import type { SweptDeposit } from "../../../src/domain/families/tron/addresses/SweepBody.ts"
import { shortageOf, sweptAmount } from "../../../src/domain/families/tron/addresses/SweepMoney.ts"
import { callCost, energyWithRoom, transferCost } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import type { TronPrices } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { hasDelivered } from "../../../src/domain/families/tron/payment/Delivered.ts"
import type { CallBody, PaymentBody } from "../../../src/domain/families/tron/payment/PaymentBody.ts"
import { greatestLength } from "../../../src/domain/families/tron/payment/PaymentSize.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { NO_ORDER } from "../../../src/domain/deposit-address/reindex/NoOrder.ts"
import type { KeyAccount } from "../pay/SolverAccount.ts"
import { triedCall } from "../pay/TryPayment.ts"
import { readAccount, tryCall } from "../quote/TryCall.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import { readFinalUnits } from "./FinalUnits.ts"

/** Energy where nothing can be tried: enough for a usual token. */
export const USUAL_ENERGY = 140_000n

/** Of the configuration, which was parsed. */
const evmOf = (account: string): Address => Result.getOrThrow(accountOfTron(account))

const tokenOf = ({ address, isNative }: Currency): Address | undefined => isNative ? undefined : evmOf(address)

interface Costs {
  /** Sun that the address pays at most. */
  readonly need: bigint
  /** Sun of it for energy. */
  readonly feeLimit: bigint
}

export const costsOf = (body: CallBody, energy: bigint, prices: TronPrices): Costs => {
  const offered = energyWithRoom(energy)
  return {
    need: callCost(prices, offered, greatestLength(body, prices.mostFeeLimit)),
    feeLimit: offered * prices.energy
  }
}

const fundingCost = (body: PaymentBody, prices: TronPrices, createsRecipient: boolean): bigint =>
  transferCost(prices, greatestLength(body, prices.mostFeeLimit), { createsRecipient, hasMemo: false })

export interface TriedSweep {
  readonly _tag: "Tried"
  readonly body: CallBody
  readonly deposit: SweptDeposit
  readonly feeLimit: bigint
  /** Sun that the address pays at most. */
  readonly need: bigint
  /** The solver's transfer to the address; undefined where the address has enough TRX. */
  readonly funding: PaymentBody | undefined
  /** The most sun that the solver's account spends on it now. */
  readonly cost: bigint
  /** The same, when the address has no TRX for it: what a sweep is worth to the solver. */
  readonly price: bigint
  /** The solver's sun. */
  readonly held: bigint
  /** Smallest units of the currency that the address must have: the amount, and of TRX what earlier sweeps have left. */
  readonly rests: bigint
}

const refused = new PaymentRefused({ reason: "reverts" })

/** The energy of the same deposit, of one unit, by the solver's account. */
const energyBySolver = Effect.fnUntraced(
  function*(
    node: TronNode,
    solver: Pick<KeyAccount, "evm">,
    deposit: Omit<SweptDeposit, "amount" | "owner">,
    deadline: number
  ): Effect.fn.Return<bigint, TronFault> {
    const { act } = sweepBody({ ...deposit, owner: solver.evm, amount: 1n })
    const trial = yield* tryCall(node, triedCall(act), deadline)
    return trial._tag === "Succeeded" ? trial.energy : USUAL_ENERGY
  }
)

/**
 * Undefined when the chain would not execute it, or would not deposit the whole amount. Before an account exists, nodes
 * need not try its calls.
 */
export const energyOf = Effect.fnUntraced(
  function*(
    node: TronNode,
    solver: Pick<KeyAccount, "evm">,
    deposit: SweptDeposit,
    exists: boolean,
    deadline: number
  ): Effect.fn.Return<bigint | undefined, TronFault> {
    const body = sweepBody(deposit)
    const trial = yield* tryCall(node, triedCall(body.act), deadline)
    if (trial._tag === "Succeeded") return hasDelivered(body, trial.logs) ? trial.energy : undefined
    if (trial._tag === "Reverted") return undefined
    return exists ? yield* Effect.fail("refused" as const) : yield* energyBySolver(node, solver, deposit, deadline)
  }
)

export const trySweep = Effect.fnUntraced(
  function*(
    node: TronNode,
    solver: Pick<KeyAccount, "address" | "evm">,
    { chain, sweep }: SweepPayment,
    prices: TronPrices,
    deadline: number
  ): Effect.fn.Return<TriedSweep | PaymentRefused, TronFault> {
    const currency = findCurrency(chain, sweep.currency)
    if (currency === undefined) return refused
    const [token, owner] = [tokenOf(currency), evmOf(sweep.address)]
    // The solidified state first: the newest is no older.
    const final = yield* readFinalUnits(node, { address: sweep.address, evm: owner }, token, deadline)
    const [own, { balance: held }] = yield* Effect.all([
      readAccount(node, sweep.address, deadline),
      readAccount(node, solver.address, deadline)
    ], { concurrency: 2 })
    const money = { isNative: currency.isNative, final, trx: own.balance, left: sweep.left ?? 0n }
    const amount = sweptAmount(money, sweep.units, prices)
    if (amount === 0n) return refused
    const deposit: SweptDeposit = {
      owner,
      depository: evmOf(chain.depository),
      depositor: evmOf(sweep.depositor),
      token,
      amount,
      depositId: sweep.depositId
    }
    const body = sweepBody(deposit)
    const energy = yield* energyOf(node, solver, deposit, own.exists, deadline)
    if (energy === undefined) return refused
    const { feeLimit, need } = costsOf(body, energy, prices)
    if (feeLimit > prices.mostFeeLimit) return refused
    const shortage = shortageOf(money, { amount, need })
    const funding = fundingBody(solver.evm, owner, shortage)
    const transfer = fundingCost(funding, prices, !own.exists)
    return {
      _tag: "Tried",
      body,
      deposit,
      feeLimit,
      need,
      funding: shortage === 0n ? undefined : funding,
      cost: shortage === 0n ? 0n : shortage + transfer,
      price: need + transfer,
      held,
      rests: currency.isNative ? amount + money.left : amount
    }
  }
)

/**
 * What the first sweep of an empty address costs the solver, sun: tried as if its own account were the address. An
 * account that received only tokens does not exist yet, so that the transfer of TRX creates it.
 */
export const firstSweepCost = Effect.fnUntraced(
  function*(
    node: TronNode,
    solver: Pick<KeyAccount, "evm">,
    { depository }: Pick<Chain, "depository">,
    currency: Currency,
    prices: TronPrices,
    deadline: number
  ): Effect.fn.Return<bigint, TronFault> {
    const owner = solver.evm
    const deposit = { depository: evmOf(depository), depositor: owner, token: tokenOf(currency), depositId: NO_ORDER }
    const energy = yield* energyBySolver(node, solver, deposit, deadline)
    const { need } = costsOf(sweepBody({ ...deposit, owner, amount: 1n }), energy, prices)
    return need + fundingCost(fundingBody(owner, owner, need), prices, !currency.isNative)
  }
)
