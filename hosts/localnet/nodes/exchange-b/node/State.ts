/**
 * The state of the simulated exchange B: the owners of accounts, balances by account, asset and route, nonces by API
 * key, and every transfer with its status.
 *
 * A refusal by the interface (`Refusal`) leaves no trace. What it accepts has used its API key's next nonce, also when
 * the sequencer then fails or rejects it.
 */
import { Schema } from "effect"
import { hashOf } from "./Hash.ts"
import { readTransfer, signerOf, TransferInfo } from "./Transfers.ts"

export const [PENDING, EXECUTED, FAILED, REJECTED] = [1, 2, 4, 5] as const
const CHAIN_ID = 304

/** Above the accounts that a network begins with. */
const OPENED_FROM = 10_000

/** In which transfer fees are paid. */
const USDC = 3

/** The interface's refusal of a request. */
export class Refusal extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface Sent {
  readonly hash: string
  readonly info: TransferInfo
  readonly text: string
  status: number
  /** Milliseconds. */
  readonly queuedAt: number
  readonly height: number
}

const Numbered = Schema.Array(Schema.Tuple([Schema.String, Schema.Int]))

/** What a file restores a state from. Without the clock, because only tests move it. */
export const KeptState = Schema.Struct({
  version: Schema.Literal(1),
  owners: Schema.Array(Schema.Tuple([Schema.Int, Schema.String])),
  balances: Numbered,
  nonces: Numbered,
  sent: Schema.Array(
    Schema.Struct({
      hash: Schema.String,
      info: TransferInfo,
      text: Schema.String,
      status: Schema.Int,
      queuedAt: Schema.Int,
      height: Schema.Int
    })
  )
})
export type KeptState = typeof KeptState.Type

export class State {
  readonly owners: Map<number, string>
  readonly balances: Map<string, number>
  readonly nonces: Map<string, number>
  readonly sent: Array<Sent>
  held = false
  offset = 0
  /** Where a stopped clock stands, milliseconds. */
  stoppedAt: number | undefined
  /** What a transfer to another owner costs, in smallest units of USDC. */
  transferFee = 0
  /** By asset, the least that may be transferred to another owner: a dollar of USDC, as the exchange shows it. */
  readonly leasts = new Map([[USDC, 1_000_000]])
  /** The exchange's numbers of the kinds of accounts that are not master accounts. */
  readonly kinds = new Map<number, number>()
  /** Accounts of which perps and spot are one balance. */
  private readonly unified = new Set<number>()

  constructor(kept?: KeptState) {
    this.owners = new Map(kept?.owners)
    this.balances = new Map(kept?.balances)
    this.nonces = new Map(kept?.nonces)
    this.sent = kept?.sent.map((each) => ({ ...each })) ?? []
  }

  /** As JSON, for `KeptState`. */
  kept(): string {
    const { balances, nonces, owners, sent } = this
    return JSON.stringify({ version: 1, owners: [...owners], balances: [...balances], nonces: [...nonces], sent })
  }

  now(): number {
    return (this.stoppedAt ?? Date.now()) + this.offset
  }

  /** Opens an account for this Ethereum account. */
  open(index: number, l1: string): void {
    this.owners.set(index, l1.toLowerCase())
  }

  /** Opens the next account. Returns its number. */
  openNext(l1: string): number {
    const index = 1 + [...this.owners.keys()].reduce((highest, each) => Math.max(highest, each), OPENED_FROM)
    this.open(index, l1)
    return index
  }

  credit(index: number, asset: number, route: number, amount: number): void {
    const of = `${index} ${asset} ${route}`
    this.balances.set(of, (this.balances.get(of) ?? 0) + amount)
  }

  nextNonce(account: number, apiKey: number): number {
    return this.nonces.get(`${account} ${apiKey}`) ?? 0
  }

  balance(index: number, asset: number, route: number): number {
    return this.balances.get(`${index} ${asset} ${route}`) ?? 0
  }

  isUnified(index: number): boolean {
    return this.unified.has(index)
  }

  unify(index: number, unified: boolean): void {
    if (unified) this.unified.add(index)
    else this.unified.delete(index)
  }

  /** Smallest units of the asset. */
  leastTransfer(asset: number): number {
    return this.leasts.get(asset) ?? 0
  }

  /** What a transfer between these accounts costs, in smallest units of USDC. */
  feeOf(from: number, to: number): number {
    return this.owners.get(from) === this.owners.get(to) ? 0 : this.transferFee
  }

