/**
 * The EVM under a local Tron chain: its own anvil, which acts for any account and charges no gas. One sun is one wei.
 * It has only the calls that the Tron chain needs, and no other client uses it.
 */
import { Schema } from "effect"
import type { EvmAddress } from "./Account.ts"

/** A refusal by the EVM, with the answer of a reverted call. */
class Refused extends Error {
  readonly data: string
  constructor(message: string, data: string) {
    super(message)
    this.data = data
  }
}

const Answer = Schema.Struct({
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Struct({ message: Schema.String, data: Schema.optionalKey(Schema.Unknown) }))
})

export interface EvmCall {
  readonly from: EvmAddress
  readonly to?: EvmAddress
  readonly data?: string
  readonly value?: bigint
  /** Half a thousand million by default. */
  readonly gas?: number
}

export interface EvmReceipt {
  readonly succeeded: boolean
  readonly gasUsed: number
  readonly logs: ReadonlyArray<
    { readonly address: string; readonly topics: ReadonlyArray<string>; readonly data: string }
  >
}

export type Answered = { readonly succeeded: boolean; readonly data: string; readonly message: string }

const Logs = Schema.Array(
  Schema.Struct({ address: Schema.String, topics: Schema.Array(Schema.String), data: Schema.String })
)
const Receipt = Schema.NullOr(Schema.Struct({ status: Schema.String, gasUsed: Schema.String, logs: Logs }))
const Simulated = Schema.Tuple([Schema.Struct({ calls: Schema.Tuple([Schema.Struct({ logs: Logs })]) })])

const MOST_GAS = 500_000_000
const hex = (value: bigint | number): string => `0x${value.toString(16)}`
const params = ({ data = "0x", from, gas = MOST_GAS, to, value = 0n }: EvmCall) => ({
  from,
  ...(to === undefined ? {} : { to }),
  data,
  value: hex(value),
  gas: hex(Math.min(gas, MOST_GAS)),
  gasPrice: "0x0"
})
const text = Schema.decodeUnknownSync(Schema.String)

export class Evm {
  private readonly url: string

  constructor(url: string) {
    this.url = url
  }

  private async node(method: string, params: ReadonlyArray<unknown>): Promise<unknown> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const { error, result } = Schema.decodeUnknownSync(Answer)(await response.json())
    if (error !== undefined) {
      throw new Refused(`${method}: ${error.message}`, typeof error.data === "string" ? error.data : "0x")
    }
    return result
  }

  async height(): Promise<number> {
    return Number(text(await this.node("eth_blockNumber", [])))
  }

  /** Undefined when it cannot start, because the account does not have the value that it sends. */
  async send(call: EvmCall): Promise<string | undefined> {
    try {
      return text(await this.node("eth_sendTransaction", [params(call)]))
    } catch (cause) {
      if (cause instanceof Refused) return undefined
      throw cause
    }
  }

  /** Mines a block of everything that was sent, at that second. */
  async mine(second: number): Promise<void> {
    await this.node("evm_setNextBlockTimestamp", [second])
    await this.node("anvil_mine", ["0x1"])
  }

  async rollback(depth: number): Promise<void> {
    if (depth > 0) await this.node("anvil_rollback", [depth])
  }

  async receipt(hash: string): Promise<EvmReceipt | undefined> {
    const receipt = Schema.decodeUnknownSync(Receipt)(await this.node("eth_getTransactionReceipt", [hash]))
    return receipt === null
      ? undefined
      : { succeeded: receipt.status === "0x1", gasUsed: Number(receipt.gasUsed), logs: receipt.logs }
  }

  async call(call: EvmCall, height: number): Promise<Answered> {
    return this.node("eth_call", [params(call), hex(height)]).then(
      (data) => ({ succeeded: true, data: text(data), message: "" }),
      (cause: unknown) => {
        if (!(cause instanceof Refused)) throw cause
        return { succeeded: false, data: cause.data, message: cause.message }
      }
    )
  }

  /** The logs of a call that would succeed. */
  async logs(call: EvmCall, height: number): Promise<EvmReceipt["logs"]> {
    const simulated = await this.node("eth_simulateV1", [{ blockStateCalls: [{ calls: [params(call)] }] }, hex(height)])
    const [{ calls: [{ logs }] }] = Schema.decodeUnknownSync(Simulated)(simulated)
    return logs
  }

  async estimate(call: EvmCall, height: number): Promise<number> {
    return Number(text(await this.node("eth_estimateGas", [params(call), hex(height)])))
  }

  async balance(address: string, height: number): Promise<bigint> {
    return BigInt(text(await this.node("eth_getBalance", [address, hex(height)])))
  }

  async code(address: string, height: number): Promise<string> {
    return text(await this.node("eth_getCode", [address, hex(height)]))
  }

  async storage(address: string, slot: string, height: number): Promise<string> {
    return text(await this.node("eth_getStorageAt", [address, slot, hex(height)]))
  }

  async setBalance(address: string, wei: bigint): Promise<void> {
    await this.node("anvil_setBalance", [address, hex(wei)])
  }

  async setCode(address: string, code: string): Promise<void> {
    await this.node("anvil_setCode", [address, code])
  }
}
