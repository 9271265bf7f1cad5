/**
 * The state of the simulated exchange A: balances by account, dex and token, modes, used nonces, and every transaction
 * with its outcome.
 *
 * Modes are simulated from public sources. Of an account in a pooled mode, spot holds everything: setting the mode moves
 * what other dexes hold to spot, where whatever it is paid goes too. It pays from spot alone, and perps show zero. The
 * text of the refusal is the exchange's for usdSend. Ours: that setting a mode back moves nothing, and that a stranger's
 * attempt is refused.
 *
 * As on the exchange, a transfer needs the balance and a nonce that is new, near the clock, and above the smallest of
 * the hundred highest that were used. The first transfer to an account costs its sender a USDC. An account whose last
 * balance goes is purged, with its nonces. A failed transaction is stored with its error, as the exchange's explorer
 * shows it. Amounts are exact, in wei of the token.
 */
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { scaleDecimal } from "../../../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { accountModes, isPooled } from "../../../../../src/domain/families/exchange-a/payment/AccountMode.ts"
import type { AccountMode } from "../../../../../src/domain/families/exchange-a/payment/AccountMode.ts"
import type { SignedAction, SignedMode, SignedTransfer } from "./SignedAction.ts"
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
  /** Wei of USDC that the sender paid for a new account. */
  readonly fee?: bigint
}

/** What a file restores a book from. Without the clock, because only tests move it. */
export const KeptBook = Schema.Struct({
  version: Schema.Literal(1),
  balances: Schema.Array(Schema.Tuple([Schema.String, Schema.String.check(Schema.isPattern(/^\d{1,78}$/))])),
  modes: Schema.optionalKey(Schema.Array(Schema.Tuple([Schema.String, Schema.Literals(accountModes)]))),
  nonces: Schema.Array(Schema.Tuple([Schema.String, Schema.Array(Schema.String)])),
  transactions: Schema.Array(Schema.Struct({
    action: Schema.Record(Schema.String, Schema.Json),
    block: Schema.Int,
    error: Schema.NullOr(Schema.String),
    hash: Schema.String,
    time: Schema.Int,
    user: Schema.String,
    fee: Schema.optionalKey(Schema.BigIntFromString)
  }))
})
export type KeptBook = typeof KeptBook.Type

const DAY_MS = 86_400_000

/** So many of the highest used nonces an account keeps. */
const KEPT_NONCES = 100

/** Wei of USDC. */
export const ACTIVATION_FEE = 100_000_000n

/** Milliseconds: when the first block was made. There is one in each millisecond, empty or not. */
const FIRST_BLOCK = 1_600_000_000_000

/** A block as the explorer shows it. */
export interface ExplorerBlock {
  readonly blockTime: number
  readonly hash: string
  readonly height: number
  readonly numTxs: number
  readonly proposer: string
  readonly txs: ReadonlyArray<ExplorerTransaction>
}

const digest = (text: string): string => `0x${createHash("sha256").update(text).digest("hex")}`

const higherFirst = (one: string, other: string): number => Number(BigInt(other) - BigInt(one))

export class Book {
  readonly tokens: ReadonlyArray<Token>
  private readonly balances: Map<string, bigint>
  private readonly modes: Map<string, AccountMode>
  private readonly nonces: Map<string, Set<string>>
  private readonly transactions: Array<ExplorerTransaction>
  private offset = 0
  private heldAt: number | undefined

  constructor(tokens: ReadonlyArray<Token> = [USDC], kept?: KeptBook) {
    this.tokens = tokens
    this.balances = new Map(kept?.balances.map(([of, amount]) => [of, BigInt(amount)]))
    this.modes = new Map(kept?.modes)
    this.nonces = new Map(kept?.nonces.map(([of, used]) => [of, new Set(used)]))
    this.transactions = [...kept?.transactions ?? []]
  }

  /** As JSON, for `KeptBook`. */
  kept(): string {
    const balances = [...this.balances].map(([of, amount]) => [of, amount.toString()])
    const nonces = [...this.nonces].map(([of, used]) => [of, [...used]])
    return JSON.stringify(
      { version: 1, balances, modes: [...this.modes], nonces, transactions: this.transactions },
      (_key, each: unknown) => typeof each === "bigint" ? each.toString() : each
    )
  }

  /** Milliseconds: this machine's clock, plus what tests have added. */
  now(): number {
    return (this.heldAt ?? Date.now()) + this.offset
  }

  /** Stops the exchange's clock: from now on it moves only by `pass`. */
  hold(): void {
    this.heldAt = Date.now()
  }

  /** Moves the exchange's clock forward. */
  pass(milliseconds: number): void {
    this.offset += milliseconds
  }

  balance(account: string, dex: string, token: Token = USDC): bigint {
    return this.balances.get(`${account.toLowerCase()} ${dex} ${token.tokenId}`) ?? 0n
  }

  credit(account: string, dex: string, amount: bigint, token: Token = USDC): void {
    const at = isPooled(this.mode(account)) ? "spot" : dex
    this.balances.set(`${account.toLowerCase()} ${at} ${token.tokenId}`, this.balance(account, at, token) + amount)
  }

  /** As `userAbstraction` answers. */
  mode(account: string): AccountMode {
    return this.modes.get(account.toLowerCase()) ?? "default"
  }