  /**
   * Takes a transfer, and executes it unless transfers are held.
   *
   * A transfer to another owner needs the fee and the signature of the sender's own Ethereum account. A transfer within
   * one owner needs neither, and then nothing covers its memo.
   */
  async take(text: string): Promise<Sent> {
    const info = readTransfer(text)
    const hash = await hashOf(info, CHAIN_ID)
    const { ApiKeyIndex, ExpiredAt, FromAccountIndex, Nonce, ToAccountIndex, USDCFee } = info
    const owner = this.owners.get(FromAccountIndex)
    if (owner === undefined || !this.owners.has(ToAccountIndex)) throw new Refusal(21_100, "account not found")
    const isForeign = owner !== this.owners.get(ToAccountIndex)
    if (isForeign && await signerOf(info, CHAIN_ID).catch(() => undefined) !== owner) {
      throw new Refusal(21_120, "invalid L1 signature")
    }
    if (Nonce !== this.nextNonce(FromAccountIndex, ApiKeyIndex)) throw new Refusal(21_104, "invalid nonce")
    if (ExpiredAt <= this.now()) throw new Refusal(21_502, "invalid expired at")
    this.refuseUnfit(info, isForeign)
    if (USDCFee < this.feeOf(FromAccountIndex, ToAccountIndex)) throw new Refusal(21_134, "invalid fee")
    this.nonces.set(`${FromAccountIndex} ${ApiKeyIndex}`, Nonce + 1)
    const made = { hash, info, text, status: PENDING, queuedAt: this.now(), height: this.sent.length + 1 }
    this.sent.push(made)
    if (!this.held) this.settle(hash, EXECUTED)
    return made
  }

  /**
   * The rules of the exchange's circuit for amounts, kinds of accounts and modes. A pool takes USDC on perps. Which
   * numbers the exchange gives to the last two refusals is not known.
   */
  private refuseUnfit(info: TransferInfo, isForeign: boolean): void {
    const { Amount, AssetIndex, FromAccountIndex, FromRouteType, ToAccountIndex, ToRouteType } = info
    if (isForeign && Amount < this.leastTransfer(AssetIndex)) throw new Refusal(21_118, "transfer amount is too small")
    const isPool = (this.kinds.get(ToAccountIndex) ?? 0) > 1
    if (isPool && (AssetIndex !== USDC || ToRouteType !== 0)) throw new Refusal(21_123, "invalid account type")
    const isSelf = FromAccountIndex === ToAccountIndex
    if (isSelf && (FromRouteType === ToRouteType || this.isUnified(FromAccountIndex))) {
      throw new Refusal(21_124, "invalid route type")
    }
  }

  /** Ends a transfer that is held. To execute one that has expired or that nothing covers fails it. */
  settle(hash: string, status: number): void {
    const waiting = this.sent.find((each) => each.hash === hash)
    if (waiting?.status !== PENDING) return
    const isDone = status === EXECUTED || status === 3
    if (!isDone) waiting.status = status
    else if (waiting.info.ExpiredAt <= this.now()) waiting.status = REJECTED
    else waiting.status = this.move(waiting.info) ? status : FAILED
  }

  /** Forgets a transfer that is held, as if it had never come: its nonce is free again. */
  drop(hash: string): void {
    const at = this.sent.findIndex((each) => each.hash === hash && each.status === PENDING)
    const [dropped] = at < 0 ? [] : this.sent.splice(at, 1)
    if (dropped === undefined) return
    const { ApiKeyIndex, FromAccountIndex, Nonce } = dropped.info
    this.nonces.set(`${FromAccountIndex} ${ApiKeyIndex}`, Nonce)
  }

  /** False when the sender cannot pay amount and fee. */
  private move(info: TransferInfo): boolean {
    const { Amount, AssetIndex, FromAccountIndex, FromRouteType, ToAccountIndex, ToRouteType, USDCFee } = info
    const inFee = AssetIndex === USDC ? Amount + USDCFee : USDCFee
    if (this.balance(FromAccountIndex, USDC, FromRouteType) < inFee) return false
    if (this.balance(FromAccountIndex, AssetIndex, FromRouteType) < Amount) return false
    this.credit(FromAccountIndex, USDC, FromRouteType, -USDCFee)
    this.credit(FromAccountIndex, AssetIndex, FromRouteType, -Amount)
    this.credit(ToAccountIndex, AssetIndex, ToRouteType, Amount)
    return true
  }
}
