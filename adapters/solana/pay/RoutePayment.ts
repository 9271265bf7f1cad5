/**
 * A fill that swaps (SOLANA-21): one transaction with a memo that is only the order's id, and a route that takes the
 * payment's whole amount from the solver and pays the recipient, at least the least output. A new route is asked for
 * each time that the payment is signed, because a route is only good for the moment.
 *
 * SECURITY: the server of routes is not trusted. Its instructions are checked as for a user who would sign them, and the
 * simulation must show that the solver loses the amount, fee and rent and nothing else. The least output is in the
 * route's own bytes, so the chain enforces it.
 */
import { address, compileTransaction, getTransactionSize } from "@solana/kit"
import type { Instruction } from "@solana/kit"
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from "@solana-program/compute-budget"
import { getAddMemoInstruction } from "@solana-program/memo"
import type { FillPayment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { PaymentCost } from "../../../ports/chain/Treasury.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { Bps, WHOLE_BPS, zeroBps } from "../../../src/domain/money/Bps.ts"
import { programs } from "../../../src/domain/families/solana/evidence/Programs.ts"
import type { FillSwap } from "../../../src/domain/swap/FillSwap.ts"
import type { InstructionRoute } from "../../../src/domain/swap/UserCall.ts"
import { JupiterFault } from "../quote/jupiter/JupiterApi.ts"
import type { JupiterServer } from "../quote/jupiter/JupiterApi.ts"
import { makeRoute, quoteOf } from "../quote/jupiter/Routes.ts"
import { messageWith, MOST_BYTES, MOST_UNITS, readTables, withRoom } from "../routes/LookupTables.ts"
import { differenceAfter, readRoute } from "../routes/RouteState.ts"
import type { RouteState } from "../routes/RouteState.ts"
import { kitInstruction, withoutOpening } from "../rpc/Instructions.ts"
import { leastBalance } from "../rpc/Rent.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { readAccounts } from "../rpc/Tokens.ts"
import { feeOf, LAMPORTS_A_SIGNATURE, readUnitPrice } from "./Fees.ts"
import { isWallet } from "./PaymentFacts.ts"
import { recentBlock } from "./Signing.ts"
import { simulate } from "./Simulation.ts"

/** A fill with its swap. */
export type SwappedFill = FillPayment & { readonly swap: FillSwap }

export const isSwappedFill = (payment: { readonly _tag: string; readonly swap?: unknown }): payment is SwappedFill =>
  payment._tag === "Fill" && payment.swap !== undefined

/** Why the payment is not made, and what operators should know about it. */
export interface NotRouted {
  readonly refused: PaymentRefused
  readonly told?: string
}

const reverts = (told?: string): NotRouted => ({
  refused: new PaymentRefused({ reason: "reverts" }),
  ...(told === undefined ? {} : { told })
})

interface Asking {
  readonly client: SolanaClient
  readonly server: JupiterServer["Service"]
  readonly solver: Address
  readonly payment: SwappedFill
}

/** The route that the market gives now, with a limit that is not below the least output. */
const routeNow = async ({ client, payment, server, solver }: Asking): Promise<InstructionRoute | NotRouted> => {
  const { amount, chain, currency: from, recipient, swap: { currency: to, least, mostHops } } = payment
  const router = chain.swaps?.sources.find(({ id }) => id === "jupiter")?.router
  if (router === undefined || server.url === undefined) return reverts()
  const quote = (slippage: Bps) =>
    quoteOf(server, router, {
      chain,
      from,
      to,
      exact: "in",
      amount,
      route: { mostHops, sharedAccounts: true, slippage }
    })
  const exact = await quote(zeroBps)
  if (exact === undefined || exact.amountOut < least) return reverts()
  const room = Bps((exact.amountOut - least) * WHOLE_BPS / exact.amountOut)
  const loose = room === 0n ? exact : await quote(room)
  if (loose === undefined) return reverts()
  const made = await makeRoute({
    client,
    server,
    quote: loose,
    terms: { recipient, limit: least, deadline: 0 },
    user: solver
  })
  return typeof made === "string" ? reverts(made) : made
}

/** The route without opening the recipient's account where that is open: nobody gets rent by closing it meanwhile. */
const openingOnce = ({ instructions, ...route }: InstructionRoute, state: RouteState): InstructionRoute => ({
  ...route,
  instructions: instructions.map((each) =>
    each.program === programs.associatedToken && each.accounts[1]?.address === state.destination && !state.opens
      ? withoutOpening(each)
      : each
  )
})

const instructionsOf = (
  { orderId }: SwappedFill,
  { instructions }: InstructionRoute,
  units: number,
  unitPrice: bigint
): ReadonlyArray<Instruction> => [
  getSetComputeUnitLimitInstruction({ units }),
  ...(unitPrice === 0n ? [] : [getSetComputeUnitPriceInstruction({ microLamports: unitPrice })]),
  getAddMemoInstruction({ memo: orderId }),
  ...instructions.map(kitInstruction)
]

/** `least`: what the solver's account must keep; `fee`: both in lamports. */
const costsOf = (
  { amount, chain, currency }: SwappedFill,
  { balance, lamports, lent, rent }: RouteState,
  solver: Address,
  least: bigint,
  fee: bigint
): ReadonlyArray<PaymentCost> => [
  {
    holder: solver,
    currency: chain.native.address,
    amount: fee + rent + lent + (currency.isNative ? amount : 0n),
    balance: lamports > least ? lamports - least : 0n
  },
  ...(currency.isNative ? [] : [{ holder: solver, currency: currency.address, amount, balance }])
]

const isShort = (costs: ReadonlyArray<PaymentCost>): boolean => costs.some(({ amount, balance }) => amount > balance)

const prepared = async (asking: Asking) => {
  const { client, payment, solver } = asking
  const recipient = address(payment.recipient)
  const [receiving] = await readAccounts(client, [recipient])
  if (!isWallet(recipient, receiving)) {
    return { refused: new PaymentRefused({ reason: "reverts", unfit: { _tag: "NoWallet" } }) } satisfies NotRouted
  }
  const found = await routeNow(asking)
  if ("refused" in found) return found
  const [state, least] = await Promise.all([readRoute(client, payment.chain, solver, found), leastBalance(client)])
  const route = openingOnce(found, state)
  // Checked before the simulation, which reports missing money in many different ways.
  if (isShort(costsOf(payment, state, solver, least, LAMPORTS_A_SIGNATURE))) {
    return { refused: new PaymentRefused({ reason: "insufficient-funds" }) } satisfies NotRouted
  }
  const written = [solver, state.source ?? solver, state.destination ?? solver].map((key) => address(key))
  const [tables, unitPrice, { lifetime, recent }] = await Promise.all([
    readTables(client, route.lookupTables),
    readUnitPrice(client, [...new Set(written)]),
    recentBlock(client)
  ])
  const messageOf = (units: number, price: bigint) =>
    messageWith(solver, instructionsOf(payment, route, units, price), recent, tables)
  // Without a price for its units, so that only the signature's fee is missing from the solver's lamports.
  const tried = compileTransaction(messageOf(MOST_UNITS, 0n))
  const bytes = getTransactionSize(compileTransaction(messageOf(MOST_UNITS, unitPrice)))
  if (bytes > MOST_BYTES) {
    return {
      refused: new PaymentRefused({ reason: "reverts", unfit: { _tag: "TooLarge", bytes, limit: MOST_BYTES } })
    } satisfies NotRouted
  }
  const value = await simulate(client, tried, state.watched.map((key) => address(key)))
  if (value.err !== null) return reverts()
  const difference = differenceAfter(state, value.accounts)
  if (difference !== undefined) return reverts(difference)
  const units = value.unitsConsumed === undefined ? MOST_UNITS : withRoom(value.unitsConsumed)
  const fee = feeOf(1n, units, unitPrice)
  const costs = costsOf(payment, state, solver, least, fee)
  if (isShort(costs)) return { refused: new PaymentRefused({ reason: "insufficient-funds" }) } satisfies NotRouted
  return { costs, fee, given: state.given, lifetime, recent, message: messageOf(units, unitPrice) }
}

/** Ready to be signed, with its cost in lamports. Not when it could not be carried out now. */
export const prepareRoutePayment = async (asking: Asking) => {
  try {
    return await prepared(asking)
  } catch (cause) {
    // The server's failure is not the endpoint's, and may end.
    if (cause instanceof JupiterFault) {
      return { refused: new PaymentRefused({ reason: "unroutable" }) } satisfies NotRouted
    }
    throw cause
  }
}
