/** Sweeps of deposit addresses. The address's key signs, and the solver pays. */
import { createNoopSigner } from "@solana/kit"
import { Effect } from "effect"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { PaymentCost, PreparedPayment } from "../../../ports/chain/Treasury.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { SolanaRpc } from "../rpc/SolanaRpc.ts"
import { isCarriedOut, recentBlock, signed, witnessLifetime } from "./Signing.ts"
import type { SolverAccount } from "./SolverAccount.ts"
import { readSweepFacts, sweepMessage } from "./SweepMessage.ts"

/** The key of the address to sweep. A process that sweeps has it. */
const sweptBy = Effect.fnUntraced(function*(
  { depositSigner }: SolverAccount["Service"],
  { sweep: { address: swept, key } }: SweepPayment
) {
  if (depositSigner === undefined) {
    return yield* Effect.die(new Error("a process without the seed of deposit addresses was to sweep one"))
  }
  const found = key === undefined ? undefined : yield* depositSigner(key)
  return String(found?.address) === String(swept) && found !== undefined
    ? found
    : yield* Effect.die(
      new Error(`the key of the deposit address ${swept} does not follow from the seed that this process has`)
    )
})

/** A sweep, ready to be signed by the address's key and by the solver, who pays. */
export const prepareSweep = Effect.fnUntraced(function*(
  rpc: SolanaRpc["Service"],
  solver: SolverAccount["Service"],
  account: Address,
  payment: SweepPayment
) {
  const { chain } = payment
  const { signer } = solver
  const swept = yield* sweptBy(solver, payment)
  const found = yield* rpc.call(chain, "sweep preparation", async (client) => {
    const facts = await readSweepFacts(client, signer.address, payment)
    if (facts === undefined || facts.units === 0n) return { refused: "reverts" as const }
    const cost: PaymentCost = {
      holder: account,
      currency: chain.native.address,
      amount: facts.fee + facts.rent,
      balance: facts.lamports
    }
    if (cost.amount > cost.balance) return { refused: "insufficient-funds" as const }
    const { lifetime, recent } = await recentBlock(client)
    const message = sweepMessage(
      createNoopSigner(signer.address),
      createNoopSigner(swept.address),
      payment,
      facts,
      recent
    )
    return await isCarriedOut(client, message)
      ? { costs: [cost], message, lifetime, recent }
      : { refused: "reverts" as const }
  })
  if ("refused" in found) return yield* new PaymentRefused({ reason: found.refused })
  yield* witnessLifetime(rpc, chain, found.recent.blockhash, found.lifetime)
  return {
    account,
    chainSequence: 0n,
    costs: found.costs,
    sign: () => signed(found.message, found.lifetime, [signer, swept])
  } satisfies PreparedPayment
})
