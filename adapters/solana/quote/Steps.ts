/**
 * Orders with a Solana origin as steps (STEP-6): one transaction that deposits and names the order. It is simulated
 * first when the balance allows it, and is no larger than the chain accepts. For transfers that the user makes alone
 * see `UserTransaction`, for a swap before the deposit `RouteDeposit`.
 */
import {
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getTransactionSize,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash
} from "@solana/kit"
import type { Instruction } from "@solana/kit"
import { Effect, Layer } from "effect"
import { DepositRefused, DepositUnfit, StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { prepareTransfer } from "../pay/AddressTransfer.ts"
import { accountsOf, depositInstructions } from "./DepositInstructions.ts"
import { depositStep } from "./DepositStep.ts"
import type { DepositedToken } from "./DepositInstructions.ts"
import { LAMPORTS_A_SIGNATURE } from "../pay/Fees.ts"
import type { RecentBlock } from "../pay/PaymentMessage.ts"
import { leastBalance, rentOf } from "../rpc/Rent.ts"
import { SolanaRpc } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { mintOf, readAccounts, tokenAccountOf, tokensIn } from "../rpc/Tokens.ts"
import { simulate } from "../pay/Simulation.ts"
import { MOST_BYTES } from "../routes/LookupTables.ts"
import { prepareOwn } from "./UserTransaction.ts"
import { prepareRouteDeposit } from "./RouteDeposit.ts"

/** A placeholder, for simulating before the order exists. */
const ANY_ID = Hex32.make(`0x${"ff".repeat(32)}`)

const hexOf = (data: Instruction["data"]): string => Buffer.from(data ?? []).toString("hex")

const transactionOf = (intent: DepositIntent, instructions: ReadonlyArray<Instruction>, recent: RecentBlock) =>
  compileTransaction(pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(address(intent.feePayer ?? intent.user), message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
    (message) => appendTransactionMessageInstructions([...instructions], message)
  ))

interface Read {
  readonly token: DepositedToken | undefined
  /** Smallest units of the deposited currency. */
  readonly userBalance: bigint
  readonly userLamports: bigint
  /** Undefined when the user pays. */
  readonly payerLamports: bigint | undefined
  /** What an account without data must hold, and the vault's account when it has to be opened. Lamports. */
  readonly least: bigint
  readonly rent: bigint
}

const readOrigin = async (client: SolanaClient, { currency, feePayer, origin, user }: DepositIntent): Promise<Read> => {
  const owner = address(user)
  const payer = feePayer === undefined ? owner : address(feePayer)
  const mint = currency.isNative ? undefined : await mintOf(client, origin, currency)
  const accounts = mint === undefined
    ? []
    : await Promise.all([tokenAccountOf(mint, owner), tokenAccountOf(mint, accountsOf(origin.depository).vault)])
  const [[own, paying, held, vaults], least, rent] = await Promise.all([
    readAccounts(client, [owner, payer, ...accounts]),
    leastBalance(client),
    mint === undefined ? 0n : rentOf(client, mint.accountBytes)
  ])
  const [from, into] = accounts
  const token = mint === undefined || from === undefined || into === undefined
    ? undefined
    : { mint, from, into, isOpen: vaults !== undefined }
  return {
    token,
    userBalance: token === undefined ? own?.lamports ?? 0n : tokensIn(held),
    userLamports: own?.lamports ?? 0n,
    payerLamports: feePayer === undefined ? undefined : paying?.lamports ?? 0n,
    least,
    rent: token?.isOpen === false ? rent : 0n
  }
}

/**
 * The transaction's costs besides the deposit: the user's signature, another payer's signature, an account that it
 * opens.
 */
const costOf = ({ feePayer }: DepositIntent, { rent }: Read): bigint =>
  LAMPORTS_A_SIGNATURE * (feePayer === undefined ? 1n : 2n) + rent

const prepareByAddress = async (
  client: SolanaClient,
  intent: DepositIntent,
  at: string | undefined
): Promise<PreparedDeposit | DepositUnfit> => {
  const prepared = await prepareTransfer(client, intent)
  if (prepared instanceof DepositUnfit) return prepared
  const { gas, to, userBalance } = prepared
  return {
    gas,
    userBalance,
    steps: (named) => {
      const paidTo = at ?? named.depositAddress
      if (paidTo === undefined) throw new Error("a deposit by an address has none")
      return [depositStep(intent, to(address(paidTo)), named, { to: paidTo })]
    }
  }
}

const prepare = async (
  client: SolanaClient,
  intent: DepositIntent
): Promise<PreparedDeposit | DepositRefused | DepositUnfit> => {
  if (intent.way._tag === "Address") return prepareByAddress(client, intent, intent.way.address)
  const read = await readOrigin(client, intent)
  const cost = costOf(intent, read)
  const { least, payerLamports, token, userBalance, userLamports } = read
  // An account that pays a fee must keep the minimum balance.
  const needed = cost + least
  if (payerLamports !== undefined && payerLamports < needed) {
    return new DepositUnfit({ reason: { _tag: "FeePayerUnfunded", needed, held: payerLamports } })
  }
  const { context, value: recent } = await client.getLatestBlockhash({ commitment: "confirmed" }).send()
  const tried = depositInstructions(intent, token, ANY_ID)
  const transaction = transactionOf(intent, tried, recent)
  const bytes = getTransactionSize(transaction)
  if (bytes > MOST_BYTES) return new DepositUnfit({ reason: { _tag: "TooLarge", bytes, limit: MOST_BYTES } })
  const ownCost = payerLamports === undefined ? cost : 0n
  const canPay = userBalance >= intent.amount && userLamports >= ownCost + (token === undefined ? intent.amount : 0n)
  if (canPay) {
    const value = await simulate(client, transaction)
    const deposit = tried.at(-1)
    if (value.err !== null) {
      return new DepositRefused({
        call: { from: intent.user, to: intent.origin.depository, data: hexOf(deposit?.data), value: "0" },
        block: context.slot
      })
    }
  }
  return {
    userBalance,
    gas: ownCost,
    steps: (named) => [depositStep(intent, depositInstructions(intent, token, named.orderId), named)]
  }
}

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const rpc = yield* SolanaRpc
    return StepBuilder.of({
      prepare: Effect.fnUntraced(function*(intent: DepositIntent) {
        const { origin, way } = intent
        const prepared = yield* rpc.call(origin, "deposit costs", (client) => {
          switch (way._tag) {
            case "Depository":
            case "Address":
              return prepare(client, intent)
            case "Route":
            case "Send":
              return prepareOwn(client, intent, way)
            case "RouteDeposit":
              return prepareRouteDeposit(client, intent, way)
            default:
              throw new Error(`no ${way._tag} on a Solana chain: it was to be refused before`)
          }
        })
        return prepared instanceof DepositRefused || prepared instanceof DepositUnfit ? yield* prepared : prepared
      })
    })
  })
)
