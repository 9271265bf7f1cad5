/**
 * The state of the simulated exchange B: the owners of accounts, balances by account, asset and route, nonces by API
 * key, and every transfer with its status. A transfer is accepted when the sender's own Ethereum account has signed it,
 * in the order of nonces.
 */
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { readTransfer, signerOf, TransferInfo } from "./Transfers.ts"

export const [PENDING, EXECUTED, FAILED, REJECTED] = [1, 2, 4, 5] as const
const CHAIN_ID = 304

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
    return Date.now() + this.offset
  }

  /** Opens an account for this Ethereum account. */
  open(index: number, l1: string): void {
    this.owners.set(index, l1.toLowerCase())
  }

  credit(index: number, asset: number, route: number, amount: number): void {
    const of = `${index} ${asset} ${route}`
    this.balances.set(of, (this.balances.get(of) ?? 0) + amount)
  }

  nextNonce(account: number, apiKey: number): number {
    return this.nonces.get(`${account} ${apiKey}`) ?? 0
  }

  move(info: TransferInfo): boolean {
    const [from, to] = [
      `${info.FromAccountIndex} ${info.AssetIndex} ${info.FromRouteType}`,
      `${info.ToAccountIndex} ${info.AssetIndex} ${info.ToRouteType}`
    ]
    const held = this.balances.get(from) ?? 0
    if (held < info.Amount) return false
    this.balances.set(from, held - info.Amount)
    this.balances.set(to, (this.balances.get(to) ?? 0) + info.Amount)
    return true
  }

  /** Refuses a transfer that the sender's own account has not signed, or with a wrong nonce. */
  async take(text: string): Promise<Sent> {
    const info = readTransfer(text)
    if ((await signerOf(info, CHAIN_ID)) !== this.owners.get(info.FromAccountIndex)) {
      throw new Error("invalid L1 signature")
    }
    if (info.Nonce !== this.nextNonce(info.FromAccountIndex, info.ApiKeyIndex)) throw new Error("invalid nonce")
    this.nonces.set(`${info.FromAccountIndex} ${info.ApiKeyIndex}`, info.Nonce + 1)
    const hash = `${createHash("sha256").update(text).digest("hex")}${"0b".repeat(8)}`
    const status = this.held ? PENDING : this.move(info) ? EXECUTED : FAILED
    const made = { hash, info, text, status, queuedAt: this.now(), height: this.sent.length + 1 }
    this.sent.push(made)
    return made
  }
}
