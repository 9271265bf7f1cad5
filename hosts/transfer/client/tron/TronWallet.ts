/**
 * A wallet that signs transactions of Tron, and a full node that builds and broadcasts them, as public wallet adapters do
 * it: the parameters as they are, `visible: false`, and a fee limit.
 */
import { pause } from "../Track.ts"
import type { TransactionData, Wallet } from "../Wallet.ts"

/** A transaction as a node builds it. Its contracts are for wallets: no type of theirs is needed here. */
export interface TronTransaction {
  readonly visible: boolean
  readonly txID: string
  readonly raw_data: {
    readonly contract: Array<never>
    readonly ref_block_bytes: string
    readonly ref_block_hash: string
    readonly expiration: number
    readonly timestamp: number
  }
  readonly raw_data_hex: string
}

/** Signs transactions. */
export interface TronSigner {
  /** Refuses a transaction whose `raw_data_hex` is not its `raw_data`, as tronweb does. */
  sign(transaction: TronTransaction): Promise<unknown>
}

/** What the wallet is made from. */
export interface TronWalletOptions {
  /** `tronWeb.trx`, of the library or of a browser's wallet. */
  readonly trx: TronSigner
  /** The full node's HTTP API, such as `https://node.example`. */
  readonly nodeUrl: string
  /** The most that a call may burn, in sun: 30 TRX by default. */
  readonly feeLimit?: number
  readonly fetch?: typeof fetch
  /** Milliseconds between two looks at a transaction, 3,000 by default. */
  readonly pollEvery?: number
}

type TronData = Extract<TransactionData, { readonly parameter: object; readonly type: string }>

const isTron = (data: TransactionData): data is TronData => "parameter" in data && "type" in data

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isTransaction = (value: unknown): value is TronTransaction =>
  isObject(value) && typeof value["txID"] === "string" && typeof value["raw_data_hex"] === "string" &&
  isObject(value["raw_data"])

const textOfHex = (hex: string): string =>
  new TextDecoder().decode(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)))

const memberOf = (value: unknown, name: string): unknown => isObject(value) ? value[name] : undefined

/** The members of the only contract of a transaction. */
const valueOf = (transaction: TronTransaction): Readonly<Record<string, unknown>> => {
  const contracts = memberOf(transaction.raw_data, "contract")
  const value = memberOf(memberOf(memberOf(contracts, "0"), "parameter"), "value")
  return memberOf(contracts, "length") === 1 && isObject(value) ? value : {}
}

const shown = (value: unknown): string => JSON.stringify(value).toLowerCase()

/**
 * SECURITY: the node builds what is signed, so it is compared with what was asked for. A member that is zero is left out
 * by nodes.
 */
const checkBuilt = (data: TronData, transaction: TronTransaction): void => {
  const built = valueOf(transaction)
  const differing = Object.entries(data.parameter).filter(([name, asked]) => shown(built[name] ?? 0) !== shown(asked))
  if (differing.length > 0) {
    throw new Error(`the node built another transaction: ${differing.map(([name]) => name).join(", ")} differs`)
  }
}

const memoHex = (memo: string): string =>
  [...new TextEncoder().encode(memo)].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** Sends what the node built once it was compared with what was asked for. */
export const tronWallet = (options: TronWalletOptions): Wallet => {
  const { feeLimit = 30_000_000, fetch: reach = globalThis.fetch, nodeUrl, pollEvery = 3_000, trx } = options

  const ask = async (method: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await reach(`${nodeUrl.replace(/\/+$/, "")}/wallet/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const said: unknown = await answer.json()
    if (isObject(said)) return said
    throw new Error(`the node's answer to ${method} is not an object`)
  }

  const build = async (data: TronData): Promise<TronTransaction> => {
    const said = data.type === "TransferContract"
      ? await ask("createtransaction", {
        ...data.parameter,
        visible: false,
        ...(data.memo === undefined ? {} : { extra_data: memoHex(data.memo) })
      })
      : (await ask("triggersmartcontract", { ...data.parameter, visible: false, fee_limit: feeLimit }))["transaction"]
    if (!isTransaction(said)) throw new Error(`the node built nothing: ${JSON.stringify(said ?? null).slice(0, 400)}`)
    checkBuilt(data, said)
    return said
  }

  return {
    send: async (data) => {
      if (!isTron(data)) throw new Error("this transaction is not one of Tron")
      const built = await build(data)
      const signed = await trx.sign(built)
      const { code, message, result } = await ask("broadcasttransaction", isObject(signed) ? signed : {})
      if (result === true) return built.txID
      throw new Error(`the node refused it: ${String(code)} ${typeof message === "string" ? textOfHex(message) : ""}`)
    },
    succeeded: async (id) => {
      while (true) {
        const told = await ask("gettransactioninfobyid", { value: id }).catch(() => ({}))
        if ("id" in told) {
          if ("result" in told && told.result === "FAILED") throw new Error(`the transaction ${id} failed`)
          return
        }
        await pause(pollEvery)
      }
    }
  }
}
