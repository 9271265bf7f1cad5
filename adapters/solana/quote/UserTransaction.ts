/**
 * A send or a swap that the user makes alone. One transaction with a memo that is the order's id, a reference by which
 * it is found, and the instructions that move the money. It uses lookup tables where the route names them, and is
 * simulated when the balance allows it.
 */
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createNoopSigner,
  createTransactionMessage,
  getAddressDecoder,
  getBase64Encoder,
  getTransactionSize,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash
} from "@solana/kit"
import type { Address, Instruction } from "@solana/kit"
import { getSetComputeUnitLimitInstruction } from "@solana-program/compute-budget"
import { getAddMemoInstruction } from "@solana-program/memo"
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from "@solana-program/token"
import { DepositRefused, DepositUnfit } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, NamedDeposit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { referenceOf, tokenAccountOf as associatedOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import type { InstructionRoute } from "../../../src/domain/swap/UserCall.ts"
import { LAMPORTS_A_SIGNATURE, LEAST_BALANCE, TOKEN_ACCOUNT_RENT } from "../pay/Fees.ts"
import { kitInstruction, wireInstruction } from "../rpc/Instructions.ts"
import { ownAccounts } from "./jupiter/CheckRoute.ts"
import { differenceOf } from "./jupiter/RouteOutcome.ts"
import type { Tried } from "./jupiter/RouteOutcome.ts"
import { isWallet } from "../pay/PaymentFacts.ts"
import type { RecentBlock } from "../pay/PaymentMessage.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { NodeIsBehind } from "../rpc/SolanaRpc.ts"
import { mintOf, readAccounts, tokenAccountOf, tokensIn } from "../rpc/Tokens.ts"
import type { ShownAccount } from "../rpc/Tokens.ts"
import { simulate } from "../pay/Simulation.ts"

/** The size of a network packet: no transaction is larger. */
export const MOST_BYTES = 1_232

/** A placeholder, for simulating before the order exists. */
const ANY_ID = Hex32.make(`0x${"ff".repeat(32)}`)

/** The most compute units of a transaction, and the margin above the units that the simulation took. */
const MOST_UNITS = 1_400_000
const withRoom = (units: bigint): number => Math.min(MOST_UNITS, Math.ceil(Number(units) * 1.2) + 20_000)

type Tables = Readonly<Record<Address, ReadonlyArray<Address>>>

const TABLE_PROGRAM = address("AddressLookupTab1e1111111111111111111111111")
const TABLE_HEADER = 56
const LIVE = (1n << 64n) - 1n

/** The addresses of a usable table. Empty for a closed table, or an account that is not a table. */
const addressesIn = (table: ShownAccount | undefined): ReadonlyArray<Address> => {
  if (table === undefined || table.owner !== TABLE_PROGRAM || table.data.length < TABLE_HEADER) return []
  const view = new DataView(table.data.buffer, table.data.byteOffset, table.data.byteLength)
  if (view.getBigUint64(4, true) !== LIVE) return []
  return Array.from(
    { length: Math.floor((table.data.length - TABLE_HEADER) / 32) },
    (_, index) => getAddressDecoder().decode(table.data, TABLE_HEADER + index * 32)
  )
}

const readTables = async (client: SolanaClient, keys: ReadonlyArray<string>): Promise<Tables> => {
  if (keys.length === 0) return {}
  const shown = await readAccounts(client, keys.map((key) => address(key)))
  return Object.fromEntries(keys.flatMap((key, index) => {
    const listed = addressesIn(shown[index])
    return listed.length === 0 ? [] : [[key, listed] as const]
  }))
}

const compiled = (user: string, instructions: ReadonlyArray<Instruction>, recent: RecentBlock, tables: Tables) =>
  compileTransaction(pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(address(user), message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
    (message) => appendTransactionMessageInstructions([...instructions], message),
    (message) =>
      compressTransactionMessageUsingAddressLookupTables(
        message,
        Object.fromEntries(Object.entries(tables).map(([table, listed]) => [table, [...listed]]))
      )
  ))

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

interface RouteState {
  readonly route: InstructionRoute
  readonly watched: ReadonlyArray<string>
  readonly before: ReadonlyArray<ShownAccount | undefined>
  readonly destination: string | undefined
  readonly source: string | undefined
  readonly wrapped: string | undefined
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
  const [sender, receiver, held, theirs] = await readAccounts(client, [own, to, ...tokens])
  const keepsIt = isWallet(to, receiver) && (mint !== undefined || (receiver?.lamports ?? 0n) + amount >= LEAST_BALANCE)
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
    rent: opens ? TOKEN_ACCOUNT_RENT : 0n
  }
}

