/**
 * The operations of a key's holder on a Tron chain, through the unmodified tronweb: build, sign, send. Each returns the
 * id of a pending transaction, or fails with the node's own message.
 */
import type { TronWeb } from "tronweb"
import type { TronKey } from "./LocalKey.ts"

export interface TriggerOptions {
  /** Sun that are sent with the call. */
  readonly value?: bigint
  /** Hex without 0x. */
  readonly memo?: string
}

/** Loads tronweb, which takes a quarter of a second. */
export const clientOf = async (url: string, key: TronKey): Promise<TronWeb> => {
  const { TronWeb } = await import("tronweb")
  return new TronWeb({ fullHost: url, privateKey: key.privateKey.slice(2) })
}

const FEE_LIMIT = 1_000_000_000

type Built = Awaited<ReturnType<TronWeb["transactionBuilder"]["sendTrx"]>>

export class Wallet {
  readonly key: TronKey
  readonly client: TronWeb

  private constructor(key: TronKey, client: TronWeb) {
    this.key = key
    this.client = client
  }

  static async open(url: string, key: TronKey): Promise<Wallet> {
    return new Wallet(key, await clientOf(url, key))
  }

  /** Signs and sends. Fails with the node's code and message. */
  async send(built: Parameters<TronWeb["trx"]["sign"]>[0]): Promise<string> {
    const signed = await this.client.trx.sign(built)
    if (typeof signed === "string") throw new Error("a text was signed")
    const { code, message, result } = await this.client.trx.sendRawTransaction(signed)
    if (!result) throw new Error(`${code}: ${Buffer.from(message ?? "", "hex").toString("utf8")}`)
    return signed.txID
  }

  private withMemo<T extends Built>(built: T, memo: string | undefined): Promise<T> {
    return memo === undefined
      ? Promise.resolve(built)
      : this.client.transactionBuilder.addUpdateData(built, memo.replace(/^0x/u, ""), "hex")
  }

  /** TransferContract. The memo is hex. */
  async transfer(to: string, sun: bigint, memo?: string): Promise<string> {
    const built = await this.client.transactionBuilder.sendTrx(to, Number(sun), this.key.address)
    return this.send(await this.withMemo(built, memo))
  }

  /** TriggerSmartContract with that call data. */
  async trigger(contract: string, data: `0x${string}`, { memo, value = 0n }: TriggerOptions = {}): Promise<string> {
    const options = { input: data.slice(2), callValue: Number(value), feeLimit: FEE_LIMIT }
    const { transaction } = await this.client.transactionBuilder.triggerSmartContract(
      contract,
      "",
      options,
      [],
      this.key.address
    )
    return this.send(
      memo === undefined
        ? transaction
        : await this.client.transactionBuilder.addUpdateData(transaction, memo.replace(/^0x/u, ""), "hex")
    )
  }

  /**
   * CreateSmartContract, with the encoded arguments of its constructor. The transaction's info holds the contract's
   * account.
   */
  async create(
    name: string,
    abi: ReadonlyArray<unknown>,
    bytecode: `0x${string}`,
    rawParameter: string = ""
  ): Promise<string> {
    const built = await this.client.transactionBuilder.createSmartContract({
      name,
      abi: JSON.stringify(abi),
      bytecode: bytecode.slice(2),
      feeLimit: FEE_LIMIT,
      rawParameter
    }, this.key.address)
    return this.send(built)
  }
}
