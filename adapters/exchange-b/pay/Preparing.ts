/** What a payment on exchange B needs to be made now, as one endpoint shows it: its fee and its costs. */
import { Effect } from "effect"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { PaymentCost } from "../../../ports/chain/Treasury.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { asCurrency } from "../../../src/domain/families/AddressCodec.ts"
import { orderIdIn } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import { assetOf, PERPS, USDC } from "../../../src/domain/families/exchange-b/payment/Asset.ts"
import { KEPT_ON_PERPS } from "../../../src/domain/families/exchange-b/payment/KeptOnPerps.ts"
import { isClassic } from "../../../src/domain/families/exchange-b/payment/TradingMode.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault } from "../rpc/ExchangeBRpc.ts"
import { tokenFor } from "./Landing.ts"
import { isPayable, readAccount, readFee, transferable } from "./ReadAccount.ts"
import { readMillis } from "./ReadSent.ts"
import type { SolverAccount } from "./SolverAccount.ts"

/** A payment that lacks only its nonce and API key. */
export interface Payable {
  readonly _tag: "Payable"
  /** Smallest units of USDC. */
  readonly fee: bigint
  readonly costs: ReadonlyArray<PaymentCost>
}

/** The account that pays is unified: nothing is signed until its mode is changed (EXCHANGEB-28). */
export interface NotClassic {
  readonly _tag: "NotClassic"
}

const refused = (reason: PaymentRefused["reason"]) => new PaymentRefused({ reason })

/** What the account can pay out of USDC on perps. */
export const spendableOnPerps = (held: bigint): bigint => held > KEPT_ON_PERPS ? held - KEPT_ON_PERPS : 0n

/**
 * What a transfer to this recipient costs, smallest units of USDC. Refused where nobody can be paid: the account does
 * not exist or is a pool (EXCHANGEB-26), is the solver's own, or is the depository's, where it would be a deposit.
 */
export const readCost = Effect.fnUntraced(
  function*(
    client: ExchangeBClient,
    solver: SolverAccount["Service"],
    { chain, recipient }: Pick<Payment, "chain" | "recipient">,
    feeOf: typeof readFee,
    deadline: number
  ): Effect.fn.Return<bigint | PaymentRefused, ExchangeBFault> {
    if (recipient === solver.address || recipient === chain.depository) return refused("reverts")
    const now = yield* readMillis(client, deadline)
    const token = yield* tokenFor(solver, now)
    if (!(yield* isPayable(client, recipient, deadline))) {
      return new PaymentRefused({
        reason: "reverts",
        unfit: { _tag: "NoAccount" }
      })
    }
    return yield* feeOf(client, { account: solver.address, token }, recipient, deadline)
  }
)

/** The exchange takes its fee in USDC, from where the payment comes: perps or spot. */
export const readPayment = Effect.fnUntraced(
  function*(
    client: ExchangeBClient,
    solver: SolverAccount["Service"],
    payment: Payment,
    deadline: number
  ): Effect.fn.Return<Payable | NotClassic | PaymentRefused, ExchangeBFault> {
    const { amount, chain, currency, orderId } = payment
    // The exchange takes no other fee than that of the moment.
    const fee = yield* readCost(client, solver, payment, readFee, deadline)
    // Numbers of the exchange are JSON numbers. A memo that names no order would pay none.
    const isExact = amount > 0n && amount <= BigInt(Number.MAX_SAFE_INTEGER) && orderIdIn(orderId) !== undefined
    if (typeof fee !== "bigint") return fee
    if (!isExact) return refused("reverts")
    const account = yield* readAccount(client, solver.address, deadline)
    if (account === undefined) return yield* Effect.fail("contradiction" as const)
    if (!isClassic(account.account_trading_mode ?? undefined)) return { _tag: "NotClassic" }
    const isOnPerps = assetOf(currency.address).route === PERPS
    const onPerps = yield* transferable(account, chain.native)
    const feeCurrency = isOnPerps ? chain.native.address : asCurrency(USDC.toString())
    const cost = (of: CurrencyAddress, taken: bigint, balance: bigint): PaymentCost => ({
      holder: solver.address,
      currency: of,
      amount: taken,
      balance
    })
    const costs = currency.address === feeCurrency
      ? [
        cost(
          feeCurrency,
          amount + fee,
          isOnPerps ? spendableOnPerps(onPerps) : yield* transferable(account, currency)
        )
      ]
      : [
        cost(currency.address, amount, yield* transferable(account, currency)),
        ...(fee === 0n
          ? []
          : [
            cost(
              feeCurrency,
              fee,
              yield* transferable(account, { address: feeCurrency, decimals: chain.native.decimals })
            )
          ])
      ]
    return costs.some((each) => each.amount > each.balance) ? refused("insufficient-funds") : {
      _tag: "Payable",
      fee,
      costs
    }
  }
)
