/**
 * The port `Treasury`: the solver's transfers, and sweeps of deposit addresses. Signed, then stored, then broadcast:
 * nothing is sent before `broadcast` is called with the stored bytes.
 *
 * The ledger numbers an account's transfers, so two payments with one sequence can never both be executed. Every
 * transfer costs the same, so none is ever replaced at a higher fee.
 */
import { Effect, Layer, Result, Schema } from "effect"
import { type Address, type Chain, parseTransactionId } from "causeway-kit"
import {
  type Broadcast,
  isPlain,
  type Payment,
  type PaymentOutcome,
  PaymentRefused,
  type PreparedPayment,
  type SignedPayment,
  Treasury,
  type Variants
} from "causeway-kit/ports"
import { confirmedSequence, paymentRead } from "causeway-kit/adapters/endpoints"
import { SignedTransfer, transferId } from "../ledger/Transfer.ts"
import { RefusedAnswer } from "./Answers.ts"
import { ask, type LedgerClient, LedgerRpc } from "./LedgerNode.ts"
import { Solver } from "./Solver.ts"
import { sweepPreparation } from "./Sweep.ts"
import { blockOf } from "./Watcher.ts"

/** As stored and as sent. */
const Stored = Schema.fromJsonString(SignedTransfer)
const decodeStored = Schema.decodeSync(Stored)
const encodeStored = Schema.encodeSync(Stored)
const encodeSigned = Schema.encodeSync(SignedTransfer)
const decodeRefused = Schema.decodeUnknownSync(RefusedAnswer)

export const signedPayment = (chain: Chain, signed: SignedTransfer): SignedPayment => ({
  transactionId: Result.getOrThrow(parseTransactionId(chain.family, transferId(signed.transfer))),
  raw: encodeStored(signed)
})

export const submit = async (client: LedgerClient, signed: SignedTransfer): Promise<Broadcast> => {
  const { said, status } = await client.send({ method: "POST", path: "/v1/transfers", body: encodeSigned(signed) })
  if (status === 200) return "accepted"
  switch (decodeRefused(said).error) {
    case "unfunded":
      return "unfunded"
    case "fee too low":
      return "underpriced"
    // Another transfer has this sequence. `outcome` reports that once it is final.
    case "sequence used":
      return "accepted"
    default:
      throw new Error("the node refused a transfer that this adapter has signed")
  }
}

const read = async (client: LedgerClient, chain: Chain, account: Address, payment: Payment) => {
  const [ledger, paying, receiving] = await Promise.all([
    client.get(ask.ledger),
    client.get(ask.account(account)),
    client.get(ask.account(payment.recipient))
  ])
  const units = (currency: string) => paying.balances[currency] ?? 0n
  const { address, isNative } = payment.currency
  const costs = [
    {
      holder: account,
      currency: chain.native.address,
      amount: ledger.fee + (isNative ? payment.amount : 0n),
      balance: units(chain.native.address)
    },
    ...(isNative ? [] : [{ holder: account, currency: address, amount: payment.amount, balance: units(address) }])
  ]
  return { costs, fee: ledger.fee, isClosed: receiving.isClosed }
}

const outcomeOf = async (client: LedgerClient, variants: Variants): Promise<PaymentOutcome> => {
  const { sender, sequence } = decodeStored(variants[0].raw).transfer
  // Read first: transfers up to this final block were already visible when the others were read.
  const { finalSequence } = await client.get(ask.account(sender))
  const seen = await Promise.all(variants.map(async (variant) => ({
    variant,
    ...(await client.get(ask.transfer(variant.transactionId)))
  })))
  const included = seen.find(({ transfer }) => transfer !== undefined)
  if (included?.transfer !== undefined) {
    const { final, transfer: { block, feePaid, succeeded }, variant } = included
    return {
      _tag: "Included",
      transactionId: variant.transactionId,
      block: blockOf(block),
      succeeded,
      gasPaid: feePaid,
      final: block.height <= final.height
    }
  }
  if (finalSequence > sequence) return { _tag: "Superseded" }
  return { _tag: seen.at(-1)?.pooled === true ? "Pending" : "Unseen" }
}

export const layer = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const rpc = yield* LedgerRpc
    const solver = yield* Solver
    const { account, sign } = solver
    const prepareSweep = sweepPreparation(rpc, solver)

    const prepare = Effect.fn("Treasury.prepare")(function*(payment: Payment) {
      if (payment._tag === "Sweep") {
        const { sign: signSweep, ...prepared } = yield* prepareSweep(payment)
        return {
          ...prepared,
          sign: (sequence) => Effect.map(signSweep(sequence), (signed) => signedPayment(payment.chain, signed))
        } satisfies PreparedPayment
      }
      if (!isPlain(payment)) return yield* new PaymentRefused({ reason: "reverts" })
      const { amount, chain, currency, orderId, recipient } = payment
      const [found, chainSequence] = yield* Effect.all([
        rpc.call(chain, "payment preparation", (client) => read(client, chain, account, payment)),
        // By the quorum: with a sequence that is not reached yet, this payment and all later ones would wait for ever.
        confirmedSequence(rpc, chain, async (client) => (await client.get(ask.account(account))).sequence)
      ], { concurrency: 2 })
      if (found.isClosed) return yield* new PaymentRefused({ reason: "reverts" })
      if (found.costs.some((cost) => cost.amount > cost.balance)) {
        return yield* new PaymentRefused({ reason: "insufficient-funds" })
      }
      return {
        account,
        chainSequence,
        costs: found.costs,
        sign: (sequence) =>
          Effect.map(
            sign({
              ledger: chain.genesisHash ?? "",
              sender: account,
              sequence,
              recipient,
              currency: currency.address,
              amount,
              fee: found.fee,
              memo: orderId
            }),
            (signed) => signedPayment(chain, signed)
          )
      } satisfies PreparedPayment
    })

    return Treasury.of({
      inventory: (chain, { address }) =>
        rpc.call(
          chain,
          "inventory",
          async (client) => [(await client.get(ask.account(account))).balances[address] ?? 0n]
        ),
      prepare,
      broadcast: (chain, { raw }) => rpc.call(chain, "broadcast", (client) => submit(client, decodeStored(raw))),
      outcome: (chain, variants, by) => rpc.witnessed(chain, paymentRead((client) => outcomeOf(client, variants)), by),
      replacing: () => undefined
    })
  })
)
