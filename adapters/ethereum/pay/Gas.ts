/**
 * The cost of a payment on an EVM chain: gas of the real transaction, from the real payer, at the fee that it will
 * probably pay.
 */
import { Effect, Layer } from "effect"
import type { PublicClient } from "viem"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import type { Opening } from "../../../ports/chain/Gas.ts"
import { callsIn, callsRecipient } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { lowestCost } from "../../endpoints/LowestCost.ts"
import { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { estimatePayment, expectedCost, mostCost } from "./EstimatePayment.ts"
import type { Taken } from "./EstimatePayment.ts"
import { readFees } from "./Fees.ts"
import { l1FeeOf, usualData } from "./l1-data/L1Fee.ts"
import { l1Units, unitsOfCode } from "./l1-data/L1Units.ts"
import { paymentBody } from "./PaymentTransaction.ts"
import { PERMIT_GAS, PERMIT_STATE, permitBytes } from "./PermitTransaction.ts"
import { payersOf } from "./Payers.ts"
import { runsRecipientCode } from "./RecipientCode.ts"
import { ACCOUNT_BYTES, gasPerByte } from "./StateGas.ts"
import { SolverAccount } from "./SolverAccount.ts"
import type { SendingAccount } from "./SolverAccount.ts"
import type { TransactionBody } from "./PaymentTransaction.ts"

/**
 * A whole transaction that deploys and sweeps an address (contracts/README.md), with a margin for the token's own code.
 */
const SWEEP_GAS = { native: 100_000n, token: 160_000n } as const

/** Bytes of state that it makes (PRICE-29): a proxy of 73, and its account, which exists where it holds native currency. */
const SWEEP_STATE = { native: 73n, token: 73n + ACCOUNT_BYTES } as const

/** A call of the factory: four words. */
const SWEEP_BYTES = 132

/** A transaction that is priced before it can be tried: its gas, the bytes of its data, and those of state that it makes. */
interface Usual {
  readonly gas: bigint
  readonly bytes: number
  readonly state: bigint
}

const isUnfunded = (refused: ChainUnavailable | PaymentRefused): refused is PaymentRefused =>
  refused._tag === "PaymentRefused" && refused.reason === "insufficient-funds"

/**
 * Without calls, the amounts hardly change the gas, unless a recipient's code looks at them. With the smallest amounts,
 * an empty wallet does not fail a quote.
 */
const ofSmallest = (payment: Payment): Payment => {
  switch (payment._tag) {
    case "Sweep":
    case "Permit":
    case "Submission":
      return payment
    case "Refund":
    case "Excess":
    case "Payout":
      return { ...payment, amount: 1n }
    case "Fill":
    case "Fallback":
      return callsIn(payment) === undefined
        ? { ...payment, amount: 1n, topup: payment.topup === 0n ? 0n : 1n }
        : payment
  }
}

/** On EVM chains an address costs nothing to open. Whoever has its key, or deploys to it, can give it code at any time. */
const withCode: Opening = { ...nothingToOpen, code: "present" }
const withoutCode: Opening = { ...nothingToOpen, code: "possible" }

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const solver = yield* SolverAccount
    const { account, operator } = solver
    const payers = payersOf(solver)

    const takenByUsual = async (
      client: PublicClient,
      chain: Chain,
      { bytes, gas, state }: Usual
    ): Promise<Taken> => {
      const data = usualData(bytes)
      const [fees, units, perByte, l1Fee] = await Promise.all([
        readFees(client),
        l1Units(client, account.address, chain, { data }),
        gasPerByte(client),
        l1FeeOf(client, chain, { data })
      ])
      return { fees, gas: gas + units + state * perByte, l1Fee }
    }

    const ofUsual = (chain: Chain, what: string, usual: Usual) =>
      lowestCost(
        rpc,
        chain,
        `gas of a ${what}`,
        async (client) => expectedCost(await takenByUsual(client, chain, usual)),
        (cost) => cost
      ).pipe(
        Effect.catchTag("PaymentRefused", (refused) => Effect.die(refused))
      )

    const ofSweep = (chain: Chain, { isNative }: { readonly isNative: boolean }) => {
      const kind = isNative ? "native" : "token"
      return ofUsual(chain, "sweep", { gas: SWEEP_GAS[kind], state: SWEEP_STATE[kind], bytes: SWEEP_BYTES })
    }

    const tryBy = Effect.fnUntraced(function*(payer: SendingAccount, payment: Payment, body: TransactionBody) {
      return yield* lowestCost(rpc, payment.chain, "gas of a payment", async (client) => {
        const { gas, ...rest } = await estimatePayment(client, payer.address, body, payment)
        return typeof gas === "bigint" ? { gas, state: rest.state, cost: expectedCost({ gas, ...rest }) } : gas
      }, ({ cost }) => cost)
    })

    /** By the first account that has enough: one that has nothing yet does not fail a quote that another one can pay. */
    const tryAs = Effect.fnUntraced(function*(payment: Payment) {
      const body = paymentBody(payment)
      if (body === undefined) return yield* new PaymentRefused({ reason: "reverts" })
      // A permit is tried by the solver, because not every process has the operator's key.
      const [first, ...others] = payment._tag === "Permit" ? [account] as const : yield* payers.payersFor(payment)
      return yield* others.reduce(
        (trying, payer) => Effect.catchIf(trying, isUnfunded, () => tryBy(payer, payment, body)),
        tryBy(first, payment, body)
      )
    })

    /** With its own amount, if that is there. */
    const tried = (payment: Payment) => {
      const smallest = ofSmallest(payment)
      return smallest.amount === payment.amount || !payment.currency.isNative
        ? tryAs(smallest)
        : Effect.catchIf(tryAs(payment), isUnfunded, () => tryAs(smallest))
    }

    return Gas.of({
      ofPayment: Effect.fnUntraced(function*(payment) {
        // Only an operator can try a sweep. A process without the operator's key knows the usual cost, but not whether
        // the sweep would fail.
        if (payment._tag === "Sweep" && operator === undefined) {
          return yield* ofSweep(payment.chain, { isNative: payment.sweep.currency === payment.chain.native.address })
        }
        return (yield* tried(payment)).cost
      }),
      unitsOf: Effect.fnUntraced(function*(payment) {
        const { gas, state } = yield* tried(payment)
        const { chain } = payment
        const body = paymentBody(ofSmallest(payment))
        if (chain.l1DataFee !== "arbitrum" || body === undefined) return unitsOfCode(gas, state)
        const units = yield* rpc.call(
          chain,
          "gas of data on L1",
          (client) => l1Units(client, account.address, chain, body)
        )
        return unitsOfCode(gas, units + state)
      }),
      mostOfCalls: Effect.fnUntraced(function*(payment) {
        const body = paymentBody(payment)
        if (body === undefined) return yield* new PaymentRefused({ reason: "reverts" })
        const { gas, ...rest } = yield* rpc.call(
          payment.chain,
          "gas of calls",
          (client) => estimatePayment(client, account.address, body, payment)
        )
        return typeof gas === "bigint" ? mostCost({ gas, ...rest }) : yield* gas
      }),
      opening: (payment) => {
        const body = callsRecipient(payment) ? paymentBody(ofSmallest(payment)) : undefined
        return body === undefined ? Effect.succeed(nothingToOpen) : Effect.map(
          rpc.call(payment.chain, "code of a recipient", (client) => runsRecipientCode(client, payment.chain, body)),
          (runs) => runs ? withCode : withoutCode
        )
      },
      ofPermit: (chain, kind, overhead) =>
        ofUsual(chain, "permit", {
          gas: PERMIT_GAS[kind] + overhead,
          state: PERMIT_STATE[kind].left,
          bytes: permitBytes(overhead)
        }),
      ofSweep
    })
  })
)
