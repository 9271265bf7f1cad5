/**
 * The solver's payments on EVM chains. They are EIP-1559 transactions of its accounts, of which any pays plainly and
 * the first operates its vault (EIP-7702 transactions when a fill carries authorizations). Sweeps of deposit addresses
 * and permits come from another account.
 *
 * An account's nonce makes a payment unique: the stored bytes may be broadcast any number of times, and a second
 * transaction with that nonce can never be mined.
 */
import { Effect, Layer, Result } from "effect"
import type { PublicClient } from "viem"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import { callsIn, callsRecipient, holdingOf } from "../../../ports/chain/PaymentKinds.ts"
import type { Holding, Payment } from "../../../ports/chain/PaymentKinds.ts"
import type {
  AccountPayment,
  PaymentCost,
  PaymentOutcome,
  PreparedPayment,
  Variants
} from "../../../ports/chain/Treasury.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { addressCodec } from "../../../src/domain/families/index.ts"
import { minOf } from "../../../src/domain/money/Rounding.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { roomForCode } from "../../../src/domain/transfer/payment/CodeUnits.ts"
import { confirmedSequence } from "../../endpoints/sent/ConfirmedSequence.ts"
import { paymentRead } from "../../endpoints/PaymentRead.ts"
import { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { readHeads } from "../observe/Finality.ts"
import { isKnown, standingReceipt } from "../observe/Receipt.ts"
import { tipBounds, withBoundedTip } from "./TipBounds.ts"
import { broadcast } from "./Broadcasting.ts"
import { balanceOf, estimatePayment, mostCost } from "./EstimatePayment.ts"
import { TRANSACTION_GAS } from "./Fees.ts"
import { paidFor } from "./l1-data/L1Fee.ts"
import { l1Units, unitsOfCode } from "./l1-data/L1Units.ts"
import { payersOf, signedBy } from "./Payers.ts"
import type { Payers } from "./Payers.ts"
import { movedBy, paymentBody } from "./PaymentTransaction.ts"
import type { TransactionBody } from "./PaymentTransaction.ts"
import { replacingBy } from "./Replacing.ts"
import { runsRecipientCode } from "./RecipientCode.ts"
import { SolverAccount } from "./SolverAccount.ts"
import type { SendingAccount } from "./SolverAccount.ts"
import { SeenHeights } from "./SeenHeights.ts"
import { isSuperseded } from "./Superseded.ts"

const outcomeOf =
  (payers: Payers, seen: SeenHeights, chain: Chain, variants: Variants) =>
  async (client: PublicClient): Promise<PaymentOutcome> => {
    const heads = readHeads(client, chain)
    const [{ finalHeight }, ...receipts] = await Promise.all([
      heads,
      ...variants.map(async (variant) => ({
        variant,
        // A payment is usually looked for when a new block has come, which then holds it.
        found: await standingReceipt(
          client,
          viemHex(variant.transactionId),
          seen.of(variant.transactionId) ?? heads
        )
      }))
    ])
    // At most one: they share a nonce.
    const mined = receipts.find(({ found }) => found !== undefined)
    if (mined?.found === undefined) {
      const newest = variants[variants.length - 1] ?? variants[0]
      if (await isKnown(client, viemHex(newest.transactionId))) return { _tag: "Pending" }
      return {
        _tag: await isSuperseded(client, await payers.signerOf(variants[0]), variants, finalHeight)
          ? "Superseded"
          : "Unseen"
      }
    }
    const { found: { receipt, time }, variant } = mined
    seen.note(variant.transactionId, receipt.blockNumber)
    return {
      _tag: "Included",
      transactionId: variant.transactionId,
      block: { height: receipt.blockNumber, hash: receipt.blockHash, time },
      succeeded: receipt.status === "success",
      gasPaid: paidFor(chain, receipt),
      final: receipt.blockNumber <= finalHeight
    }
  }

/** Native currency that goes to whoever has paid, or may be paid: it runs their code, if there is any. */
const isPlainNative = ({ _tag, currency }: Payment): boolean =>
  currency.isNative && (_tag === "Refund" || _tag === "Excess" || _tag === "Payout")

/** What a payment would take now, and what is there for it. */
const readFor =
  ({ address }: SendingAccount, holder: Address, payment: Payment, body: TransactionBody) =>
  async (client: PublicClient) => {
    const { chain } = payment
    const runsCode = callsIn(payment) !== undefined || callsRecipient(payment) || isPlainNative(payment)
    const [estimate, native, moved, runs, units] = await Promise.all([
      estimatePayment(client, address, body, payment),
      client.getBalance({ address }),
      Promise.all(
        movedBy(payment).map(async (each) => ({
          ...each,
          balance: await balanceOf(client, viemHex(holder), each.currency)
        }))
      ),
      callsRecipient(payment) && runsRecipientCode(client, chain, body),
      runsCode ? l1Units(client, address, chain, body) : 0n
    ])
    return { ...estimate, native, moved, runs, units }
  }

const addressOf = ({ address }: SendingAccount): Address =>
  Result.getOrThrow(addressCodec("ethereum-vm").parse(address))

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const seen = new SeenHeights()
    const solver = yield* SolverAccount
    const payers = payersOf(solver)
    const addresses = [solver.account, ...solver.further].map(addressOf)

    const inventory = (chain: Chain, currency: Currency, holding: Holding) =>
      rpc.call(chain, "inventory", (client) =>
        Promise.all(
          (holding === "vault" && chain.vault !== undefined ? [chain.vault] : addresses).map((holder) =>
            balanceOf(client, viemHex(holder), currency)
          )
        ))

    const prepareBy = Effect.fnUntraced(function*(payer: SendingAccount, payment: Payment, body: TransactionBody) {
      const { amount, chain } = payment
      const from = addressOf(payer)
      const holder = holdingOf(payment) === "vault" ? chain.vault ?? from : from
      const reading = rpc.call(chain, "payment preparation", readFor(payer, holder, payment, body))
      const counting = confirmedSequence(
        rpc,
        chain,
        async (client) => BigInt(await client.getTransactionCount({ address: payer.address, blockTag: "latest" }))
      )
      const [{ gas: taken, l1Fee, moved, native, runs, state, units, ...read }, chainSequence, bounds] = yield* Effect
        .all([
          reading,
          counting,
          tipBounds(rpc, chain)
        ], { concurrency: "unbounded" })
      const fees = withBoundedTip(read.fees, bounds)
      // Checks the balance first: an estimate reports missing money in many different ways.
      if (moved.some((each) => each.balance < each.amount)) {
        return yield* new PaymentRefused({ reason: "insufficient-funds" })
      }
      if (typeof taken !== "bigint") return yield* taken
      const code = unitsOfCode(taken, units + state)
      const room = callsRecipient(payment) && !runs && callsIn(payment) === undefined ? roomForCode(code) - code : 0n
      const gas = minOf(taken + room, TRANSACTION_GAS)
      const mostGas = mostCost({ fees, gas, l1Fee })
      const costs: ReadonlyArray<PaymentCost> = [
        { holder: from, currency: chain.native.address, amount: body.value + mostGas, balance: native },
        // A native amount is the body's value. A sweep has no amount of its own.
        ...(body.value > 0n || amount === 0n
          ? []
          : moved.map(({ currency, ...rest }) => ({ holder, currency: currency.address, ...rest })))
      ]
      if (costs.some(({ amount, balance }) => amount > balance)) {
        return yield* new PaymentRefused({ reason: "insufficient-funds" })
      }
      const sign = (sequence: bigint) =>
        signedBy(
          payer,
          {
            chainId: payment.chain.id,
            nonce: Number(sequence),
            gas,
            maxFeePerGas: fees.maxFeePerGas,
            maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
            ...body
          }
        )
      return {
        account: from,
        chainSequence,
        costs,
        mostGas,
        ...(runs ? { runsCode: true as const } : {}),
        ...(runs || callsIn(payment) !== undefined || isPlainNative(payment)
          ? { codeUnits: unitsOfCode(gas, units + state) }
          : {}),
        sign
      } satisfies AccountPayment
    })

    /** Refused only when no account can make it; for want of money only when that is all that is wrong. */
    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      const body = paymentBody(payment)
      if (body === undefined) return yield* new PaymentRefused({ reason: "reverts" })
      const tried = yield* Effect.forEach(
        yield* payers.payersFor(payment),
        (payer) => Effect.catchTag(prepareBy(payer, payment, body), "PaymentRefused", Effect.succeed),
        { concurrency: "unbounded" }
      )
      const [first, ...others] = tried.flatMap((each) => each instanceof PaymentRefused ? [] : [each])
      if (first !== undefined) {
        return { ...first, ...(others.length === 0 ? {} : { others }) } satisfies PreparedPayment
      }
      const refusals = tried.flatMap((each) => each instanceof PaymentRefused ? [each] : [])
      return yield* refusals.find(({ reason }) => reason === "reverts") ??
        new PaymentRefused({ reason: "insufficient-funds" })
    })

    const replacing = replacingBy(rpc, payers)
    return Treasury.of({
      inventory,
      prepare,
      broadcast: (chain, signed) => broadcast(rpc, chain, signed),
      outcome: (chain, variants, by) => rpc.witnessed(chain, paymentRead(outcomeOf(payers, seen, chain, variants)), by),
      replacing: () => replacing
    })
  })
)
