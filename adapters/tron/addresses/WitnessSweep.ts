/**
 * What a sweep rests on, by the quorum: the block that it names, the money at its address in solidified blocks (TRON-29),
 * and what it takes (TRON-24).
 *
 * SECURITY: one endpoint has told all of it. One that made up the money would have the solver send TRX to the address
 * again and again, and one that shows too much TRX what the solver has sent swept. One that tells too little energy, or
 * too low a price, makes each sweep run out of energy in its block. One that tells too much would have the solver send
 * the address all of its TRX: they stay there for the next sweeps.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { SweptDeposit } from "../../../src/domain/families/tron/addresses/SweepBody.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { readPrices } from "../cost/TronPrices.ts"
import { showsBlock, witness } from "../pay/Reference.ts"
import type { KeyAccount } from "../pay/SolverAccount.ts"
import type { TronFault, TronRead, TronRpc } from "../rpc/TronRpc.ts"
import { readFinalUnits } from "./FinalUnits.ts"
import { costsOf, energyOf, USUAL_ENERGY } from "./TrySweep.ts"
import type { TriedSweep } from "./TrySweep.ts"

const showsMoney = (
  { sweep: { address } }: SweepPayment,
  { deposit: { owner, token }, rests }: TriedSweep
): TronRead<boolean> =>
(node, deadline) =>
  Effect.map(readFinalUnits(node, { address, evm: owner }, token, deadline), (units) => units >= rests)

/**
 * The most energy that an endpoint lets a sweep offer, before its room: twice what the endpoint tells, because a block
 * later the call may take less. Of a token as much as a usual one, too: an endpoint need not try the call of an account
 * that does not exist yet, and one that does not tells more than one that does.
 */
const mostEnergy = (energy: bigint, { token }: SweptDeposit): bigint =>
  token === undefined || energy * 2n > USUAL_ENERGY ? energy * 2n : USUAL_ENERGY

/** Whether the call succeeds and moves the whole amount, and what it is sent and offers is neither too little nor too much. */
const showsCosts = (
  solver: Pick<KeyAccount, "evm">,
  { body, deposit, feeLimit, need }: TriedSweep
): TronRead<boolean> =>
  Effect.fnUntraced(function*(node, deadline): Effect.fn.Return<boolean, TronFault> {
    const [energy, prices] = yield* Effect.all([
      energyOf(node, solver, deposit, false, deadline),
      readPrices(node, deadline)
    ], { concurrency: 2 })
    return energy !== undefined && energy * prices.energy <= feeLimit &&
      need <= costsOf(body, mostEnergy(energy, deposit), prices).need
  })

/** No further request where one host decides. `behind` while the quorum does not show it. */
export const witnessSweep = (
  rpc: TronRpc["Service"],
  solver: Pick<KeyAccount, "evm">,
  payment: SweepPayment,
  block: BlockRef,
  tried: TriedSweep
): Effect.Effect<void, ChainUnavailable> =>
  witness(
    rpc,
    payment.chain,
    "what a sweep rests on",
    (node, deadline) =>
      Effect.map(
        Effect.all([
          showsBlock(block)(node, deadline),
          showsMoney(payment, tried)(node, deadline),
          showsCosts(solver, tried)(node, deadline)
        ], { concurrency: "unbounded" }),
        (shown) => shown.every(Boolean)
      )
  )
