/**
 * A send or a swap that the user makes alone. One transaction with a memo that is the order's id, a reference by which
 * it is found, and the instructions that move the money. It uses lookup tables where the route names them, and is
 * simulated when the balance allows it.
 */
import { AccountRole, address, compileTransaction, createNoopSigner, getTransactionSize } from "@solana/kit"
import type { Instruction } from "@solana/kit"
import { getSetComputeUnitLimitInstruction } from "@solana-program/compute-budget"
import { getAddMemoInstruction } from "@solana-program/memo"
import { getTransferSolInstruction } from "@solana-program/system"
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from "@solana-program/token"
import { DepositRefused, DepositUnfit } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, NamedDeposit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { referenceOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import type { InstructionRoute } from "../../../src/domain/swap/UserCall.ts"
import { LAMPORTS_A_SIGNATURE } from "../pay/Fees.ts"
import { isWallet } from "../pay/PaymentFacts.ts"
import { simulate } from "../pay/Simulation.ts"
import { messageWith, MOST_BYTES, MOST_UNITS, readTables, withRoom } from "../routes/LookupTables.ts"
import type { Tables } from "../routes/LookupTables.ts"
import { differenceAfter, readRoute } from "../routes/RouteState.ts"
import type { RouteState } from "../routes/RouteState.ts"
import { kitInstruction, wireInstruction } from "../rpc/Instructions.ts"
import { leastBalance, rentOf } from "../rpc/Rent.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { mintOf, readAccounts, tokenAccountOf, tokensIn } from "../rpc/Tokens.ts"

/** A placeholder, for simulating before the order exists. */
const ANY_ID = Hex32.make(`0x${"ff".repeat(32)}`)

const referenceMeta = ({ depository }: Chain) => {
  const reference = referenceOf(depository)
  if (reference === undefined) throw new Error("a configured depository is no program")
  return { address: address(reference), role: AccountRole.READONLY }
}

const withReference = (instruction: Instruction, chain: Chain): Instruction => ({
  ...instruction,
  accounts: [...(instruction.accounts ?? []), referenceMeta(chain)]
})

/** A transfer of zero to oneself: it carries the reference. */
const nothing = ({ origin, user }: DepositIntent): Instruction =>
  withReference(
    getTransferSolInstruction({ source: createNoopSigner(address(user)), destination: address(user), amount: 0n }),
    origin
  )

/** What a user's transaction does besides naming its order, and what has to be checked. */
interface Moving {
  readonly id: "send" | "swap"
  readonly description: string
  readonly instructions: ReadonlyArray<Instruction>
  readonly lookupTables: ReadonlyArray<string>
  /** The user's balance of the currency that it pays with, smallest units. */
  readonly userBalance: bigint
  readonly userLamports: bigint
  /** Rent of accounts that stay open, and of one that is closed again. Lamports. */
  readonly rent: bigint
  readonly lent: bigint
  readonly route: RouteState | undefined
}

const moveOfRoute = async (client: SolanaClient, intent: DepositIntent, route: InstructionRoute): Promise<Moving> => {
  const { currency, origin, user } = intent
  const state = await readRoute(client, origin, user, route)
  return {
    id: "swap",
    description: `Swap ${currency.symbol} on ${origin.name}`,
    lookupTables: route.lookupTables,
    instructions: [nothing(intent), ...route.instructions.map(kitInstruction)],
    userBalance: state.balance,
    userLamports: state.lamports,
    rent: state.rent,
    lent: state.lent,
    route: state
  }
}

const moveOfSend = async (
  client: SolanaClient,
  intent: DepositIntent,
  recipient: string
): Promise<Moving | DepositUnfit> => {
  const { amount, currency, origin, user } = intent
  const [own, to] = [address(user), address(recipient)]
  const mint = currency.isNative ? undefined : await mintOf(client, origin, currency)
  const tokens = mint === undefined ? [] : await Promise.all([tokenAccountOf(mint, own), tokenAccountOf(mint, to)])
  const [[sender, receiver, held, theirs], least, rent] = await Promise.all([
    readAccounts(client, [own, to, ...tokens]),
    leastBalance(client),
    mint === undefined ? 0n : rentOf(client, mint.accountBytes)
  ])
  const keepsIt = isWallet(to, receiver) && (mint !== undefined || (receiver?.lamports ?? 0n) + amount >= least)
  if (!keepsIt) return new DepositUnfit({ reason: { _tag: "RecipientKeepsNothing" } })
  if (mint?.isWhole === false) return new DepositUnfit({ reason: { _tag: "TransferFee", symbol: currency.symbol } })
  const signer = createNoopSigner(own)
  const [source, destination] = tokens
  const opens = mint !== undefined && theirs === undefined
  const instructions = mint === undefined || source === undefined || destination === undefined
    ? [withReference(getTransferSolInstruction({ source: signer, destination: to, amount }), origin)]
    : [
      ...(opens
        ? [
          getCreateAssociatedTokenIdempotentInstruction({
            payer: signer,
            ata: destination,
            owner: to,
            mint: mint.address,
            tokenProgram: mint.program
          })
        ]
        : []),
      getTransferCheckedInstruction({
        source,
        mint: mint.address,
        destination,
        authority: signer,
        amount,
        decimals: currency.decimals
      }, { programAddress: mint.program }),
      nothing(intent)
    ]
  return {
    id: "send",
    description: `Send ${currency.symbol} on ${origin.name}`,
    instructions,
    lookupTables: [],
    route: undefined,
    lent: 0n,
    userBalance: mint === undefined ? sender?.lamports ?? 0n : tokensIn(held),
    userLamports: sender?.lamports ?? 0n,
    rent: opens ? rent : 0n
  }
}

const transactionOf = (
  intent: DepositIntent,
  { instructions }: Moving,
  id: Hex32,
  units: number | undefined
): ReadonlyArray<Instruction> => [
  ...(intent.computeUnitLimit === true ? [getSetComputeUnitLimitInstruction({ units: units ?? MOST_UNITS })] : []),
  getAddMemoInstruction({ memo: id }),
  ...instructions
]

const stepOf = (
  intent: DepositIntent,
  moving: Moving,
  tables: Tables,
  units: number | undefined,
  named: NamedDeposit
): Step => ({
  id: moving.id,
  action: "Confirm transaction in your wallet",
  description: moving.description,
  kind: "transaction",
  requestId: named.requestId,
  items: [{
    status: "incomplete",
    data: {
      instructions: transactionOf(intent, moving, named.orderId, units).map(wireInstruction),
      addressLookupTableAddresses: Object.keys(tables),
      feePayer: intent.user
    },
    check: { endpoint: named.checkEndpoint, method: "GET" }
  }]
})

export const prepareOwn = async (
  client: SolanaClient,
  intent: DepositIntent,
  way: Extract<DepositIntent["way"], { readonly _tag: "Route" | "Send" }>
): Promise<PreparedDeposit | DepositRefused | DepositUnfit> => {
  const moving = way._tag === "Send"
    ? await moveOfSend(client, intent, way.recipient)
    : await moveOfRoute(client, intent, way.route)
  if (moving instanceof DepositUnfit) return moving
  const tables = await readTables(client, moving.lookupTables)
  const { context, value: recent } = await client.getLatestBlockhash({ commitment: "confirmed" }).send()
  const tried = transactionOf(intent, moving, ANY_ID, undefined)
  const transaction = compileTransaction(messageWith(intent.user, tried, recent, tables))
  const bytes = getTransactionSize(transaction)
  if (bytes > MOST_BYTES) return new DepositUnfit({ reason: { _tag: "TooLarge", bytes, limit: MOST_BYTES } })
  const gas = LAMPORTS_A_SIGNATURE + moving.rent
  const needed = gas + moving.lent + (intent.currency.isNative ? intent.amount : 0n)
  let units: number | undefined
  if (moving.userBalance >= intent.amount && moving.userLamports >= needed) {
    const watched = moving.route?.watched ?? []
    const value = await simulate(client, transaction, watched.map((key) => address(key)))
    const last = tried.at(-1)
    if (value.err !== null) {
      return new DepositRefused({
        call: {
          from: intent.user,
          to: last?.programAddress ?? intent.user,
          data: Buffer.from(last?.data ?? []).toString("hex"),
          value: "0"
        },
        block: context.slot
      })
    }
    const difference = moving.route === undefined ? undefined : differenceAfter(moving.route, value.accounts)
    if (difference !== undefined) return new DepositUnfit({ reason: { _tag: "NotAsQuoted", difference } })
    units = value.unitsConsumed === undefined ? undefined : withRoom(value.unitsConsumed)
  }
  return { userBalance: moving.userBalance, gas, steps: (named) => [stepOf(intent, moving, tables, units, named)] }
}