  /** As its owner does it. */
  setMode(account: string, mode: AccountMode): void {
    this.modes.set(account.toLowerCase(), mode)
    if (!isPooled(mode)) return
    for (const key of this.balancesOf(account)) {
      const [, dex, tokenId] = key.split(" ")
      const [token, held] = [this.tokens.find((each) => each.tokenId === tokenId), this.balances.get(key)]
      if (dex === "spot" || token === undefined || held === undefined) continue
      this.balances.delete(key)
      this.credit(account, "spot", held, token)
    }
  }

  transaction(hash: string): ExplorerTransaction | undefined {
    return this.transactions.find((each) => each.hash === hash.toLowerCase())
  }

  /** Newest first. */
  ofAccount(user: string): ReadonlyArray<ExplorerTransaction> {
    return this.transactions.filter((each) => each.user === user.toLowerCase()).toReversed()
  }

  /** Undefined before the first block, and for one that is not over yet. */
  block(height: number): ExplorerBlock | undefined {
    const blockTime = FIRST_BLOCK + height
    if (!Number.isSafeInteger(height) || height < 0 || blockTime >= this.now()) return undefined
    const txs = this.transactions.filter(({ time }) => time === blockTime)
    const proposer = `0x${"b1".repeat(20)}`
    return { blockTime, hash: digest(`block ${height}`), height, numTxs: txs.length, proposer, txs }
  }

  all(): ReadonlyArray<ExplorerTransaction> {
    return this.transactions
  }

  /** Whether the account was ever paid, and not purged since. */
  exists(account: string): boolean {
    return this.balancesOf(account).length > 0
  }

  /** What an account has on one dex, by token. */
  holdings(account: string, dex: string): ReadonlyArray<{ readonly token: Token; readonly amount: bigint }> {
    return this.tokens.map((token) => ({ token, amount: this.balance(account, dex, token) }))
  }

  /** Executes what its signer signed. Returns undefined, or the exchange's reason for a refusal. */
  submit(action: SignedAction): string | undefined {
    const { signer } = action
    if (!this.exists(signer)) return `Must deposit before performing actions. User: ${signer}`
    const used = this.nonces.get(signer) ?? new Set<string>()
    const refusal = this.nonceRefusal(used, action.nonce)
    if (refusal !== undefined) return refusal
    this.nonces.set(signer, new Set([...used, action.nonce].toSorted(higherFirst).slice(0, KEPT_NONCES)))
    const moved = action._tag === "Mode" ? this.setOwn(action) : this.move(action)
    const error = typeof moved === "string" ? moved : undefined
    const time = this.now()
    const hash = digest(`${signer} ${action.nonce} ${this.transactions.length + 1}`)
    this.transactions.push({
      action: action.shown,
      block: time - FIRST_BLOCK,
      error: error ?? null,
      hash,
      time,
      user: signer,
      ...(typeof moved === "bigint" && moved > 0n ? { fee: moved } : {})
    })
    return error
  }

  private setOwn({ mode, signer, user }: SignedMode): string | bigint {
    if (user !== signer) return `User address does not match signer. User: ${user}`
    this.setMode(user, mode)
    return 0n
  }

  private balancesOf(account: string): ReadonlyArray<string> {
    const of = `${account.toLowerCase()} `
    return [...this.balances.keys()].filter((key) => key.startsWith(of))
  }

  private nonceRefusal(used: ReadonlySet<string>, nonce: string): string | undefined {
    if (used.has(nonce)) return "Invalid nonce: duplicate nonce"
    const late = Number(nonce) - this.now()
    if (late >= DAY_MS || late <= -2 * DAY_MS) return "Invalid nonce: out of range"
    const lowest = used.size < KEPT_NONCES ? undefined : [...used].toSorted(higherFirst).at(-1)
    return lowest !== undefined && BigInt(nonce) < BigInt(lowest) ? "Invalid nonce: too low" : undefined
  }

  /** The fee for a new account, or why nothing was moved. */
  private move({ amount, destination, from, signer, to, token }: SignedTransfer): string | bigint {
    if (from !== "spot" && isPooled(this.mode(signer))) return "Action disabled when unified account is active"
    const known = this.tokens.find(({ name, tokenId }) => token === `${name}:${tokenId}`)
    if (known === undefined) return "Unknown token"
    const wei = scaleDecimal(amount, known.weiDecimals)
    if (wei === undefined || wei === 0n) return "Invalid amount"
    // USDC on perps has six decimals on the exchange.
    if ((from === "" || to === "") && known.tokenId === USDC.tokenId && wei % 100n !== 0n) return "Invalid amount"
    if (this.balance(signer, from, known) < wei) return "Insufficient balance for withdrawal"
    const fee = this.exists(destination) ? 0n : ACTIVATION_FEE
    const payer = fee === 0n ? from : this.payerOfFee(signer, from, known, wei)
    if (payer === undefined) return "Insufficient USDC balance for token transfer gas"
    this.credit(signer, from, -wei, known)
    if (fee > 0n) this.credit(signer, payer, -fee)
    this.credit(destination, to, wei, known)
    this.purge(signer)
    return fee
  }

  /** The dex from which the fee can be paid, besides the transfer. */
  private payerOfFee(signer: string, from: string, token: Token, wei: bigint): string | undefined {
    return [from, "spot", ""].find((dex) =>
      this.balance(signer, dex) - (dex === from && token.tokenId === USDC.tokenId ? wei : 0n) >= ACTIVATION_FEE
    )
  }

  private purge(account: string): void {
    const held = this.balancesOf(account)
    if (held.some((key) => this.balances.get(key) !== 0n)) return
    for (const key of held) this.balances.delete(key)
    this.nonces.delete(account.toLowerCase())
  }
}