const moveOfRoute = async (client: SolanaClient, intent: DepositIntent, route: InstructionRoute): Promise<Moving> => {
  const { currency, origin, user } = intent
  const wrappedMint = origin.swaps?.wrapped ?? ""
  const mints = new Map(route.passes.map(({ mint, program }) => [mint, program]))
  const accountOf = (owner: string, { address: text, isNative }: InstructionRoute["to"]) => {
    const mint = isNative ? wrappedMint : text
    return associatedOf(owner, mint, mints.get(mint) ?? "")
  }
  const [source, destination] = [accountOf(user, route.from), accountOf(route.recipient, route.to)]
  const wrapped = associatedOf(user, wrappedMint, mints.get(wrappedMint) ?? "")
  const own = [...ownAccounts({ user, mints })]
  const watched = [user, ...own, ...(destination === undefined || own.includes(destination) ? [] : [destination])]
  const before = await readAccounts(client, watched.map((key) => address(key)))
  const instructions = route.instructions.map(kitInstruction)
  // The rent of an account that is opened and closed again comes back.
  const opened = new Set(
    instructions.filter(({ programAddress }) => programAddress === ASSOCIATED_PROGRAM).flatMap(({ accounts = [] }) =>
      accounts[1]?.address ?? []
    )
  )
  const missing = [...opened].filter((key) => before[watched.indexOf(key)] === undefined)
  const closes = route.from.isNative || route.to.isNative
  const lent = closes && missing.some((key) => String(key) === wrapped) ? TOKEN_ACCOUNT_RENT : 0n
  const held = before[watched.indexOf(source ?? "")]
  return {
    id: "swap",
    description: `Swap ${currency.symbol} on ${origin.name}`,
    lookupTables: route.lookupTables,
    instructions: [nothing(intent), ...instructions],
    userBalance: currency.isNative ? before[0]?.lamports ?? 0n : tokensIn(held),
    userLamports: before[0]?.lamports ?? 0n,
    rent: BigInt(missing.length) * TOKEN_ACCOUNT_RENT - lent,
    lent,
    route: {
      route,
      watched,
      before,
      wrapped,
      destination: route.to.isNative ? undefined : destination,
      source: route.from.isNative ? undefined : source
    }
  }
}

const ASSOCIATED_PROGRAM = address("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")

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

/** The accounts after a simulation. Throws when the node does not return them. */
const afterOf = (shown: ReadonlyArray<unknown> | null, wanted: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  if (shown === null || shown.length !== wanted.length) throw new NodeIsBehind()
  return shown
}

const triedOf = (
  { before, destination, route, source, watched, wrapped }: RouteState,
  user: string,
  after: ReadonlyArray<ShownAccount | undefined>
) => {
  const all = watched.map((key, index): Tried => ({ address: key, before: before[index], after: after[index] }))
  const [own] = all
  if (own === undefined) throw new Error("nobody's route")
  return differenceOf({
    user: own,
    own: all.slice(1).filter((each) => route.recipient === user || each.address !== destination),
    destination: all.find((each) => each.address === destination),
    source,
    wrapped,
    systemProgram: SYSTEM_PROGRAM_ADDRESS,
    isForeign: route.recipient !== user,
    most: route.most,
    least: route.least
  })
}

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
  const transaction = compiled(intent.user, tried, recent, tables)
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
    const after = afterOf(value.accounts, watched).length === 0 ?
      [] :
      value.accounts.map((account): ShownAccount | undefined =>
        account === null ? undefined : {
          lamports: account.lamports,
          owner: account.owner,
          executable: account.executable,
          data: new Uint8Array(getBase64Encoder().encode(account.data[0]))
        }
      )
    const difference = moving.route === undefined ? undefined : triedOf(moving.route, intent.user, after)
    if (difference !== undefined) return new DepositUnfit({ reason: { _tag: "NotAsQuoted", difference } })
    units = value.unitsConsumed === undefined ? undefined : withRoom(value.unitsConsumed)
  }
  return { userBalance: moving.userBalance, gas, steps: (named) => [stepOf(intent, moving, tables, units, named)] }
}
