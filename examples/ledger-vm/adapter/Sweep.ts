/**
 * The sweep of a deposit address: its key sends all that the address has of a currency into the depository, and the
 * solver pays the fee. So what was sent is what is deposited, to the unit.
 *
 * Its sequence is the address's own: sweeps of one address follow each other, and no payment of the solver waits for
 * them. If the money is gone when a block takes the sweep, the sweep fails and moves nothing.
 */
import { Effect } from "effect"
import { PaymentRefused, type PreparedPayment, type SignerUnavailable, type SweepPayment } from "causeway-kit/ports"
import { confirmedSequence } from "causeway-kit/adapters/endpoints"
import type { SignedTransfer } from "../ledger/Transfer.ts"
import { ask, type LedgerRpc } from "./LedgerNode.ts"
import type { Solver } from "./Solver.ts"

/** A sweep that needs only its sequence to be signed. */
export interface PreparedSweep extends Omit<PreparedPayment, "sign"> {
  readonly sign: (sequence: bigint) => Effect.Effect<SignedTransfer, SignerUnavailable>
}

/** SECURITY: with another seed, or another row of the store, another account's money would be moved. */
const sweptBy = Effect.fnUntraced(function*(
  { depositAccount }: Solver["Service"],
  { sweep: { address, key } }: SweepPayment
) {
  if (depositAccount === undefined || key === undefined) {
    return yield* Effect.die(new Error("a process without the seed of deposit addresses was to sweep one"))
  }
  const found = yield* depositAccount(key)
  return found.account === address
    ? found
    : yield* Effect.die(
      new Error(`the key of the deposit address ${address} does not follow from the seed that this process has`)
    )
})

/** Refuses a sweep of nothing ("reverts"), and one whose fee the solver cannot pay. */
export const sweepPreparation = (rpc: LedgerRpc["Service"], solver: Solver["Service"]) => {
  const { account: payer, signature } = solver
  return Effect.fnUntraced(function*(payment: SweepPayment) {
    const { chain, sweep: { address, currency, depositId } } = payment
    const swept = yield* sweptBy(solver, payment)
    const [{ fee, held, units }, chainSequence] = yield* Effect.all([
      rpc.call(chain, "sweep preparation", async (client) => {
        const [ledger, sending, paying] = await Promise.all([
          client.get(ask.ledger),
          client.get(ask.account(address)),
          client.get(ask.account(payer))
        ])
        return {
          fee: ledger.fee,
          units: sending.balances[currency] ?? 0n,
          held: paying.balances[chain.native.address] ?? 0n
        }
      }),
      // By the quorum: with a sequence that is not reached yet, this sweep and all later ones would wait for ever.
      confirmedSequence(rpc, chain, async (client) => (await client.get(ask.account(address))).sequence)
    ], { concurrency: 2 })
    if (units === 0n) return yield* new PaymentRefused({ reason: "reverts" })
    if (fee > held) return yield* new PaymentRefused({ reason: "insufficient-funds" })
    return {
      account: address,
      chainSequence,
      costs: [{ holder: payer, currency: chain.native.address, amount: fee, balance: held }],
      sign: Effect.fnUntraced(function*(sequence: bigint) {
        const transfer = {
          ledger: chain.genesisHash ?? "",
          sender: address,
          sequence,
          recipient: chain.depository,
          currency,
          amount: units,
          fee,
          memo: depositId,
          payer
        }
        return {
          transfer,
          signature: yield* swept.signature(transfer),
          payerSignature: yield* signature(transfer)
        } satisfies SignedTransfer
      })
    } satisfies PreparedSweep
  })
}
