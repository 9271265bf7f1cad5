/**
 * A Solana node that shows given transactions and accounts as JSON-RPC answers, and nothing else. Messages are encoded
 * byte by byte.
 */
import { base58, base64 } from "@scure/base"
import { Effect } from "effect"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import type { Call } from "./NodeServer.ts"
import { serveNodes } from "./NodeServer.ts"

export const FINALIZED = 4_000
export const CONFIRMED = 6_000

export interface WireInstruction {
  readonly program: string
  readonly accounts: ReadonlyArray<string>
  readonly data: Uint8Array
}

export interface WireTokens {
  readonly account: string
  readonly mint: string
  readonly owner: string
  readonly before: bigint
  readonly after: bigint
}

/** The effects of a transaction, as a node reports them. */
export interface WireTransaction {
  readonly id: string
  readonly slot: number
  readonly time: number
  readonly failed: boolean
  readonly instructions: ReadonlyArray<WireInstruction>
  readonly lamports: ReadonlyMap<string, { readonly before: bigint; readonly after: bigint }>
  readonly tokens: ReadonlyArray<WireTokens>
}

export const u64 = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return bytes
}

const length = (count: number): ReadonlyArray<number> =>
  count < 128 ? [count] : [count % 128 + 128, Math.floor(count / 128)]

const FEE_PAYER = base58.encode(new Uint8Array(32).fill(7))
const TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"

const keysOf = (
  { instructions, lamports, tokens }: WireTransaction
): ReadonlyArray<string> => [
  ...new Set([
    FEE_PAYER,
    ...instructions.flatMap(({ accounts, program }) => [program, ...accounts]),
    ...lamports.keys(),
    ...tokens.map(({ account }) => account)
  ])
]

/** A legacy transaction with one signature, which is its id. */
const wireOf = (shown: WireTransaction, keys: ReadonlyArray<string>): string => {
  const at = (key: string) => keys.indexOf(key)
  const instructions = shown.instructions.flatMap((
    { accounts, data, program }
  ) => [at(program), ...length(accounts.length), ...accounts.map(at), ...length(data.length), ...data])
  const message = [
    1,
    0,
    0,
    ...length(keys.length),
    ...keys.flatMap((key) => [...base58.decode(key)]),
    ...new Uint8Array(32).fill(9),
    ...length(shown.instructions.length),
    ...instructions
  ]
  return base64.encode(Uint8Array.of(1, ...base58.decode(shown.id), ...message))
}

/** 64-bit integers as nodes write them: JSON numbers that are too large for JavaScript. */
const exact = (value: bigint): string => `exactly ${value}`
const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll(/"exactly (\d+)"/g, "$1")

const balances = (shown: WireTransaction, keys: ReadonlyArray<string>, when: "before" | "after") => ({
  lamports: keys.map((key) => exact(shown.lamports.get(key)?.[when] ?? 1n)),
  tokens: shown.tokens.map(({ account, mint, owner, ...held }) => ({
    accountIndex: keys.indexOf(account),
    mint,
    owner,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: { amount: `${held[when]}`, decimals: 6, uiAmount: null, uiAmountString: "0" }
  }))
})

const answerOf = (shown: WireTransaction) => {
  const keys = keysOf(shown)
  const [before, after] = [balances(shown, keys, "before"), balances(shown, keys, "after")]
  return {
    slot: shown.slot,
    blockTime: shown.time,
    version: "legacy",
    transaction: [wireOf(shown, keys), "base64"],
    meta: {
      err: shown.failed ? { InstructionError: [0, { Custom: 1 }] } : null,
      fee: 5_000,
      innerInstructions: [],
      preBalances: before.lamports,
      postBalances: after.lamports,
      preTokenBalances: before.tokens,
      postTokenBalances: after.tokens
    }
  }
}

/** What the node of one chain shows: transactions, the times of slots without transactions, and accounts. */
export interface Shown {
  readonly transactions: ReadonlyArray<WireTransaction>
  readonly times?: Readonly<Record<number, number>>
  readonly accounts?: ReadonlyMap<string, { readonly owner: string; readonly data: Uint8Array }>
}

const commitmentOf = (parameter: unknown): unknown =>
  typeof parameter === "object" && parameter !== null && "commitment" in parameter ? parameter.commitment : undefined

const resultOf = (
  { genesisHash }: Chain,
  { accounts = new Map(), times = {}, transactions }: Shown,
  method: unknown,
  [of, how]: ReadonlyArray<unknown>
): unknown => {
  const timeAt = (slot: unknown) =>
    transactions.find((each) => each.slot === slot)?.time ?? times[Number(slot)] ?? 1_900_000_000
  switch (method) {
    case "getGenesisHash":
      return genesisHash
    // The node has the whole history; only then does an unknown transaction not exist.
    case "getFirstAvailableBlock":
      return 0
    case "getSlot":
      return commitmentOf(of) === "finalized" ? FINALIZED : CONFIRMED
    case "getBlockTime":
      return timeAt(of)
    case "getBlock":
      return {
        blockhash: base58.encode(new Uint8Array(32).fill(Number(of) % 251 + 1)),
        blockTime: timeAt(of),
        parentSlot: Number(of) - 1
      }
    case "getAccountInfo": {
      const account = accounts.get(String(of))
      return {
        context: { slot: FINALIZED },
        value: account === undefined
          ? null
          : { owner: account.owner, data: [base64.encode(account.data), "base64"], lamports: 1 }
      }
    }
    case "getTransaction": {
      const found = transactions.find(({ id }) => id === of)
      return found === undefined || (commitmentOf(how) === "finalized" && found.slot > FINALIZED)
        ? null
        : answerOf(found)
    }
    default:
      return undefined
  }
}

/** `shownOn` is called for each call, with the chain that the path names. */
export const solanaNode = (chains: ReadonlyArray<Chain>, shownOn: (chain: Chain) => Shown) =>
  serveNodes((path, posted) => {
    const chain = chains.find(({ slug }) => `/${slug}` === path)
    const { id, method, params } = JSON.parse(posted) as Call
    return jsonOf({ jsonrpc: "2.0", id, result: chain && resultOf(chain, shownOn(chain), method, params) })
  }).pipe(Effect.map((url) => (chain: Chain) => `${url}/${chain.slug}`))
