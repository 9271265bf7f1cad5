/**
 * The state of the simulated exchange A: balances by account, dex and token, used nonces, and every transaction with
 * its outcome.
 *
 * A transfer needs the balance and a new nonce near the clock, as on the exchange. A failed transaction is stored with
 * its error, as the exchange's explorer shows it. Amounts are exact, in wei of the token.
 */
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { scaleDecimal } from "../../../../../src/domain/families/exchange-a/DecimalAmount.ts"
import type { SignedAction } from "./SignedAction.ts"
import { USDC } from "./Token.ts"
import type { Token } from "./Token.ts"

/** As the explorer shows it. */
export interface ExplorerTransaction {
  readonly action: object
  readonly block: number
  readonly error: string | null
  readonly hash: string
  readonly time: number
  readonly user: string
}

/** What a file restores a book from. Without the clock, because only tests move it. */
export const KeptBook = Schema.Struct({
  version: Schema.Literal(1),
  balances: Schema.Array(Schema.Tuple([Schema.String, Schema.String.check(Schema.isPattern(/^\d{1,78}$/))])),
  nonces: Schema.Array(Schema.Tuple([Schema.String, Schema.Array(Schema.String)])),
  transactions: Schema.Array(Schema.Struct({
    action: Schema.Record(Schema.String, Schema.Json),
    block: Schema.Int,
    error: Schema.NullOr(Schema.String),
    hash: Schema.String,
    time: Schema.Int,
    user: Schema.String
  }))
})
export type KeptBook = typeof KeptBook.Type

const DAY_MS = 86_400_000

export class Book {
  readonly tokens: ReadonlyArray<Token>
  private readonly balances: Map<string, bigint>
  private readonly nonces: Map<string, Set<string>>
  private readonly transactions: Array<ExplorerTransaction>
  private offset = 0

  constructor(tokens: ReadonlyArray<Token> = [USDC], kept?: KeptBook) {
    this.tokens = tokens
    this.balances = new Map(kept?.balances.map(([of, amount]) => [of, BigInt(amount)]))
    this.nonces = new Map(kept?.nonces.map(([of, used]) => [of, new Set(used)]))
    this.transactions = [...kept?.transactions ?? []]
  }

  /** As JSON, for `KeptBook`. */
  kept(): string {
    const balances = [...this.balances].map(([of, amount]) => [of, amount.toString()])
    const nonces = [...this.nonces].map(([of, used]) => [of, [...used]])
    return JSON.stringify({ version: 1, balances, nonces, transactions: this.transactions })
  }

  /** Milliseconds: this machine's clock, plus what tests have added. */
  now(): number {
    return Date.now() + this.offset
  }

  /** Moves the exchange's clock forward. */
  pass(milliseconds: number): void {
    this.offset += milliseconds
  }

  balance(account: string, dex: string, token: Token = USDC): bigint {
    return this.balances.get(`${account.toLowerCase()} ${dex} ${token.tokenId}`) ?? 0n
  }

  credit(account: string, dex: string, amount: bigint, token: Token = USDC): void {
    this.balances.set(`${account.toLowerCase()} ${dex} ${token.tokenId}`, this.balance(account, dex, token) + amount)
  }

  transaction(hash: string): ExplorerTransaction | undefined {
    return this.transactions.find((each) => each.hash === hash.toLowerCase())
  }

  /** Newest first. */
  ofAccount(user: string): ReadonlyArray<ExplorerTransaction> {
    return this.transactions.filter((each) => each.user === user.toLowerCase()).toReversed()
  }

  all(): ReadonlyArray<ExplorerTransaction> {
    return this.transactions
  }

  /** Executes what its signer signed. Returns undefined, or the exchange's reason for a refusal. */
  submit(action: SignedAction): string | undefined {
    const used = this.nonces.get(action.signer) ?? new Set<string>()
    if (used.has(action.nonce)) return "Invalid nonce: duplicate nonce"
    if (Math.abs(Number(action.nonce) - this.now()) > DAY_MS) return "Invalid nonce: out of range"
    this.nonces.set(action.signer, used.add(action.nonce))
    const error = this.move(action)
    const block = this.transactions.length + 1
    const hash = `0x${createHash("sha256").update(`${action.signer} ${action.nonce}`).digest("hex")}`
    this.transactions.push({
      action: action.shown,
      block,
      error: error ?? null,
      hash,
      time: this.now(),
      user: action.signer
    })
    return error
  }

  private move({ amount, destination, from, signer, to, token }: SignedAction): string | undefined {
    const known = this.tokens.find(({ name, tokenId }) => token === `${name}:${tokenId}`)
    if (known === undefined) return "Unknown token"
    const wei = scaleDecimal(amount, known.weiDecimals)
    if (wei === undefined || wei === 0n) return "Invalid amount"
    if (this.balance(signer, from, known) < wei) return "Insufficient balance for withdrawal"
    this.credit(signer, from, -wei, known)
    this.credit(destination, to, wei, known)
    return undefined
  }
}
