/**
 * A swap before the deposit (SOLANA-20): one transaction that opens the accounts of the route, and then calls the swap
 * depositor, which makes the route's own call and deposits what comes out. It is simulated when the balance allows it,
 * uses the route's lookup tables, and is no larger than the chain accepts.
 */
import { AccountRole, address, compileTransaction, createNoopSigner, getTransactionSize } from "@solana/kit"
import type { Address, Instruction } from "@solana/kit"
import { getSetComputeUnitLimitInstruction } from "@solana-program/compute-budget"
import { DepositRefused, DepositUnfit } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, DepositWay, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { programs } from "../../../src/domain/families/solana/evidence/Programs.ts"
import { swapDepositData } from "../../../src/domain/families/solana/evidence/SwapDepositor.ts"
import { LAMPORTS_A_SIGNATURE } from "../pay/Fees.ts"
import { simulate } from "../pay/Simulation.ts"
import { messageWith, MOST_BYTES, MOST_UNITS, readTables, withRoom } from "../routes/LookupTables.ts"
import { differenceAfter, readRoute } from "../routes/RouteState.ts"
import { kitInstruction } from "../rpc/Instructions.ts"
import { leastBalance } from "../rpc/Rent.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { mintOf, readAccounts, tokenAccountOf } from "../rpc/Tokens.ts"
import { accountsOf, depositInstruction, openingVault } from "./DepositInstructions.ts"
import type { DepositedToken } from "./DepositInstructions.ts"
import { depositStep } from "./DepositStep.ts"

type RouteDeposit = Extract<DepositWay, { readonly _tag: "RouteDeposit" }>

/** A placeholder, for simulating before the order exists. */
const ANY_ID = Hex32.make(`0x${"ff".repeat(32)}`)

/** The accounts of the deposit, of both programs, and of the route's call: in this sequence (swap_depositor.c). */
const swapAndDeposit = (
  { origin, user }: DepositIntent,
  { depositor, minimum, route }: RouteDeposit,
  token: DepositedToken,
  id: Hex32
): Instruction => {
  const { depository } = origin
  const deposit = depositInstruction({
    depository,
    sender: address(user),
    depositor: address(user),
    amount: minimum,
    token,
    id
  })
  const swap = kitInstruction(route.swap)
  const program = (key: string) => ({ address: address(key), role: AccountRole.READONLY })
  return {
    programAddress: address(depositor),
    accounts: [
      ...(deposit.accounts ?? []),
      program(depository),
      program(route.swap.program),
      ...(swap.accounts ?? [])
    ],
    data: swapDepositData({ minimum, id, swap: Uint8Array.from(swap.data ?? []) })
  }
}

/** The payer of another account's fees also opens the accounts of the route. */
const openedBy = (payer: string | undefined, instruction: Instruction): Instruction => {
  const [, ...rest] = instruction.accounts ?? []
  return payer === undefined || instruction.programAddress !== programs.associatedToken
    ? instruction
    : { ...instruction, accounts: [{ address: address(payer), role: AccountRole.WRITABLE_SIGNER }, ...rest] }
}

const instructionsOf = (
  intent: DepositIntent,
  way: RouteDeposit,
  token: DepositedToken,
  id: Hex32,
  units: number = MOST_UNITS
): ReadonlyArray<Instruction> => [
  ...(intent.computeUnitLimit === true ? [getSetComputeUnitLimitInstruction({ units })] : []),
  ...(intent.feePayer === undefined
    ? []
    : openingVault(createNoopSigner(address(intent.feePayer)), intent.origin.depository, token)),
  ...way.route.instructions.map((each) =>
    each === way.route.swap
      ? swapAndDeposit(intent, way, token, id)
      : openedBy(intent.feePayer, kitInstruction(each))
  )
]

/** Undefined for a token that takes a fee of every transfer: the deposit would be less than the swap gives. */
const tokenOf = async (
  client: SolanaClient,
  { origin, user }: DepositIntent,
  { output }: RouteDeposit
): Promise<DepositedToken | undefined> => {
  const mint = await mintOf(client, origin, output)
  if (!mint.isWhole) return undefined
  const [from, into] = await Promise.all([
    tokenAccountOf(mint, address(user)),
    tokenAccountOf(mint, accountsOf(origin.depository).vault)
  ])
  const [vaults] = await readAccounts(client, [into])
  return { mint, from, into, isOpen: vaults !== undefined }
}

const lamportsOf = async (client: SolanaClient, of: Address): Promise<bigint> =>
  (await readAccounts(client, [of]))[0]?.lamports ?? 0n

export const prepareRouteDeposit = async (
  client: SolanaClient,
  intent: DepositIntent,
  way: RouteDeposit
): Promise<PreparedDeposit | DepositRefused | DepositUnfit> => {
  const { amount, feePayer, origin, user } = intent
  const token = await tokenOf(client, intent, way)
  if (token === undefined) return new DepositUnfit({ reason: { _tag: "TransferFee", symbol: way.output.symbol } })
  const state = await readRoute(client, origin, user, way.route, token.into)
  const tables = await readTables(client, way.route.lookupTables)
  const cost = LAMPORTS_A_SIGNATURE * (feePayer === undefined ? 1n : 2n) + state.rent
  if (feePayer !== undefined) {
    const [least, held] = await Promise.all([leastBalance(client), lamportsOf(client, address(feePayer))])
    const needed = cost + least
    if (held < needed) return new DepositUnfit({ reason: { _tag: "FeePayerUnfunded", needed, held } })
  }
  const gas = feePayer === undefined ? cost : 0n
  const { context, value: recent } = await client.getLatestBlockhash({ commitment: "confirmed" }).send()
  const tried = instructionsOf(intent, way, token, ANY_ID)
  const transaction = compileTransaction(messageWith(feePayer ?? user, tried, recent, tables))
  const bytes = getTransactionSize(transaction)
  if (bytes > MOST_BYTES) return new DepositUnfit({ reason: { _tag: "TooLarge", bytes, limit: MOST_BYTES } })
  let units: number | undefined
  if (state.balance >= amount && state.lamports >= gas) {
    const value = await simulate(client, transaction, state.watched.map((key) => address(key)))
    if (value.err !== null) {
      const data = Buffer.from(swapAndDeposit(intent, way, token, ANY_ID).data ?? []).toString("hex")
      return new DepositRefused({ call: { from: user, to: way.depositor, data, value: "0" }, block: context.slot })
    }
    const difference = differenceAfter(state, value.accounts, way.minimum)
    if (difference !== undefined) return new DepositUnfit({ reason: { _tag: "NotAsQuoted", difference } })
    units = value.unitsConsumed === undefined ? undefined : withRoom(value.unitsConsumed)
  }
  return {
    userBalance: state.balance,
    gas,
    steps: (named) => [
      depositStep(intent, instructionsOf(intent, way, token, named.orderId, units), named, {
        lookupTables: Object.keys(tables)
      })
    ]
  }
}
